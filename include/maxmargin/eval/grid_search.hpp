// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/splits.hpp"
#include "maxmargin/eval/learner.hpp"
#include "maxmargin/metric/registry.hpp"

/// Grids of parameter values, and the search for the best of them by cross-validation.
namespace maxmargin {

/// One parameter and the values it takes, as text: numbers and names (`scale`, `rbf`) alike.
struct GridAxis {
  std::string name = {};
  std::vector<std::string> values = {};
};

/// One choice of a value for every parameter.
class MAXMARGIN_EXPORT GridPoint {
 public:
  using Entry = std::pair<std::string, std::string>;  ///< name and value

  GridPoint() = default;
  explicit GridPoint(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  [[nodiscard]] std::span<const Entry> entries() const noexcept { return entries_; }
  [[nodiscard]] bool has(std::string_view name) const;
  /// Throws InvalidArgument when there is no such parameter.
  [[nodiscard]] const std::string& text(std::string_view name) const;
  /// Throws InvalidArgument when there is no such parameter or its value is not a finite number.
  [[nodiscard]] double number(std::string_view name) const;
  /// "C=1;gamma=0.1": reads back through parse_grid.
  [[nodiscard]] std::string describe() const;

  [[nodiscard]] bool operator==(const GridPoint& other) const = default;

 private:
  std::vector<Entry> entries_;
};

/// The product of the axes. Points are numbered with the last axis running fastest.
class MAXMARGIN_EXPORT Grid {
 public:
  /// Throws InvalidArgument for an axis without a name or values, an empty value, a name given
  /// twice, or a value given twice on an axis (1 and 1.0 are the same). No axis at all is a grid of
  /// one point without parameters.
  explicit Grid(std::vector<GridAxis> axes);

  [[nodiscard]] std::span<const GridAxis> axes() const noexcept { return axes_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Throws InvalidArgument unless index < size().
  [[nodiscard]] GridPoint point(std::size_t index) const;

 private:
  std::vector<GridAxis> axes_;
  std::size_t size_ = 1;
};

/// Reads `C=0.1,1,10;gamma=0.01,0.1`: axes parted by semicolons, values by commas, blanks around
/// them ignored. Throws InvalidArgument that quotes the part at fault.
[[nodiscard]] MAXMARGIN_EXPORT Grid parse_grid(std::string_view text);

/// A learner with parameters: trains on `train` as the point says and predicts `test`. Same rules
/// as FoldLearner.
using GridLearner = std::function<Predictions(
    const GridPoint&, const Dataset& train, const Dataset& test, const FoldContext&)>;

/// A learner that trains a path of points at once: they agree in all parameters but one, so it can
/// keep what they share (kernel rows) and start each solve from the last. Answers in the order of
/// the points.
using GridPathLearner = std::function<std::vector<Predictions>(
    std::span<const GridPoint>, const Dataset& train, const Dataset& test, const FoldContext&)>;

/// How the winner is picked among the points that got furthest.
enum class ChoiceRule {
  best,               ///< the best mean; of equal ones the first in grid order
  one_standard_error  ///< the first point in grid order within one standard error of the best
};
template <>
inline constexpr auto names_of<ChoiceRule> = name_table<ChoiceRule>(
    {{"best", ChoiceRule::best}, {"one-se", ChoiceRule::one_standard_error}});
// A mean over fewer folds is no match for one over more (GridResult::folds_defined): a metric that
// is undefined where a learner fails would otherwise reward the failure.

/// What successive halving saves on.
enum class HalvingBudget {
  rows,  ///< early rounds train on part of each fold's training rows and test on all its test rows
  folds  ///< early rounds run the first few folds; later rounds keep those values and add folds
};
template <>
inline constexpr auto names_of<HalvingBudget> =
    name_table<HalvingBudget>({{"rows", HalvingBudget::rows}, {"folds", HalvingBudget::folds}});

/// Successive halving: all points run on a small budget, the best 1/factor of them (rounded up) go
/// on to a budget `factor` times as large, and so on; the last round has the full budget. There are
/// 1 + floor(log(points)/log(factor)) rounds, fewer where the first would get less than
/// `min_train_rows` rows (or one fold). The parts of training rows are nested, drawn with the seed,
/// and hold the classes in proportion.
struct MAXMARGIN_EXPORT SuccessiveHalving {
  double factor = 3;
  HalvingBudget budget = HalvingBudget::rows;
  std::size_t min_train_rows = 50;

  void describe(OptionVisitor& visit);
};

struct MAXMARGIN_EXPORT GridSearchOptions {
  /// Threads: trainings run side by side. Callback: asked before the first training and after each;
  /// its answer may end the search between trainings (a time limit, Ctrl-C).
  Context context = {};
  ChoiceRule rule = ChoiceRule::best;
  /// Try only this many points, drawn with the seed (`random:N`); all when not fewer than there
  /// are.
  std::optional<std::size_t> random_points = std::nullopt;
  std::optional<SuccessiveHalving> halving = std::nullopt;

  /// Options search and one-se.
  void describe(OptionVisitor& visit);
};

/// What is known about one point: always the last round it finished, never half of one.
struct GridResult {
  std::size_t index = 0;  ///< in the grid
  GridPoint point = {};
  /// By fold; NaN where undefined or not run.
  std::vector<double> of_fold = {};
  double mean = 0;            ///< over the folds that have a value; NaN without any
  double standard_error = 0;  ///< NaN for fewer than two values
  std::size_t rounds = 0;     ///< rounds finished; 1 is all there is without halving
  double train_share = 0;     ///< share of the training rows in that round
  std::size_t folds_run = 0;  ///< folds known after that round
  /// Folds that have a value. Points are compared by this number first, the larger the better, and
  /// by their means only when it is the same.
  std::size_t folds_defined = 0;
};

struct GridSearch {
  /// In grid order.
  std::vector<GridResult> results = {};
  /// Index into results; empty when no point finished a round, or none has a value.
  std::optional<std::size_t> chosen = std::nullopt;
  std::size_t trainings = 0;
  /// `solved` when the search went to its end; otherwise how the callback ended it.
  Status status = Status::solved;
};

/// Cross-validates the learner at the points of the grid. All points see the same folds and the
/// same seeds. Trainings run in parallel from a fixed list, point by point, fold by fold; one that
/// its learner calls unfinished counts as not run.
/// Throws as cross_validate does; of several exceptions of the learner the one of the first
/// training in the list.
[[nodiscard]] MAXMARGIN_EXPORT GridSearch grid_search(const Dataset& data,
                                                      std::span<const Fold> folds,
                                                      const Grid& grid,
                                                      const GridLearner& learner,
                                                      const Metric& metric,
                                                      const GridSearchOptions& options = {});

/// The same for a path learner: points that agree in all parameters but `path_parameter` go to one
/// call, in grid order. A grid without that parameter has paths of one point.
[[nodiscard]] MAXMARGIN_EXPORT GridSearch grid_search_paths(const Dataset& data,
                                                            std::span<const Fold> folds,
                                                            const Grid& grid,
                                                            std::string_view path_parameter,
                                                            const GridPathLearner& learner,
                                                            const Metric& metric,
                                                            const GridSearchOptions& options = {});

}  // namespace maxmargin
