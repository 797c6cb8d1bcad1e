// SPDX-License-Identifier: Apache-2.0
#include "learner/data_checks.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <variant>

#include "learner/feature_checks.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin::learning {

namespace {

void check_length(const Dataset& data, std::size_t found, const char* what) {
  if (found == 0 || found == data.size()) return;
  throw InvalidArgument(name_of(data) + " has " + std::to_string(found) + " " + what + ", but " +
                        std::to_string(data.size()) + " rows");
}

void check_weights(const Dataset& data) {
  for (std::size_t i = 0; i < data.weights.size(); ++i) {
    const double weight = data.weights[i];
    if (std::isfinite(weight) && weight >= 0) continue;
    throw InvalidArgument(name_of(data) + ": the weight of row " + std::to_string(i + 1) + " is " +
                          format_number(weight) + ", must be finite and >= 0");
  }
}

void check_features_finite(const Dataset& data) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    data.examples.row(i).for_each([&](std::size_t j, double value) {
      if (std::isfinite(value)) return;
      throw InvalidArgument(name_of(data) + ": feature " + std::to_string(j + 1) + " of row " +
                            std::to_string(i + 1) + " is " + format_number(value) +
                            ", must be finite");
    });
  }
}

/// The examples are numbers of the matrix's rows.
void check_kernel_rows(const Dataset& data, const DenseMatrix& kernel) {
  if (data.features() != 1) {
    throw InvalidArgument(name_of(data) + " has a kernel matrix and " +
                          std::to_string(data.features()) +
                          " features, must have one: the number of its row there");
  }
  const auto rows = static_cast<double>(kernel.rows());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double row = data.examples.row(i).at(0);
    if (row >= 0 && row < rows && row == std::floor(row)) continue;
    throw InvalidArgument(name_of(data) + ": row " + std::to_string(i + 1) + " is row " +
                          format_number(row) + " of a kernel matrix of " +
                          std::to_string(kernel.rows()) + " rows");
  }
  for (const double value : kernel.values()) {
    if (std::isfinite(value)) continue;
    throw InvalidArgument(name_of(data) + ": a value of the kernel is " + format_number(value) +
                          ", must be finite");
  }
}

}  // namespace

void check_data(const TableData& table) {
  const Dataset& data = table.data;
  check_length(data, data.labels.size(), "labels");
  check_length(data, data.label_sets.size(), "sets of labels");
  check_length(data, data.weights.size(), "weights");
  check_length(data, data.groups.size(), "groups");
  if (table.all_labels)
    check_length(data, table.all_labels->size(), "labels before some were hidden");
  if (!data.feature_names.empty() && data.feature_names.size() != data.features()) {
    throw InvalidArgument(name_of(data) + " has " + std::to_string(data.feature_names.size()) +
                          " names of features, but " + std::to_string(data.features()) +
                          " features");
  }
  check_weights(data);
  check_features_finite(data);
  if (table.kernel_matrix != nullptr) check_kernel_rows(data, *table.kernel_matrix);
}

void check_data(const SequenceCollection& sequences) {
  if (sequences.numbers) sequences.numbers->validate();
}

void check_data(const PartitionCollection& partitions) {
  if (partitions.format == PartitionFormat::pairs) partitions.data.validate();
}

void check_data(const AlignmentData& pairs) {
  pairs.validate();
  // Measures are shown by family; what trains does not look at them.
  if (pairs.families.empty() || pairs.families.size() == pairs.size()) return;
  throw InvalidArgument(name_of(pairs.source) + ": there must be a family for every pair, or none");
}

void check_data(const DnaData& sequences) { validate(sequences); }

const TableData& table_of(const LearnerData& data, const LearnerInfo& info) {
  if (const auto* table = std::get_if<TableData>(&data)) {
    check_data(*table);
    return *table;
  }
  throw InvalidArgument("the learner " + std::string(info.name) + " takes rows of features");
}

std::string asymmetry_of(const DenseMatrix& kernel) {
  double largest = 0;
  for (const double value : kernel.values()) largest = std::max(largest, std::abs(value));
  constexpr double rounding = 1e-6;  // as gram() allows
  for (std::size_t i = 0; i < kernel.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(kernel(i, j) - kernel(j, i)) <= rounding * largest) continue;
      return "is not symmetric: example " + std::to_string(i + 1) + " with example " +
             std::to_string(j + 1) + " is " + format_number(kernel(i, j)) +
             ", the other way round " + format_number(kernel(j, i));
    }
  }
  return {};
}

void check_training_kernel(const TableData& table) {
  if (table.kernel_matrix == nullptr) return;
  const DenseMatrix& kernel = *table.kernel_matrix;
  if (kernel.rows() != kernel.cols()) {
    throw InvalidArgument(name_of(table.data) + " has a kernel matrix of " +
                          std::to_string(kernel.rows()) + " rows and " +
                          std::to_string(kernel.cols()) + " columns, must be square");
  }
  const std::string problem = asymmetry_of(kernel);
  if (!problem.empty()) throw InvalidArgument(name_of(table.data) + " " + problem);
}

void refuse_unused_kernel(const TableData& table, bool is_precomputed) {
  if (table.kernel_matrix == nullptr || is_precomputed) return;
  throw InvalidArgument(name_of(table.data) +
                        " has a kernel matrix, which kernel=precomputed alone takes");
}

std::size_t examples_in(const LearnerData& data) {
  struct Visitor {
    std::size_t operator()(const TableData& table) const { return table.data.size(); }
    std::size_t operator()(const SequenceCollection& sequences) const {
      if (sequences.numbers) return sequences.numbers->size();
      return sequences.text ? sequences.text->size() : 0;
    }
    std::size_t operator()(const PartitionCollection& partitions) const {
      return partitions.format == PartitionFormat::pairs ? partitions.data.size()
                                                         : partitions.documents.size();
    }
    std::size_t operator()(const AlignmentData& pairs) const { return pairs.size(); }
    std::size_t operator()(const DnaData& sequences) const { return sequences.size(); }
  };
  return std::visit(Visitor{}, data);
}

void check_model(const Model& model, const LearnerInfo& info) {
  const std::string_view of = model.learner().info().name;
  if (of == info.name) return;
  throw InvalidArgument("the model is one of " + std::string(of) + ", not of " +
                        std::string(info.name));
}

namespace {

const std::string& source_of(const LearnerData& data) {
  struct Visitor {
    const std::string& operator()(const TableData& table) const { return table.data.source; }
    const std::string& operator()(const PartitionCollection& items) const {
      return items.data.source;
    }
    const std::string& operator()(const AlignmentData& pairs) const { return pairs.source; }
    const std::string& operator()(const DnaData& sequences) const { return sequences.source; }
    const std::string& operator()(const SequenceCollection& sequences) const {
      if (sequences.numbers) return sequences.numbers->source;
      return sequences.text ? sequences.text->source : sequences.path;
    }
  };
  return std::visit(Visitor{}, data);
}

std::optional<std::size_t> features_in(const LearnerData& data) {
  using Count = std::optional<std::size_t>;
  struct Visitor {
    Count operator()(const TableData& table) const {
      if (table.data.holds_strings || table.kernel_matrix != nullptr) return std::nullopt;
      return table.data.features();
    }
    Count operator()(const SequenceCollection& sequences) const {
      return sequences.numbers ? Count(sequences.numbers->features) : std::nullopt;
    }
    Count operator()(const PartitionCollection& items) const {
      return items.format == PartitionFormat::pairs ? Count(items.data.features) : std::nullopt;
    }
    Count operator()(const AlignmentData& /*pairs*/) const { return std::nullopt; }
    Count operator()(const DnaData& /*sequences*/) const { return std::nullopt; }
  };
  return std::visit(Visitor{}, data);
}

}  // namespace

std::string other_count(const Model& model, const LearnerData& data) {
  const std::size_t found = examples_in(data);
  const std::size_t trained = model.header().examples;
  if (trained == 0 || found == trained) return {};
  const char* const unit = std::holds_alternative<TableData>(data)             ? " rows"
                           : std::holds_alternative<SequenceCollection>(data)  ? " sequences"
                           : std::holds_alternative<DnaData>(data)             ? " sequences"
                           : std::holds_alternative<PartitionCollection>(data) ? " documents"
                                                                               : " pairs";
  return name_of(source_of(data)) + " has " + std::to_string(found) + unit + ", the training had " +
         std::to_string(trained);
}

std::string other_features(const LearnerData& data, std::size_t features) {
  const std::optional<std::size_t> found = features_in(data);
  if (!found || *found == features) return {};
  return name_of(source_of(data)) + " has " + std::to_string(*found) + " features, the model " +
         std::to_string(features);
}

}  // namespace maxmargin::learning
