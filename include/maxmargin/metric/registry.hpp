// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// The metrics by name, for the command line, for tuning and for help pages: one table for all.
/// Metrics that need more than truth and prediction (kernel sums of squares, silhouettes,
/// transductive error, significance tests) are functions of their own headers alone.
namespace maxmargin {

/// What a metric compares with the truth.
enum class MetricInput {
  labels,         ///< predicted classes
  scores,         ///< a real score a row, larger for class 1 (two classes)
  probabilities,  ///< a probability a row and class
  targets,        ///< real predictions of real targets
  clusters        ///< cluster numbers
};
template <>
inline constexpr auto names_of<MetricInput> =
    name_table<MetricInput>({{"labels", MetricInput::labels},
                             {"scores", MetricInput::scores},
                             {"probabilities", MetricInput::probabilities},
                             {"targets", MetricInput::targets},
                             {"clusters", MetricInput::clusters}});

/// Truth and predictions of the same rows. Only the parts a metric's input names need be there.
struct Outcome {
  /// Class index of each row, -1 unlabelled: the truth of all inputs but targets.
  std::span<const std::int32_t> truth = {};
  /// Number of classes; 0: as many as the largest index asks for.
  std::size_t classes = 0;
  /// Predicted class (labels) or cluster number (clusters) of each row; -1: no answer or outlier.
  std::span<const std::int32_t> predicted = {};
  std::span<const double> scores = {};
  DenseView probabilities = {};
  /// Real truth, NaN unlabelled.
  std::span<const double> targets = {};
  std::span<const double> predicted_targets = {};
  /// Empty, or the weight of each row. Metrics of clusters do not use them.
  std::span<const double> weights = {};
};

struct Metric {
  std::string name = {};
  MetricInput input = MetricInput::labels;
  bool larger_is_better = true;
  /// One line for help pages, without a full stop.
  std::string description = {};
  /// NaN: undefined for these rows. Throws InvalidArgument as the underlying function does.
  std::function<double(const Outcome&)> value = {};

  /// Whether value a is better than b; a number is better than NaN, NaN better than nothing.
  [[nodiscard]] bool better(double a, double b) const noexcept {
    if (a != a) return false;
    return b != b || (larger_is_better ? a > b : a < b);
  }
};

/// All metrics, in the order of the help page.
[[nodiscard]] MAXMARGIN_EXPORT std::span<const Metric> all_metrics();

/// The metric of that name. Throws InvalidArgument with the list of names for an unknown one.
[[nodiscard]] MAXMARGIN_EXPORT const Metric& metric_by_name(std::string_view name);

}  // namespace maxmargin
