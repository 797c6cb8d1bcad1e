// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/label.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// What evaluation asks of a learner: a function from training rows and test rows to predictions.
namespace maxmargin {

/// What a learner says about rows. It fills in what it can; a metric needs the part it is made for
/// (metric/registry.hpp). A part is empty or has one element (or matrix row) for every row.
struct Predictions {
  /// Index into FoldContext::class_names, or a cluster number; -1 for "no answer".
  std::vector<std::int32_t> labels = {};
  /// Two classes: larger means class_names[1].
  std::vector<double> scores = {};
  /// A column for every class of FoldContext::class_names.
  DenseMatrix probabilities = {};
  /// Real predictions.
  std::vector<double> targets = {};
  /// The training was told to stop before its end: these predictions count as not made.
  bool unfinished = false;
};

/// What a learner is told beside the rows.
struct FoldContext {
  std::size_t fold = 0;
  /// For everything random in this fold. The same for all grid points, so that they are compared on
  /// equal terms.
  std::uint64_t seed = 0;
  /// The classes of the whole data set in their order; a training part may lack some of them. Empty
  /// when the metric compares real targets.
  std::span<const Label> class_names = {};
};

/// Trains on `train` and predicts `test`, whose labels are taken away: a learner cannot peek.
/// Called from several threads at once, so it must not share mutable state between calls; a
/// parallel loop inside it runs on the calling thread.
using FoldLearner =
    std::function<Predictions(const Dataset& train, const Dataset& test, const FoldContext&)>;

}  // namespace maxmargin
