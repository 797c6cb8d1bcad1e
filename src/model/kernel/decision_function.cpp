// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/kernel/decision_function.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "core/parallel.hpp"
#include "kernel/input_scaling.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "model/kernel/moved_linear.hpp"
#include "model/kernel/sums.hpp"

namespace maxmargin {

namespace {

/// Rows handed to one task, or cut to the model's features, at a time.
constexpr std::size_t row_chunk = 256;
constexpr std::size_t cut_chunk = 8192;

/// Rows [begin, end) of a sparse matrix without the columns from `cols` on.
SparseMatrix cut(const SparseView& matrix, std::size_t begin, std::size_t end, std::size_t cols) {
  Buffer<std::int64_t> offsets(end - begin + 1);
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  offsets[0] = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const SparseRow row = matrix.row(i);
    const auto kept = static_cast<std::size_t>(
        std::ranges::lower_bound(
            row.columns, cols, {}, [](std::int32_t c) { return static_cast<std::size_t>(c); }) -
        row.columns.begin());
    columns.append(row.columns.first(kept));
    values.append(row.values.first(kept));
    offsets[i - begin + 1] = static_cast<std::int64_t>(values.size());
  }
  return {cols, std::move(offsets), std::move(columns), std::move(values)};
}

MutableDenseView rows_of(DenseMatrix& matrix, std::size_t begin, std::size_t end) {
  return matrix.view().middle_rows(begin, end);
}

/// Calls evaluate(examples, begin, end) for parts of the examples that have no more than `features`
/// columns: for all of them at once when they fit as they are.
template <class Evaluate>
void for_each_part(const Examples& examples, std::size_t features, const Evaluate& evaluate) {
  const std::size_t n = examples.rows();
  if (n == 0) return;
  if (examples.cols() <= features) {
    evaluate(examples, std::size_t{0}, n);
    return;
  }
  for (std::size_t begin = 0; begin < n; begin += cut_chunk) {
    const std::size_t end = std::min(n, begin + cut_chunk);
    evaluate(Examples(cut(examples.sparse(), begin, end, features)), begin, end);
  }
}

void require_width(const Examples& examples, std::size_t features) {
  if (!examples.is_dense() || examples.rows() == 0 || examples.cols() == features) return;
  throw InvalidArgument("the examples have " + std::to_string(examples.cols()) +
                        " columns, the model was made for " + std::to_string(features));
}

void require_finite(const Examples& examples) { check_domain(Linear{}, examples); }

void add_offsets(std::span<const double> offsets, MutableDenseView values) {
  for (std::size_t i = 0; i < values.rows; ++i) {
    const std::span<double> row = values.row(i);
    for (std::size_t f = 0; f < row.size(); ++f) row[f] += offsets[f];
  }
}

DenseMatrix transposed(DenseView matrix) {
  DenseMatrix result = DenseMatrix::uninitialized(matrix.cols, matrix.rows);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t j = 0; j < matrix.cols; ++j) result(j, i) = matrix(i, j);
  }
  return result;
}

/// Values of linear functions. Sparse rows with more columns than weights need no cutting: what
/// lies beyond the weights is passed over.
DenseMatrix linear_values(const LinearFunctions& functions,
                          const Examples& examples,
                          std::size_t threads) {
  const DenseView weights = functions.weights.view();
  DenseMatrix values(examples.rows(), weights.rows, 0.0);
  // One line of weights a feature, so that an entry of a sparse row meets all functions at once.
  const DenseMatrix by_feature =
      !examples.is_dense() && weights.rows > 1 ? transposed(weights) : DenseMatrix();
  parallel_chunks(
      threads, examples.rows(), row_chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
        const MutableDenseView out = rows_of(values, begin, end);
        if (examples.is_dense()) {
          gemm(Transpose::no,
               Transpose::yes,
               1.0,
               examples.dense().middle_rows(begin, end),
               weights,
               0.0,
               out);
          return;
        }
        for (std::size_t i = begin; i < end; ++i) {
          const std::span<double> row = out.row(i - begin);
          if (weights.rows == 1) {
            row[0] = examples.row(i).dot(weights.row(0));
            continue;
          }
          examples.row(i).for_each([&](std::size_t j, double value) {
            if (j >= by_feature.rows()) return;
            const std::span<const double> line = by_feature.row(j);
            for (std::size_t f = 0; f < row.size(); ++f) row[f] += value * line[f];
          });
        }
      });
  add_offsets(functions.offsets, values.view());
  return values;
}

/// A linear kernel's sum is a linear function: sum_i c_ij z_i. Worth its memory unless there are
/// many features, which the vectors hardly use.
bool is_better_linear(const KernelExpansion& expansion) {
  if (!std::holds_alternative<Linear>(expansion.kernel) || expansion.minus_self) return false;
  constexpr double always = 1 << 24;
  const double numbers = static_cast<double>(expansion.vectors.cols()) *
                         static_cast<double>(expansion.coefficients.cols());
  return numbers <= std::max(always, 4 * static_cast<double>(expansion.vectors.entries()));
}

LinearFunctions as_linear(const KernelExpansion& expansion) {
  const DenseMatrix& coefficients = expansion.coefficients;
  LinearFunctions functions{DenseMatrix(coefficients.cols(), expansion.vectors.cols(), 0.0),
                            expansion.offsets};
  for (std::size_t i = 0; i < coefficients.rows(); ++i) {
    const Row vector = expansion.vectors.row(i);
    for (std::size_t f = 0; f < coefficients.cols(); ++f) {
      if (coefficients(i, f) == 0) continue;
      vector.axpy_into(coefficients(i, f), functions.weights.row(f));
    }
  }
  return functions;
}

void subtract_self(const Kernel& kernel,
                   const Examples& examples,
                   std::size_t threads,
                   MutableDenseView values) {
  if (const auto* precomputed = std::get_if<Precomputed>(&kernel)) {
    require(precomputed->matrix->rows() == precomputed->matrix->cols(),
            "a sphere needs K(x, x), which a precomputed matrix of new examples against old ones "
            "does not hold");
  }
  const std::vector<double> self =
      kernel_diagonal(kernel, examples, {.context = {.threads = threads}});
  for (std::size_t i = 0; i < values.rows; ++i) {
    for (double& value : values.row(i)) value -= self[i];
  }
}

BoundedValues kernel_values(const KernelExpansion& expansion,
                            const Examples& examples,
                            std::size_t threads,
                            ValuePrecision precision) {
  // The rest of a string is no feature beyond those of the model.
  const std::size_t features = is_for_strings(expansion.kernel)
                                   ? std::numeric_limits<std::size_t>::max()
                                   : expansion.vectors.cols();
  const std::size_t functions = expansion.coefficients.cols();
  check_domain(expansion.kernel, examples);
  const KernelSums sums(expansion);
  BoundedValues result{DenseMatrix(examples.rows(), functions, 0.0), {}};
  if (precision == ValuePrecision::fast) {
    result.errors = DenseMatrix(examples.rows(), functions, 0.0);
  }
  for_each_part(examples, features, [&](const Examples& part, std::size_t begin, std::size_t end) {
    const MutableDenseView values = rows_of(result.values, begin, end);
    const bool fast = precision == ValuePrecision::fast &&
                      sums.fast(part, threads, values, rows_of(result.errors, begin, end));
    if (!fast) {
      result.errors = {};
      sums.exact(part, threads, values);
    }
    if (expansion.minus_self) subtract_self(expansion.kernel, part, threads, values);
  });
  add_offsets(expansion.offsets, result.values.view());
  return result;
}

void require_all_finite(std::span<const double> values, const char* what) {
  for (const double value : values) require_field(std::isfinite(value), what, value, "finite");
}

void require_count(std::size_t count, std::size_t wanted, const char* what, const char* each) {
  require_field(count == wanted,
                what,
                static_cast<double>(count),
                std::to_string(wanted) + ", one for each " + each);
}

void validate_parts(const KernelExpansion& expansion) {
  validate(expansion.kernel);
  require_count(expansion.coefficients.rows(),
                expansion.vectors.rows(),
                "the number of rows of coefficients",
                "vector");
  require_count(
      expansion.offsets.size(), expansion.coefficients.cols(), "the number of offsets", "function");
  require(
      expansion.training_rows.empty() || expansion.training_rows.size() == expansion.vectors.rows(),
      "training rows must be empty or name a row for each vector");
  require_all_finite(expansion.coefficients.values(), "a coefficient of the machine");
  require_all_finite(expansion.offsets, "an offset of the machine");
  check_domain(expansion.kernel, expansion.vectors);
}

void validate_parts(const LinearFunctions& functions) {
  require_count(
      functions.offsets.size(), functions.weights.rows(), "the number of offsets", "function");
  require_all_finite(functions.weights.values(), "a weight of the machine");
  require_all_finite(functions.offsets, "an offset of the machine");
}

}  // namespace

std::size_t function_count(const DecisionFunction& functions) {
  if (const auto* linear = std::get_if<LinearFunctions>(&functions)) return linear->weights.rows();
  return std::get<KernelExpansion>(functions).coefficients.cols();
}

std::size_t feature_count(const DecisionFunction& functions) {
  if (const auto* linear = std::get_if<LinearFunctions>(&functions)) return linear->weights.cols();
  return std::get<KernelExpansion>(functions).vectors.cols();
}

void validate(const DecisionFunction& functions) {
  std::visit([](const auto& parts) { validate_parts(parts); }, functions);
}

BoundedValues bounded_decision_values(const DecisionFunction& functions,
                                      const Examples& examples,
                                      const DecisionOptions& options) {
  const std::size_t threads = thread_count(options.context.threads);
  validate(functions);
  require_width(examples, feature_count(functions));
  require_finite(examples);
  if (const auto* linear = std::get_if<LinearFunctions>(&functions)) {
    return {linear_values(*linear, examples, threads), {}};
  }
  const auto& expansion = std::get<KernelExpansion>(functions);
  if (const InputScalingRule* const moved = moved_linear(expansion.kernel)) {
    return bounded_decision_values(
        with_moved_vectors(expansion, *moved), scale_inputs(examples, *moved), options);
  }
  if (is_better_linear(expansion)) {
    return {linear_values(as_linear(expansion), examples, threads), {}};
  }
  return kernel_values(expansion, examples, threads, options.precision);
}

DenseMatrix decision_values(const DecisionFunction& functions,
                            const Examples& examples,
                            const DecisionOptions& options) {
  return bounded_decision_values(functions, examples, options).values;
}

}  // namespace maxmargin
