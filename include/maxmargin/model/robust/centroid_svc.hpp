// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/output_code.hpp"
#include "maxmargin/model/training.hpp"

/// A machine that asks less of examples far from the centre of their class:
/// docs/algorithms/robust.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT CentroidSvcOptions {
  /// Finite and > 0.
  double c = 1;
  KernelChoice kernel = {};
  /// What is taken off the wanted margin for each unit of squared distance, finite and >= 0; 0 is
  /// the plain machine. Unset: 1/2 of the inverse of the median squared distance, so that the
  /// example in the middle is asked for half a margin.
  std::optional<double> lambda = std::nullopt;
  bool bias = true;
  ClassWeights class_weights = {};
  MulticlassKind multiclass = MulticlassKind::one_vs_one;
  /// The code of `ecoc`; unset: random_code.
  CodeChoice code = {};
  bool allow_indefinite = false;
  bool allow_one_class = false;
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

struct TrainedCentroidClassifier : TrainedClassifier {
  /// As used.
  double lambda = 0;
};

/// Minimises 1/2 |w|^2 + C sum_i weight_i max(0, 1 - lambda d_i - y_i f(x_i)), d_i the squared
/// distance in feature space between example i and the weighted mean of its class. A convex
/// problem: the report carries primal, dual and gap. O(n^2) kernel values for the distances;
/// stopped among them the answer is a constant without objectives.
[[nodiscard]] MAXMARGIN_EXPORT TrainedCentroidClassifier
train_centroid_svc(const Dataset& data, const CentroidSvcOptions& options = {});

/// Squared distance of every row to the mean of its class, each row counting by its weight; classes
/// are numbered from 0 and weights are one a row. 0 for rows of a class without weight.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<double> squared_distances_to_class_centres(
    const Kernel& kernel,
    const Examples& examples,
    std::span<const std::int32_t> classes,
    std::span<const double> weights,
    std::optional<std::size_t> threads = std::nullopt);

}  // namespace maxmargin
