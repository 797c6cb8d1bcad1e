// SPDX-License-Identifier: Apache-2.0
#include "given.hpp"

#include <cmath>
#include <functional>
#include <variant>

#include "maxmargin/kernel/kernel.hpp"

namespace maxmargin::reference {

namespace {

Number inner(const Dataset& data, std::size_t i, std::size_t j) {
  Number sum = 0;
  for (std::size_t k = 0; k < data.features(); ++k) {
    sum += static_cast<Number>(data.examples.dense()(i, k)) * data.examples.dense()(j, k);
  }
  return sum;
}

}  // namespace

std::optional<Matrix> gram_of(const Dataset& data, const DecisionFunction& functions) {
  const std::size_t n = data.size();
  std::function<std::optional<Number>(std::size_t, std::size_t)> value =
      [&](std::size_t i, std::size_t j) { return std::optional(inner(data, i, j)); };
  if (const auto* expansion = std::get_if<KernelExpansion>(&functions)) {
    if (const auto* rbf = std::get_if<Rbf>(&expansion->kernel)) {
      value = [&data, gamma = static_cast<Number>(rbf->gamma)](std::size_t i, std::size_t j) {
        Number square = 0;
        for (std::size_t k = 0; k < data.features(); ++k) {
          const Number miss = static_cast<Number>(data.examples.dense()(i, k)) -
                              static_cast<Number>(data.examples.dense()(j, k));
          square += miss * miss;
        }
        return std::optional(std::exp(-gamma * square));
      };
    } else if (const auto* poly = std::get_if<Polynomial>(&expansion->kernel)) {
      value = [&data, poly](std::size_t i, std::size_t j) {
        const Number base = poly->gamma * inner(data, i, j) + static_cast<Number>(poly->coef0);
        Number power = 1;
        for (int k = 0; k < poly->degree; ++k) power *= base;
        return std::optional(power);
      };
    } else if (!std::holds_alternative<Linear>(expansion->kernel)) {
      return std::nullopt;
    }
  }
  Matrix gram(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) gram(i, j) = *value(i, j);
  }
  return gram;
}

Function function_of(const DecisionFunction& functions,
                     std::size_t f,
                     const Dataset& data,
                     const Matrix& gram) {
  const std::size_t n = data.size();
  Function found{.values = Vector(n, 0)};
  if (const auto* linear = std::get_if<LinearFunctions>(&functions)) {
    found.offset = linear->offsets[f];
    for (std::size_t k = 0; k < data.features(); ++k) {
      const Number w = linear->weights(f, k);
      found.square += w * w;
      for (std::size_t i = 0; i < n; ++i) found.values[i] += w * data.examples.dense()(i, k);
    }
    return found;
  }
  const auto& expansion = std::get<KernelExpansion>(functions);
  found.offset = expansion.offsets[f];
  found.coefficients.assign(n, 0);
  for (std::size_t k = 0; k < expansion.training_rows.size(); ++k) {
    found.coefficients[expansion.training_rows[k]] += expansion.coefficients(k, f);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      found.values[i] += gram(i, j) * found.coefficients[j];
    }
    found.square += found.coefficients[i] * found.values[i];
  }
  return found;
}

Number total(const Vector& values) {
  Number sum = 0;
  for (const Number value : values) sum += value;
  return sum;
}

Number penalise_offset(const Given& given, Matrix& gram) {
  if (!given.options.truth("bias", true)) return given.function().square;
  const Number scale = given.options.number("bias_scale", 1);
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    for (std::size_t j = 0; j < gram.rows(); ++j) gram(i, j) += scale * scale;
  }
  const Number weight = given.function().offset / scale;
  return given.function().square + weight * weight;
}

Number rounding_of(const Given& given, const DecisionFunction& functions) {
  const Number unit = 16 * std::numeric_limits<double>::epsilon();
  Number sum = 0;
  for (std::size_t f = 0; f < given.functions.size(); ++f) {
    Number size = 0;
    for (std::size_t i = 0; i < given.functions[f].coefficients.size(); ++i) {
      size += std::abs(given.functions[f].coefficients[i]) * std::sqrt(given.gram(i, i));
    }
    if (std::holds_alternative<LinearFunctions>(functions)) {
      size = std::sqrt(given.functions[f].square);
    }
    sum += unit * size * size;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const Number cost = given.c() * given.weights[i];
      if (!std::isfinite(cost)) continue;
      sum +=
          unit * cost * (size * std::sqrt(given.gram(i, i)) + std::abs(given.functions[f].offset));
    }
  }
  return sum;
}

}  // namespace maxmargin::reference
