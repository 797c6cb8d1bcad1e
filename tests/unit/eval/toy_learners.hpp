// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/eval/learner.hpp"

/// Learners small enough to check by hand.
namespace maxmargin::toy {

/// Two clouds in the plane around (-1, 0) and (1, 0), labels -1 and 1.
inline Dataset two_clouds(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix points(n, 2);
  std::vector<double> labels(n);
  for (std::size_t i = 0; i < n; ++i) {
    labels[i] = i % 2 == 0 ? -1 : 1;
    points(i, 0) = rng.normal(labels[i], 1);
    points(i, 1) = rng.normal();
  }
  return {.examples = std::move(points), .labels = LabelColumn::from_numbers(std::move(labels))};
}

/// Class index of each training row among the classes of the whole data set; -1 unlabelled.
inline std::vector<std::int32_t> class_indices(const Dataset& train, const FoldContext& context) {
  std::vector<std::int32_t> indices;
  for (std::size_t i = 0; i < train.size(); ++i) {
    const auto label = train.labels.at(i);
    indices.push_back(label ? find_class(context.class_names, *label).value() : -1);
  }
  return indices;
}

inline Predictions majority_class(const Dataset& train,
                                  const Dataset& test,
                                  const FoldContext& context) {
  std::vector<std::size_t> counts(context.class_names.size());
  for (const std::int32_t c : class_indices(train, context)) {
    if (c >= 0) ++counts[static_cast<std::size_t>(c)];
  }
  std::size_t largest = 0;
  for (std::size_t c = 1; c < counts.size(); ++c) {
    if (counts[c] > counts[largest]) largest = c;
  }
  return {.labels = std::vector<std::int32_t>(test.size(), static_cast<std::int32_t>(largest))};
}

/// Labels by the nearest class mean; scores are the difference of squared distances (two classes).
/// `shrink` in [0, 1] pulls the means towards 0: 1 makes them all equal.
inline Predictions nearest_centroid(const Dataset& train,
                                    const Dataset& test,
                                    const FoldContext& context,
                                    double shrink = 0) {
  const std::size_t classes = context.class_names.size();
  std::vector<std::vector<double>> means(classes, std::vector<double>(train.features(), 0.0));
  std::vector<double> counts(classes, 0.0);
  const auto indices = class_indices(train, context);
  for (std::size_t i = 0; i < train.size(); ++i) {
    if (indices[i] < 0) continue;
    const auto c = static_cast<std::size_t>(indices[i]);
    train.examples.row(i).axpy_into(1 - shrink, means[c]);
    ++counts[c];
  }
  for (std::size_t c = 0; c < classes; ++c) {
    for (double& value : means[c]) value /= counts[c];
  }
  Predictions predictions;
  for (std::size_t i = 0; i < test.size(); ++i) {
    std::size_t nearest = 0;
    std::vector<double> distances;
    for (std::size_t c = 0; c < classes; ++c) {
      distances.push_back(counts[c] > 0 ? test.examples.row(i).squared_distance(Row(means[c]))
                                        : std::numeric_limits<double>::infinity());
      if (distances[c] < distances[nearest]) nearest = c;
    }
    predictions.labels.push_back(static_cast<std::int32_t>(nearest));
    if (classes == 2) predictions.scores.push_back(distances[0] - distances[1]);
  }
  return predictions;
}

inline Predictions centroid_learner(const Dataset& train,
                                    const Dataset& test,
                                    const FoldContext& context) {
  return nearest_centroid(train, test, context);
}

}  // namespace maxmargin::toy
