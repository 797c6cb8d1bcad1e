// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// What the tool can run. A new method or model is one entry here: commands, help and completion
/// find it by its name.
namespace maxmargin::tool {

/// What a clustering method hands back.
struct ClusterAnswer {
  std::vector<std::int32_t> labels = {};
  SolveReport report = {};
  /// Measures only the method knows, shown first.
  std::vector<std::pair<std::string, std::optional<double>>> metrics = {};
  /// Named objects for the report, such as what a relaxation found.
  std::vector<std::pair<std::string, ReportFields>> objects = {};
  /// How far a recomputed objective may be off beyond its own digits: what rounding leaves of it
  /// where it is a difference of larger numbers.
  double objective_doubt = 0;
  /// The method's options as used.
  ReportFields options = {};
  /// For `predict`; empty when the method has no rule for new points.
  std::optional<ModelDocument> model = std::nullopt;
  /// The kernel as used, its width resolved; unset for methods of the input space. Measures in
  /// feature space (kernel_sse, silhouette) are taken with it.
  std::optional<Kernel> kernel = std::nullopt;
  /// What was recorded at every iteration of the best run: one named column each, of equal length.
  std::vector<std::pair<std::string, std::vector<double>>> trace = {};
};

struct ClusterMethod {
  std::string_view name;
  std::string_view summary;
  /// Long names of the options that only some methods take, of those this one takes.
  std::span<const std::string_view> options;
  ClusterAnswer (*run)(const Dataset& data, const Arguments& arguments, ProgressCallback progress);
  /// Recomputes the objective of `labels` from the model with code the method does not share.
  double (*objective)(const Dataset& data,
                      std::span<const std::int32_t> labels,
                      const ModelDocument& model);
  /// Whether -k is taken; a method that finds the number by itself refuses it.
  bool takes_clusters = true;
};

/// All methods, in the order help shows them.
[[nodiscard]] std::span<const ClusterMethod> cluster_methods();
/// The method that --method names. Throws UsageError, with the nearest name, when there is none.
[[nodiscard]] const ClusterMethod& find_cluster_method(const Arguments& arguments);

/// What a model answers for new examples.
struct Prediction {
  /// Cluster of each row; -1 is an outlier.
  std::vector<std::int32_t> clusters = {};
  /// One row an example, one column a cluster, where the model has them (mixtures).
  std::optional<DenseMatrix> probabilities = std::nullopt;
};

/// A kind of model file, by the learner's name in it.
struct ModelKind {
  std::string_view learner;
  /// Number of features it was trained on.
  std::size_t (*features)(const ModelDocument& model);
  Prediction (*predict)(const ModelDocument& model,
                        const Dataset& data,
                        std::optional<std::size_t> threads);
  /// The points that hold the model up, one a row, for pictures; nullptr: it has none.
  Examples (*support_vectors)(const ModelDocument& model) = nullptr;
};

/// Throws ModelFormatError when the model is of a kind this tool cannot apply.
[[nodiscard]] const ModelKind& find_model_kind(const ModelDocument& model);

}  // namespace maxmargin::tool
