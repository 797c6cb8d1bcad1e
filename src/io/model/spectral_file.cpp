// SPDX-License-Identifier: Apache-2.0
#include "io/model/spectral_file.hpp"
#include "maxmargin/core/options.hpp"

#include <limits>
#include <string>
#include <utility>

#include "io/model/machine_file_parts.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

SpectralMethod method_of(const ModelDocument& document) {
  const std::string& name = document.string("cut");
  if (const auto method = value_named<SpectralMethod>(name)) return *method;
  refuse(document, "cut", "is no cut that this library knows");
}

/// Clusters as numbers; whole and below 2^31.
std::vector<std::int32_t> clusters_of(const ModelDocument& document, std::size_t rows) {
  const std::vector<double>& numbers = document.numbers("clusters");
  demand(numbers.size() == rows, document, "clusters", "must have one number a training point");
  std::vector<std::int32_t> clusters;
  for (const double number : numbers) {
    demand(is_whole(number) && number <= std::numeric_limits<std::int32_t>::max(),
           document,
           "clusters",
           "must hold whole numbers >= 0");
    clusters.push_back(static_cast<std::int32_t>(number));
  }
  return clusters;
}

}  // namespace

void add_spectral(ModelDocument& document, const SpectralModel& model) {
  document.set_string("cut", std::string(to_string(model.method)));
  store_kernel(document, "kernel", model.kernel);
  if (model.neighbours) {
    document.set_integer("neighbours", narrow<std::int64_t>(*model.neighbours));
  }
  document.set_numbers("clusters", {model.clusters.begin(), model.clusters.end()});
  store_examples(document, "examples", model.examples);
  // One cluster has no function: every point belongs to it.
  const std::size_t functions = model.coefficients.rows();
  document.set_integer("functions", narrow<std::int64_t>(functions));
  if (functions == 0) return;
  store_matrix(document, "coefficients", model.coefficients);
  if (model.method == SpectralMethod::ng_jordan_weiss) {
    document.set_dense("centres", model.centres);
  } else {
    document.set_dense("splits", model.splits);
  }
}

SpectralModel spectral_of(ModelDocument document) {
  SpectralModel model;
  model.method = method_of(document);
  model.kernel = load_kernel(document, "kernel");
  if (document.has("neighbours")) {
    const std::int64_t neighbours = document.integer("neighbours");
    demand(neighbours >= 1, document, "neighbours", "must be >= 1");
    model.neighbours = static_cast<std::size_t>(neighbours);
  }
  model.examples = load_examples(document, "examples");
  const std::size_t n = model.examples.rows();
  model.clusters = clusters_of(document, n);
  const std::int64_t functions = document.integer("functions");
  demand(functions >= 0 && static_cast<std::size_t>(functions) <= n,
         document,
         "functions",
         "must be from 0 to the number of training points");
  const auto count = static_cast<std::size_t>(functions);
  if (count > 0) {
    model.coefficients = load_matrix(document, "coefficients", count, n);
    if (model.method == SpectralMethod::ng_jordan_weiss) {
      model.centres = load_matrix(document, "centres", count, count);
    } else {
      model.splits = load_matrix(document, "splits", count, 5);
    }
  }
  checked_by_library(document, "clusters", [&] { validate(model); });
  return model;
}

void add_kernel_pca(ModelDocument& document, const KernelPcaModel& model) {
  store_kernel(document, "kernel", model.kernel);
  document.set_number("total_variance", model.total_variance);
  document.set_number("grand_mean", model.centring.grand_mean);
  document.set_numbers("row_means", model.centring.row_means);
  document.set_numbers("eigenvalues", model.eigenvalues);
  store_examples(document, "examples", model.examples);
  if (!model.eigenvalues.empty()) {
    store_matrix(document, "coefficients", model.coefficients);
  }
}

KernelPcaModel kernel_pca_of(ModelDocument document) {
  KernelPcaModel model;
  model.kernel = load_kernel(document, "kernel");
  model.total_variance = document.number("total_variance");
  model.centring.grand_mean = document.number("grand_mean");
  model.centring.row_means = document.numbers("row_means");
  model.eigenvalues = document.numbers("eigenvalues");
  demand_finite(document, "row_means", model.centring.row_means);
  demand_finite(document, "eigenvalues", model.eigenvalues);
  model.examples = load_examples(document, "examples");
  const std::size_t n = model.examples.rows();
  demand(n > 0 && model.centring.row_means.size() == n,
         document,
         "row_means",
         "must have one number a training point");
  if (model.eigenvalues.empty()) {
    model.coefficients = DenseMatrix(0, n);
  } else {
    model.coefficients = load_matrix(document, "coefficients", model.eigenvalues.size(), n);
  }
  return model;
}

}  // namespace maxmargin
