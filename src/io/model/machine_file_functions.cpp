// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "io/model/machine_file_parts.hpp"

/// Decision functions in model files.
namespace maxmargin {

namespace {

std::vector<std::size_t> load_training_rows(const ModelDocument& document, std::size_t vectors) {
  constexpr std::string_view name = "training_rows";
  if (!document.has(name)) return {};
  const std::vector<double>& stored = document.numbers(name);
  demand(stored.size() == vectors, document, name, "must have one number for each vector");
  demand(std::ranges::all_of(stored, is_whole), document, name, "must hold row numbers from 0");
  return {stored.begin(), stored.end()};
}

/// Vectors of a precomputed kernel are numbers of its columns.
void demand_row_numbers(const ModelDocument& document,
                        const Precomputed& kernel,
                        const Examples& vectors) {
  demand(vectors.cols() == 1 || vectors.rows() == 0,
         document,
         "vectors",
         "must have one column, as the kernel is precomputed");
  const auto columns = static_cast<double>(kernel.matrix->cols());
  for (std::size_t i = 0; i < vectors.rows(); ++i) {
    const double number = vectors.row(i).at(0);
    demand(is_whole(number) && number < columns,
           document,
           "vectors",
           "must hold row numbers below kernel.columns, as the kernel is precomputed");
  }
}

std::vector<double> load_offsets(const ModelDocument& document) {
  const std::vector<double>& offsets = document.numbers("offsets");
  demand(!offsets.empty(), document, "offsets", "is empty, must have one number for each function");
  demand_finite(document, "offsets", offsets);
  return offsets;
}

KernelExpansion load_expansion(ModelDocument& document) {
  KernelExpansion expansion;
  expansion.kernel = load_kernel(document, "kernel");
  expansion.offsets = load_offsets(document);
  expansion.vectors = load_examples(document, "vectors");
  if (const auto* kernel = std::get_if<Precomputed>(&expansion.kernel)) {
    demand_row_numbers(document, *kernel, expansion.vectors);
  }
  const std::size_t vectors = expansion.vectors.rows();
  expansion.coefficients = load_matrix(document, "coefficients", vectors, expansion.offsets.size());
  expansion.training_rows = load_training_rows(document, vectors);
  expansion.minus_self = document.has("minus_self") && document.boolean("minus_self");
  return expansion;
}

LinearFunctions load_linear(ModelDocument& document) {
  LinearFunctions functions;
  functions.offsets = load_offsets(document);
  const std::int64_t features = document.integer("features");
  demand(features >= 0, document, "features", "must be >= 0");
  functions.weights = load_matrix(
      document, "weights", functions.offsets.size(), static_cast<std::size_t>(features));
  return functions;
}

}  // namespace

void store_functions(ModelDocument& document, DecisionFunction functions) {
  if (auto* expansion = std::get_if<KernelExpansion>(&functions)) {
    document.set_string("function", "kernel");
    store_kernel(document, "kernel", expansion->kernel);
    if (expansion->minus_self) document.set_boolean("minus_self", true);
    document.set_numbers("offsets", std::move(expansion->offsets));
    if (!expansion->training_rows.empty()) {
      document.set_numbers("training_rows",
                           {expansion->training_rows.begin(), expansion->training_rows.end()});
    }
    store_matrix(document, "coefficients", std::move(expansion->coefficients));
    store_examples(document, "vectors", std::move(expansion->vectors));
  } else {
    auto& linear = std::get<LinearFunctions>(functions);
    document.set_string("function", "linear");
    document.set_integer("features", static_cast<std::int64_t>(linear.weights.cols()));
    document.set_numbers("offsets", std::move(linear.offsets));
    store_matrix(document, "weights", std::move(linear.weights));
  }
}

DecisionFunction load_functions(ModelDocument& document) {
  const std::string& kind = document.string("function");
  if (kind == "kernel") return load_expansion(document);
  if (kind == "linear") return load_linear(document);
  refuse(document, "function", "must be 'kernel' or 'linear'");
}

}  // namespace maxmargin
