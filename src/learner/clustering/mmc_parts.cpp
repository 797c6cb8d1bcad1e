// SPDX-License-Identifier: Apache-2.0
#include "learner/clustering/mmc_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/recomputation.hpp"
#include "learner/clustering/kernel.hpp"
#include "learner/feature_checks.hpp"
#include "learner/named_field.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "model/verify/bias.hpp"

namespace maxmargin::learning {

MmcBody mmc_body(const ModelDocument& model) {
  if (model.has("proofs")) return MmcBody::several;
  return model.has("certificate.lambda") ? MmcBody::two : MmcBody::features;
}

KernelData kernel_data(const Dataset& rows, const KernelChoice& choice, const Context& context) {
  KernelData given{.kernel = kernel_for(choice, rows.examples, context)};
  auto* precomputed = std::get_if<Precomputed>(&given.kernel);
  if (precomputed == nullptr) {
    given.rows = rows;
    return given;
  }
  if (rows.size() != rows.features()) {
    throw InvalidArgument("--kernel precomputed: " + name_of(rows) + " has " +
                          std::to_string(rows.size()) + " rows and " +
                          std::to_string(rows.features()) + " columns, must be a square matrix");
  }
  precomputed->matrix = std::make_shared<const DenseMatrix>(rows.examples.to_dense());
  // All but the n x n numbers themselves.
  given.rows.examples = index_examples(rows.size());
  given.rows.weights = rows.weights;
  given.rows.source = rows.source;
  return given;
}

void add_machine(ModelDocument& model, KernelExpansion functions, std::size_t points) {
  if (std::holds_alternative<Precomputed>(functions.kernel)) {
    // The model awaits the matrix of new points: no rows yet, a column a training point.
    functions.kernel = Precomputed{std::make_shared<const DenseMatrix>(0, points)};
  }
  add_expansion(model, std::move(functions));
}

std::size_t mmc_features(const ModelDocument& model) {
  return static_cast<std::size_t>(model.integer("features"));
}

ClusterAnswer mmc_answer(const ModelDocument& model, const Dataset& rows, const Context& context) {
  MmcModel machine{.functions = expansion_of(model)};
  auto* precomputed = std::get_if<Precomputed>(&machine.functions.kernel);
  if (precomputed == nullptr) return {.clusters = machine.predict(rows.examples, context.threads)};
  precomputed->matrix = std::make_shared<const DenseMatrix>(rows.examples.to_dense());
  return {.clusters = machine.predict(index_examples(rows.size()), context.threads)};
}

double rounding_of_sums(std::size_t points, double c, double objective) {
  const auto n = static_cast<double>(points);
  return 64 * n * std::numeric_limits<double>::epsilon() * (c * n + objective);
}

double at_most_visible(double doubt, double objective) {
  return std::min(doubt, 1e-3 * std::abs(objective));
}

std::optional<double> mmc_bound(const ModelDocument& model) {
  return model.has("lower_bound") ? model.number("lower_bound") : 0.0;
}

bool could_be_training(const KernelExpansion& machine,
                       const Dataset& rows,
                       std::span<const std::int32_t> labels,
                       std::size_t clusters) {
  const auto is_cluster = [&](std::int32_t label) {
    return label >= 0 && static_cast<std::size_t>(label) < clusters;
  };
  const auto is_row = [&](std::size_t row) { return row < rows.size(); };
  return labels.size() == rows.size() && std::ranges::all_of(labels, is_cluster) &&
         std::ranges::all_of(machine.training_rows, is_row);
}

DenseMatrix plain_gram(const Kernel& kernel, const Examples& examples, const Context& context) {
  VerifyWatch watch(context);
  const std::size_t n = examples.rows();
  const bool given = std::holds_alternative<Precomputed>(kernel);
  DenseMatrix gram(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    watch.spend(i * (1 + examples.cols()));
    for (std::size_t j = 0; j <= i; ++j) {
      gram(i, j) = gram(j, i) =
          given ? examples.row(i).at(j) : evaluate(kernel, examples.row(i), examples.row(j));
    }
  }
  return gram;
}

KernelBias bias_of(const ModelDocument& model) { return named_field<KernelBias>(model, "bias"); }

void apply_plain_bias(const ModelDocument& model, DenseMatrix& gram) {
  const std::size_t n = gram.rows();
  const KernelBias bias = bias_of(model);
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
  const KernelBias bias = bias_of(model);
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

}  // namespace maxmargin::learning
