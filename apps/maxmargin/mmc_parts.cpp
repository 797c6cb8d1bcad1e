// SPDX-License-Identifier: Apache-2.0
#include "mmc_parts.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bias_names.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/model/kernel/bias_offset.hpp"
#include "method_options.hpp"

namespace maxmargin::tool {

KernelData kernel_data(const Dataset& data, const Arguments& arguments) {
  KernelData given{.kernel = method_kernel(arguments, data.examples)};
  auto* precomputed = std::get_if<Precomputed>(&given.kernel);
  if (precomputed == nullptr) {
    given.data = data;
    return given;
  }
  if (data.size() != data.features()) {
    throw UsageError("--kernel precomputed: " + data.source + " has " +
                     std::to_string(data.size()) + " rows and " + std::to_string(data.features()) +
                     " columns, must be a square matrix");
  }
  precomputed->matrix = std::make_shared<const DenseMatrix>(data.examples.to_dense());
  // All but the n x n numbers themselves.
  given.data.examples = index_examples(data.size());
  given.data.weights = data.weights;
  given.data.source = data.source;
  return given;
}

void add_machine(ModelDocument& model, KernelExpansion function, std::size_t points) {
  if (std::holds_alternative<Precomputed>(function.kernel)) {
    // The model awaits the matrix of new points: no rows yet, a column a training point.
    function.kernel = Precomputed{std::make_shared<const DenseMatrix>(0, points)};
  }
  add_expansion(model, std::move(function));
}

MachineInput machine_input(const ModelDocument& model, const Dataset& data) {
  MachineInput input{.function = expansion_of(model), .examples = data.examples};
  if (auto* precomputed = std::get_if<Precomputed>(&input.function.kernel)) {
    precomputed->matrix = std::make_shared<const DenseMatrix>(data.examples.to_dense());
    input.examples = index_examples(data.size());
  }
  return input;
}

DenseMatrix plain_gram(const Kernel& kernel, const Examples& examples) {
  const std::size_t n = examples.rows();
  const bool given = std::holds_alternative<Precomputed>(kernel);
  DenseMatrix gram(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      gram(i, j) = gram(j, i) =
          given ? examples.row(i).at(j) : evaluate(kernel, examples.row(i), examples.row(j));
    }
  }
  return gram;
}

void apply_plain_bias(const ModelDocument& model, DenseMatrix& gram) {
  const std::size_t n = gram.rows();
  const KernelBias bias = bias_of(model, "bias");
  if (bias == KernelBias::center) {
    std::vector<double> means(n, 0.0);
    double all = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) means[i] += gram(i, j) / static_cast<double>(n);
      all += means[i] / static_cast<double>(n);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) gram(i, j) += all - (means[i] + means[j]);
    }
  } else if (bias == KernelBias::constant) {
    for (double& entry : gram.values()) entry += 1;
  }
}

bool have_fitting_offsets(const ModelDocument& model,
                          const KernelExpansion& machines,
                          DenseView values,
                          double largest_square) {
  const KernelBias bias = bias_of(model, "bias");
  std::vector<double> column(values.rows);
  for (std::size_t r = 0; r < machines.offsets.size(); ++r) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = values(i, r);
    double size = 0;
    for (std::size_t v = 0; v < machines.coefficients.rows(); ++v) {
      size += std::abs(machines.coefficients(v, r)) * largest_square;
    }
    if (!is_offset_of_bias(bias, machines.offsets[r], column, size)) return false;
  }
  return true;
}

double largest_square_of(const DenseMatrix& gram) {
  double largest = 0;
  for (std::size_t i = 0; i < gram.rows(); ++i) largest = std::max(largest, gram(i, i));
  return largest;
}

}  // namespace maxmargin::tool
