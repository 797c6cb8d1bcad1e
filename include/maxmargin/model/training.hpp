// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/label.hpp"

/// What all supervised learners share: when to stop, class weights, and the checks of their data.
namespace maxmargin {

/// When a training stops and what it may use.
struct MAXMARGIN_EXPORT TrainingControl {
  /// Relative duality gap at which each problem is solved; > 0.
  double tolerance = 1e-3;
  /// Steps of the solver; unset: some ten minutes of work, counted.
  std::optional<std::uint64_t> max_iterations = std::nullopt;
  /// Memory limit: bytes for kernel rows and other memory beside the data.
  Context context = {};
  /// Hand back the dual point of machines whose model does not hold it (see DualPoint): a number a
  /// row and function.
  bool keep_dual = false;
  /// Options tolerance and max-iterations; the rest is ambient. `most_iterations`: what stands for
  /// a limit that is not given, in words that live as long as the program.
  void describe(OptionVisitor& visit, std::string_view most_iterations = "10 minutes of work");
};

/// How much each class counts, beside the weights of the examples.
struct MAXMARGIN_EXPORT ClassWeights {
  /// n / (k n_c) for class c, with n_c the weight of its examples.
  bool balanced = false;
  /// Classes that are not named count 1. Not together with `balanced`.
  std::vector<std::pair<Label, double>> by_class = {};
};

/// Reads "balanced" or "label=weight,...". Throws InvalidArgument otherwise.
[[nodiscard]] MAXMARGIN_EXPORT ClassWeights parse_class_weights(std::string_view text);
/// The text that parse_class_weights reads back; empty when all classes count 1.
[[nodiscard]] MAXMARGIN_EXPORT std::string to_string(const ClassWeights& weights);
/// Option class-weight.
MAXMARGIN_EXPORT void describe_class_weights(OptionVisitor& visit, ClassWeights& weights);

/// The labelled side of a training set after its checks.
struct MAXMARGIN_EXPORT ClassificationTask {
  Classes classes = {};
  /// Weight of each row: example weight x class weight. Always one a row.
  std::vector<double> weights = {};
};

/// Checks a training set for a classifier. Throws InvalidArgument, naming the source, without rows,
/// without labels or with an unlabelled row, with label sets, with one class alone (unless
/// allowed), with a class weight that is not finite and >= 0 or names a class that is not there.
[[nodiscard]] MAXMARGIN_EXPORT ClassificationTask classification_task(const Dataset& data,
                                                                      const ClassWeights& weights,
                                                                      bool allow_one_class = false);

/// The same for regression: the numbers of the label column.
struct MAXMARGIN_EXPORT RegressionTask {
  std::vector<double> targets = {};
  std::vector<double> weights = {};
};
[[nodiscard]] MAXMARGIN_EXPORT RegressionTask regression_task(const Dataset& data);

}  // namespace maxmargin
