// SPDX-License-Identifier: Apache-2.0
#include "kernel/gradient.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernel/input_scaling.hpp"
#include "kernel/normalisation.hpp"
#include "kernel/overloaded.hpp"
#include "kernel/rows/unit_rows.hpp"
#include "maxmargin/kernel/combine.hpp"

namespace maxmargin {

namespace {

using Gradient = std::vector<double>;

std::size_t columns_of(const Row& row) {
  if (row.is_dense()) return row.dense().size();
  return row.sparse().columns.empty() ? 0
                                      : static_cast<std::size_t>(row.sparse().columns.back()) + 1;
}

[[noreturn]] void no_gradient(const Kernel& kernel) {
  throw InvalidArgument("the " + kernel_name(kernel) + " kernel has no input gradient");
}

double sign(double value) { return value > 0 ? 1.0 : value < 0 ? -1.0 : 0.0; }

/// out_j = slope(x_j, z_j)
template <class Slope>
void each_entry(const Row& x, const Row& z, std::span<double> out, Slope slope) {
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = slope(x.at(j), z.at(j));
}

/// out = factor * z
void multiple_of(double factor, const Row& z, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  z.axpy_into(factor, out);
}

void multiply(double factor, std::span<double> values) {
  for (double& value : values) value *= factor;
}

/// d ln K / dx of the kernels exp(-gamma distance); false for all others.
bool exponential_gradient(const Kernel& kernel, const Row& x, const Row& z, std::span<double> out) {
  return std::visit(
      Overloaded{
          [&](const Rbf& k) {
            each_entry(x, z, out, [&](double a, double b) { return -2 * k.gamma * (a - b); });
            return true;
          },
          [&](const Laplace& k) {
            each_entry(x, z, out, [&](double a, double b) { return -k.gamma * sign(a - b); });
            return true;
          },
          [&](const Absdiff& k) {
            const double root = std::sqrt(x.l1_distance(z));
            const double factor = root == 0 ? 0.0 : -k.gamma / (2 * root);
            each_entry(x, z, out, [&](double a, double b) { return factor * sign(a - b); });
            return true;
          },
          [&](const Sentropic& k) {
            each_entry(x, z, out, [&](double a, double b) {
              return -k.gamma * (1 - b / a + std::log(a / b));
            });
            return true;
          },
          [&](const ChiSquare& k) {
            each_entry(x, z, out, [&](double a, double b) {
              const double total = a + b;
              return total == 0 ? 0.0 : -k.gamma * ((a - b) / total) * ((a + 3 * b) / total);
            });
            return true;
          },
          [](const auto&) { return false; },
      },
      kernel);
}

Gradient gradient_of(const Kernel& kernel, const Row& x, const Row& z, std::size_t dimension) {
  Gradient result(dimension);
  kernel_gradient(kernel, x, z, result);
  return result;
}

void add_multiple(double factor, const Gradient& gradient, std::span<double> out) {
  for (std::size_t j = 0; j < out.size(); ++j) out[j] += factor * gradient[j];
}

/// out = gradient of the inner kernel at the scaled rows, times the factors sqrt(weights).
template <class InnerGradient>
void through_scaling(const InputScalingRule& rule,
                     const Row& x,
                     const Row& z,
                     std::span<double> out,
                     InnerGradient inner_gradient) {
  const ScaledRow scaled_x(x, rule);
  const ScaledRow scaled_z(z, rule);
  std::ranges::fill(out, 0.0);
  const std::size_t known = std::min(out.size(), rule.weights.size());
  inner_gradient(rule.kernel, scaled_x.row(), scaled_z.row(), out.first(known));
  for (std::size_t j = 0; j < known; ++j) out[j] *= std::sqrt(rule.weights[j]);
}

/// The derivative of sum_p c_p t^p.
double series_slope(const std::vector<double>& coefficients, double t) {
  double slope = 0;
  for (std::size_t p = coefficients.size(); p-- > 1;) {
    slope = slope * t + static_cast<double>(p) * coefficients[p];
  }
  return slope;
}

void combination_gradient(const Kernel& whole,
                          const Combination& combination,
                          const Row& x,
                          const Row& z,
                          std::span<double> out) {
  // Chain rule: the inner gradient times the slope of the outer function.
  const auto chain = [&](const Kernel& inner, double slope) {
    kernel_gradient(inner, x, z, out);
    multiply(slope, out);
  };
  std::visit(Overloaded{
                 [&](const SumRule& r) {
                   kernel_gradient(r.a, x, z, out);
                   add_multiple(1, gradient_of(r.b, x, z, out.size()), out);
                 },
                 [&](const ProductRule& r) {
                   chain(r.a, evaluate(r.b, x, z));
                   add_multiple(evaluate(r.a, x, z), gradient_of(r.b, x, z, out.size()), out);
                 },
                 [&](const ScaleRule& r) { chain(r.kernel, r.factor); },
                 [&](const PowerRule& r) {
                   chain(r.kernel, r.exponent * std::pow(evaluate(r.kernel, x, z), r.exponent - 1));
                 },
                 [&](const SeriesRule& r) {
                   chain(r.kernel, series_slope(r.coefficients, evaluate(r.kernel, x, z)));
                 },
                 [&](const ExpRule& r) { chain(r.kernel, std::exp(evaluate(r.kernel, x, z))); },
                 [&](const RankOneRule&) { no_gradient(whole); },
                 [&](const InputScalingRule& r) { through_scaling(r, x, z, out, kernel_gradient); },
                 [&](const NormaliseRule& r) {
                   // K(x, x) depends on both its arguments: its total derivative is twice the
                   // partial.
                   const double scale_x = normalising_factor(evaluate(r.kernel, x, x));
                   const double scale_z = normalising_factor(evaluate(r.kernel, z, z));
                   chain(r.kernel, scale_x * scale_z);
                   const double value = evaluate(r.kernel, x, z) * scale_x * scale_z;
                   add_multiple(
                       -value * scale_x * scale_x, gradient_of(r.kernel, x, x, out.size()), out);
                 },
                 [&](const CentredRule& r) {
                   kernel_gradient(r.kernel, x, z, out);
                   const Examples& rows = *r.means->rows();
                   const double share = -1.0 / static_cast<double>(rows.rows());
                   for (std::size_t l = 0; l < rows.rows(); ++l) {
                     add_multiple(share, gradient_of(r.kernel, x, rows.row(l), out.size()), out);
                   }
                 },
                 [&](const IteratedRule& r) {
                   std::ranges::fill(out, 0.0);
                   const double share = 1.0 / static_cast<double>(r.rows->rows());
                   for (std::size_t l = 0; l < r.rows->rows(); ++l) {
                     const Row row = r.rows->row(l);
                     add_multiple(share * evaluate(r.kernel, row, z),
                                  gradient_of(r.kernel, x, row, out.size()),
                                  out);
                   }
                 },
             },
             combination.rule);
}

/// d ln K / dx of products and powers without K itself, which may underflow; false where K is
/// needed: a product of negative values is positive, but has no sum of logarithms.
bool combination_log_gradient(const Combination& combination,
                              const Row& x,
                              const Row& z,
                              std::span<double> out) {
  return std::visit(Overloaded{
                        [&](const ProductRule& r) {
                          if (evaluate(r.a, x, z) < 0 || evaluate(r.b, x, z) < 0) return false;
                          Gradient second(out.size());
                          log_kernel_gradient(r.a, x, z, out);
                          log_kernel_gradient(r.b, x, z, second);
                          add_multiple(1, second, out);
                          return true;
                        },
                        [&](const ScaleRule& r) {
                          log_kernel_gradient(r.kernel, x, z, out);
                          return true;
                        },
                        [&](const PowerRule& r) {
                          if (evaluate(r.kernel, x, z) < 0) return false;
                          log_kernel_gradient(r.kernel, x, z, out);
                          multiply(r.exponent, out);
                          return true;
                        },
                        [&](const ExpRule& r) {
                          kernel_gradient(r.kernel, x, z, out);
                          return true;
                        },
                        [&](const InputScalingRule& r) {
                          through_scaling(r, x, z, out, log_kernel_gradient);
                          return true;
                        },
                        [](const auto&) { return false; },
                    },
                    combination.rule);
}

}  // namespace

void kernel_gradient(const Kernel& kernel, const Row& x, const Row& z, std::span<double> out) {
  require(out.size() >= std::max(columns_of(x), columns_of(z)),
          "the output must have an entry for every column");
  if (exponential_gradient(kernel, x, z, out)) {
    multiply(evaluate(kernel, x, z), out);
    return;
  }
  std::visit(Overloaded{
                 [&](const Linear&) { multiple_of(1, z, out); },
                 [&](const Polynomial& k) {
                   const double base = k.gamma * x.dot(z) + k.coef0;
                   multiple_of(k.degree * k.gamma * std::pow(base, k.degree - 1), z, out);
                 },
                 [&](const Sigmoid& k) {
                   const double value = evaluate(kernel, x, z);
                   multiple_of(k.gamma * (1 - value * value), z, out);
                 },
                 [&](const Cosine&) {
                   const double x_norm = euclidean_norm(x);
                   const double z_norm = euclidean_norm(z);
                   std::ranges::fill(out, 0.0);
                   if (x_norm == 0 || z_norm == 0) return;
                   // Unit vectors first: products of norms may under- or overflow.
                   const double value = evaluate(kernel, x, z);
                   each_entry(x, z, out, [&](double a, double b) {
                     return (b / z_norm - value * (a / x_norm)) / x_norm;
                   });
                 },
                 [&](const HistogramIntersection&) {
                   each_entry(
                       x, z, out, [](double a, double b) { return 0.5 * (1 - sign(a - b)); });
                 },
                 [&](const Combined& k) { combination_gradient(kernel, k.node(), x, z, out); },
                 [&](const auto&) { no_gradient(kernel); },
             },
             kernel);
}

void log_kernel_gradient(const Kernel& kernel, const Row& x, const Row& z, std::span<double> out) {
  require(out.size() >= std::max(columns_of(x), columns_of(z)),
          "the output must have an entry for every column");
  if (exponential_gradient(kernel, x, z, out)) return;
  if (const auto* combined = std::get_if<Combined>(&kernel)) {
    if (combination_log_gradient(combined->node(), x, z, out)) return;
  }
  kernel_gradient(kernel, x, z, out);
  const double value = evaluate(kernel, x, z);
  require_field(value > 0, "the kernel value", value, "> 0");
  multiply(1 / value, out);
}

}  // namespace maxmargin
