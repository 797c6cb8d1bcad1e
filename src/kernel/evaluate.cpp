// SPDX-License-Identifier: Apache-2.0
// The plain evaluation of kernels: one formula after the other, summed pair by pair. It shares the
// norm of a row and the scaling of inputs with the fast paths it is the twin of; their products,
// panels, sparse sums and exponentials it does not use.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/input_scaling.hpp"
#include "kernel/normalisation.hpp"
#include "kernel/overloaded.hpp"
#include "kernel/rows/unit_rows.hpp"
#include "maxmargin/data/text/encoded_strings.hpp"
#include "maxmargin/kernel/combine.hpp"
#include "maxmargin/kernel/kernel.hpp"

namespace maxmargin {

namespace {

/// Sum of term(x_j, z_j) over the columns where x or z has an entry. Requires term(0, 0) = 0.
template <class Term>
double sum_pairs(const Row& x, const Row& z, Term term) {
  if (x.is_dense() && z.is_dense()) {
    require(x.dense().size() == z.dense().size(), "evaluate: dense rows must have equal length");
  }
  double sum = 0;
  for_each_pair(x, z, [&](double a, double b) { sum += term(a, b); });
  return sum;
}

double dot_product(const Row& x, const Row& z) {
  return sum_pairs(x, z, [](double a, double b) { return a * b; });
}

double absolute_sum(const Row& x, const Row& z) {
  return sum_pairs(x, z, [](double a, double b) { return std::abs(a - b); });
}

double chi_square_term(double a, double b) {
  return a + b == 0 ? 0.0 : (a - b) / (a + b) * (a - b);
}

double power(double base, int exponent) {
  double result = 1;
  for (int k = 0; k < exponent; ++k) result *= base;
  return result;
}

double cosine(const Row& x, const Row& z) {
  const double x_norm = euclidean_norm(x);
  const double z_norm = euclidean_norm(z);
  if (x_norm == 0 || z_norm == 0) return 0;
  return sum_pairs(x, z, [&](double a, double b) { return (a / x_norm) * (b / z_norm); });
}

std::size_t row_number(const Row& row, std::size_t limit) {
  const double value = row.at(0);
  if (!(value >= 0 && value < static_cast<double>(limit) && value == std::floor(value))) {
    throw InvalidArgument("precomputed kernel: " + format_number(value) +
                          " is not a row number of the matrix (" + std::to_string(limit) + ")");
  }
  return static_cast<std::size_t>(value);
}

/// The substrings of a length, sorted.
std::vector<std::string_view> substrings(std::string_view text, std::size_t length) {
  std::vector<std::string_view> found;
  for (std::size_t i = 0; i + length <= text.size(); ++i) found.push_back(text.substr(i, length));
  std::ranges::sort(found);
  return found;
}

/// Equal substrings of the two rows, as pairs of places.
double matching_substrings(const Row& x, const Row& z, std::size_t length) {
  const std::string x_text = decode_string(x);
  const std::string z_text = decode_string(z);
  const std::vector<std::string_view> of_x = substrings(x_text, length);
  const std::vector<std::string_view> of_z = substrings(z_text, length);
  double matches = 0;
  auto at = of_z.begin();
  for (auto same = of_x.begin(); same != of_x.end();) {
    const auto end = std::upper_bound(same, of_x.end(), *same);
    at = std::lower_bound(at, of_z.end(), *same);
    const auto last = std::upper_bound(at, of_z.end(), *same);
    matches += static_cast<double>(end - same) * static_cast<double>(last - at);
    same = end;
    at = last;
  }
  return matches;
}

double iterated_value(const IteratedRule& rule, const Row& x, const Row& z) {
  require(rule.rows != nullptr, "iterated kernel: its training examples are missing");
  double sum = 0;
  for (std::size_t l = 0; l < rule.rows->rows(); ++l) {
    const Row row = rule.rows->row(l);
    sum += evaluate(rule.kernel, x, row) * evaluate(rule.kernel, z, row);
  }
  return sum / static_cast<double>(rule.rows->rows());
}

double evaluate_combination(const Combination& combination, const Row& x, const Row& z) {
  return std::visit(
      Overloaded{
          [&](const SumRule& r) { return evaluate(r.a, x, z) + evaluate(r.b, x, z); },
          [&](const ProductRule& r) { return evaluate(r.a, x, z) * evaluate(r.b, x, z); },
          [&](const ScaleRule& r) { return r.factor * evaluate(r.kernel, x, z); },
          [&](const PowerRule& r) { return power(evaluate(r.kernel, x, z), r.exponent); },
          [&](const SeriesRule& r) {
            const double value = evaluate(r.kernel, x, z);
            double sum = 0;
            for (std::size_t p = r.coefficients.size(); p-- > 0;) {
              sum = sum * value + r.coefficients[p];
            }
            return sum;
          },
          [&](const ExpRule& r) { return std::exp(evaluate(r.kernel, x, z)); },
          [&](const RankOneRule& r) { return r.function(x) * r.function(z); },
          [&](const InputScalingRule& r) {
            const ScaledRow scaled_x(x, r);
            const ScaledRow scaled_z(z, r);
            return evaluate(r.kernel, scaled_x.row(), scaled_z.row());
          },
          [&](const NormaliseRule& r) {
            const double scale_x = normalising_factor(evaluate(r.kernel, x, x));
            const double scale_z = normalising_factor(evaluate(r.kernel, z, z));
            return evaluate(r.kernel, x, z) * scale_x * scale_z;
          },
          [&](const CentredRule& r) {
            require(r.means != nullptr, "centred kernel: its training examples are missing");
            const double means = r.means->mean(r.kernel, x) + r.means->mean(r.kernel, z);
            return (evaluate(r.kernel, x, z) + r.means->grand_mean()) - means;
          },
          [&](const IteratedRule& r) { return iterated_value(r, x, z); },
      },
      combination.rule);
}

}  // namespace

double evaluate(const Kernel& kernel, const Row& x, const Row& z) {
  return std::visit(
      Overloaded{
          [&](const Linear&) { return dot_product(x, z); },
          [&](const Polynomial& k) {
            return power(k.gamma * dot_product(x, z) + k.coef0, k.degree);
          },
          [&](const Rbf& k) {
            const auto square = [](double a, double b) { return (a - b) * (a - b); };
            return std::exp(-k.gamma * sum_pairs(x, z, square));
          },
          [&](const Laplace& k) { return std::exp(-k.gamma * absolute_sum(x, z)); },
          [&](const Absdiff& k) { return std::exp(-k.gamma * std::sqrt(absolute_sum(x, z))); },
          [&](const Sentropic& k) {
            const auto term = [](double a, double b) { return (a - b) * std::log(a / b); };
            return std::exp(-k.gamma * sum_pairs(x, z, term));
          },
          [&](const Sigmoid& k) { return std::tanh(k.gamma * dot_product(x, z) + k.coef0); },
          [&](const Cosine&) { return cosine(x, z); },
          [&](const HistogramIntersection&) {
            return sum_pairs(x, z, [](double a, double b) { return std::min(a, b); });
          },
          [&](const ChiSquare& k) { return std::exp(-k.gamma * sum_pairs(x, z, chi_square_term)); },
          [&](const Spectrum& k) {
            return matching_substrings(x, z, static_cast<std::size_t>(k.length));
          },
          [&](const Precomputed& k) {
            require(k.matrix != nullptr, "the matrix of the precomputed kernel is missing");
            return (*k.matrix)(row_number(x, k.matrix->rows()), row_number(z, k.matrix->cols()));
          },
          [&](const Combined& k) { return evaluate_combination(k.node(), x, z); },
      },
      kernel);
}

}  // namespace maxmargin
