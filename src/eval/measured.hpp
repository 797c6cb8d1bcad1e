// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "maxmargin/data/splits.hpp"
#include "maxmargin/eval/cross_validation.hpp"
#include "maxmargin/eval/grid_search.hpp"

/// Cross-validation and search over examples of any kind (rows, documents, bags): what is done
/// with a fold is a function of example numbers.
namespace maxmargin {

/// Trains on some examples at every one of the points, and measures on the fold's test examples: a
/// value for each point, NaN where the measure is undefined, nothing where the training was
/// stopped. Called from several threads at once.
using FoldMeasurer = std::function<std::vector<std::optional<double>>(
    std::span<const GridPoint> points, std::size_t fold, std::span<const std::size_t> train)>;

struct MeasuredFolds {
  std::span<const Fold> folds = {};
  /// Of each example, -1 unlabelled: parts of training examples hold classes in proportion. Empty:
  /// there are none.
  std::span<const std::int32_t> classes = {};
  bool larger_is_better = true;
};

/// The measure at one point without parameters; nothing is pooled.
[[nodiscard]] CrossValidation cross_validate_measured(const MeasuredFolds& folds,
                                                      const FoldMeasurer& measurer,
                                                      const CrossValidationOptions& options);

/// As grid_search_paths: points that agree in all but `path_parameter` go to one call; none has the
/// empty name.
[[nodiscard]] GridSearch grid_search_measured(const MeasuredFolds& folds,
                                              const Grid& grid,
                                              std::string_view path_parameter,
                                              const FoldMeasurer& measurer,
                                              const GridSearchOptions& options);

}  // namespace maxmargin
