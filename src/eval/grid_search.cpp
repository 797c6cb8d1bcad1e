// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/eval/grid_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/own_values.hpp"
#include "core/parallel.hpp"
#include "eval/fold_evaluator.hpp"
#include "eval/halving_schedule.hpp"
#include "eval/measured.hpp"
#include "eval/task_runner.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

void SuccessiveHalving::describe(OptionVisitor& visit) {
  visit.number(
      {.name = "factor", .help = "each round keeps one in so many points; larger saves more"},
      factor,
      NumberRule{"a finite number > 1", {.least = 1}});
  visit.name({.name = "budget", .help = "what early rounds save on"}, budget);
  visit.whole({.name = "min-train-rows", .help = "rows of the first round at least"},
              min_train_rows,
              {.least = 1});
}

namespace {

/// Which points a search tries, as one text.
class SearchValue final : public OptionValue {
 public:
  explicit SearchValue(GridSearchOptions& options) : options_(options) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override {
    return "grid, halving, or random:N with a whole number N >= 1";
  }
  [[nodiscard]] bool set(std::string_view text) override {
    const bool is_random = text.starts_with(random);
    const std::optional<std::uint64_t> points =
        is_random ? parse_whole(text.substr(random.size())) : std::nullopt;
    const bool is_halving = text == "halving";
    if (is_random ? !points || *points < 1 : !is_halving && text != "grid") return false;
    options_.random_points = points;
    options_.halving = is_halving ? std::optional(SuccessiveHalving{}) : std::nullopt;
    return true;
  }
  [[nodiscard]] bool holds() const override {
    return !options_.random_points || *options_.random_points >= 1;
  }
  [[nodiscard]] OptionScalar scalar() const override {
    if (options_.random_points)
      return std::string(random) + std::to_string(*options_.random_points);
    return std::string(options_.halving ? "halving" : "grid");
  }

 private:
  static constexpr std::string_view random = "random:";
  GridSearchOptions& options_;
};

}  // namespace

void GridSearchOptions::describe(OptionVisitor& visit) {
  SearchValue search(*this);
  visit.option(
      {.name = "search", .help = "points to try: grid, random:N or halving", .value = "KIND"},
      search);
  bool one_se = rule == ChoiceRule::one_standard_error;
  visit.yes_no(
      {.name = "one-se", .help = "take the first point within a standard error of the best"},
      one_se);
  rule = one_se ? ChoiceRule::one_standard_error : ChoiceRule::best;
  visit.check([this] {
    if (halving) validate(*halving);
  });
  visit.threads(context.threads);
}

namespace {

/// Grid indices to try, increasing.
std::vector<std::size_t> points_to_try(const Grid& grid, const GridSearchOptions& options) {
  if (options.random_points && *options.random_points < grid.size()) {
    Rng rng(options.context.seed, "grid search points");
    auto chosen = rng.sample(grid.size(), *options.random_points);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }
  std::vector<std::size_t> all(grid.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The search while it runs.
class Search {
 public:
  Search(const MeasuredFolds& folds,
         std::string_view path_parameter,
         const FoldMeasurer& measurer,
         const GridSearchOptions& options,
         std::vector<Round> rounds,
         std::vector<GridResult> results)
      : folds_(folds),
        path_parameter_(path_parameter),
        measurer_(measurer),
        options_(options),
        rounds_(std::move(rounds)),
        results_(std::move(results)),
        runner_(thread_count(options.context.threads),
                "grid search",
                trainings(),
                options.context.on_progress) {}

  GridSearch run() {
    std::vector<std::size_t> contenders(results_.size());
    std::iota(contenders.begin(), contenders.end(), 0);
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
      if (r > 0) keep_best(contenders, rounds_[r].points);
      if (!run_round(rounds_[r], contenders)) break;
    }
    return {.results = results_,
            .chosen = choose(),
            .trainings = static_cast<std::size_t>(runner_.finished()),
            .status = runner_.status()};
  }

 private:
  [[nodiscard]] std::size_t trainings() const {
    std::size_t sum = 0;
    for (const Round& round : rounds_) {
      sum += checked_multiply(round.points, round.end_fold - round.first_fold);
    }
    return sum;
  }

  /// Training rows of each fold of the round, increasing.
  [[nodiscard]] std::vector<std::vector<std::size_t>> training_rows(const Round& round) const {
    std::vector<std::vector<std::size_t>> rows(round.end_fold);
    for (std::size_t f = round.first_fold; f < round.end_fold; ++f) {
      rows[f] = folds_.folds[f].train;
      if (round.train_share == 1) continue;
      const auto count = static_cast<std::size_t>(
          std::lround(round.train_share * static_cast<double>(rows[f].size())));
      const std::uint64_t seed = derive_seed(options_.context.seed, "grid search rows", f);
      rows[f] = stratified_order(rows[f], folds_.classes, seed);
      rows[f].resize(std::max<std::size_t>(1, count));
      std::sort(rows[f].begin(), rows[f].end());
    }
    return rows;
  }

  /// The contenders (positions in their list) by path, each in grid order, by first member.
  [[nodiscard]] std::vector<std::vector<std::size_t>> paths_of(
      std::span<const std::size_t> contenders) const {
    std::vector<std::vector<std::size_t>> paths;
    std::map<std::vector<GridPoint::Entry>, std::size_t> path_of;
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      const auto entries = results_[contenders[c]].point.entries();
      std::vector<GridPoint::Entry> shared(entries.begin(), entries.end());
      std::erase_if(shared, [&](const auto& entry) { return entry.first == path_parameter_; });
      const auto [place, is_new] = path_of.try_emplace(std::move(shared), paths.size());
      if (is_new) paths.emplace_back();
      paths[place->second].push_back(c);
    }
    return paths;
  }

  /// Runs the contenders' folds and records the points that finished; false when some did not.
  bool run_round(const Round& round, std::span<const std::size_t> contenders) {
    const auto rows = training_rows(round);
    const std::size_t folds = round.end_fold - round.first_fold;
    const auto paths = paths_of(contenders);
    std::vector<double> values(contenders.size() * folds);
    std::vector<char> done(values.size(), 0);
    runner_.run(paths.size() * folds, [&](std::size_t task) {
      const std::size_t fold = round.first_fold + task % folds;
      const std::vector<std::size_t>& path = paths[task / folds];
      std::vector<GridPoint> points;
      points.reserve(path.size());
      for (const std::size_t c : path) points.push_back(results_[contenders[c]].point);
      const std::vector<std::optional<double>> found = measurer_(points, fold, rows[fold]);
      std::size_t finished = 0;
      for (std::size_t i = 0; i < path.size(); ++i) {
        if (!found[i]) continue;
        const std::size_t slot = path[i] * folds + task % folds;
        values[slot] = *found[i];
        done[slot] = 1;
        ++finished;
      }
      return finished;
    });
    bool all_done = true;
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      const auto of_point = std::span(done).subspan(c * folds, folds);
      if (std::count(of_point.begin(), of_point.end(), 0) > 0) {
        all_done = false;
        continue;
      }
      record(results_[contenders[c]], round, std::span(values).subspan(c * folds, folds));
    }
    return all_done;
  }

  static void record(GridResult& result, const Round& round, std::span<const double> values) {
    std::copy(
        values.begin(), values.end(), std::span(result.of_fold).subspan(round.first_fold).begin());
    const FoldSummary summary = summarise_folds(result.of_fold);
    result.mean = summary.mean;
    result.standard_error = summary.standard_error;
    result.folds_defined = summary.defined;
    ++result.rounds;
    result.train_share = round.train_share;
    result.folds_run = round.end_fold;
  }

  /// Means over different folds cannot be compared: the point with a value on more folds wins.
  [[nodiscard]] bool wins(const GridResult& a, const GridResult& b) const {
    if (a.folds_defined != b.folds_defined) return a.folds_defined > b.folds_defined;
    return better(a.mean, b.mean);
  }
  [[nodiscard]] bool better(double a, double b) const {
    return Metric{.larger_is_better = folds_.larger_is_better}.better(a, b);
  }

  /// The best `count` contenders, in grid order.
  void keep_best(std::vector<std::size_t>& contenders, std::size_t count) const {
    std::stable_sort(contenders.begin(), contenders.end(), [&](std::size_t a, std::size_t b) {
      return wins(results_[a], results_[b]);
    });
    contenders.resize(std::min(count, contenders.size()));
    std::sort(contenders.begin(), contenders.end());
  }

  [[nodiscard]] std::optional<std::size_t> choose() const {
    std::size_t furthest = 1;
    for (const GridResult& result : results_) furthest = std::max(furthest, result.rounds);
    const auto eligible = [&](const GridResult& result) {
      return result.rounds == furthest && !std::isnan(result.mean);
    };
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (!eligible(results_[i])) continue;
      if (!best || wins(results_[i], results_[*best])) best = i;
    }
    if (!best || options_.rule == ChoiceRule::best) return best;
    const double error = results_[*best].standard_error;
    if (std::isnan(error)) return best;
    const double border = results_[*best].mean + (folds_.larger_is_better ? -error : error);
    for (std::size_t i = 0; i < *best; ++i) {
      const GridResult& result = results_[i];
      const bool comparable = result.folds_defined == results_[*best].folds_defined;
      if (eligible(result) && comparable && !better(border, result.mean)) return i;
    }
    return best;
  }

  const MeasuredFolds& folds_;
  std::string_view path_parameter_;
  const FoldMeasurer& measurer_;
  const GridSearchOptions& options_;
  std::vector<Round> rounds_;
  std::vector<GridResult> results_;
  TaskRunner runner_;
};

}  // namespace

GridSearch grid_search(const Dataset& data,
                       std::span<const Fold> folds,
                       const Grid& grid,
                       const GridLearner& learner,
                       const Metric& metric,
                       const GridSearchOptions& options) {
  require(static_cast<bool>(learner), "the learner is empty");
  const GridPathLearner by_points = [&](std::span<const GridPoint> points,
                                        const Dataset& train,
                                        const Dataset& test,
                                        const FoldContext& context) {
    std::vector<Predictions> predictions;
    for (const GridPoint& point : points) {
      predictions.push_back(learner(point, train, test, context));
    }
    return predictions;
  };
  // No parameter has the empty name: every point is a path of its own.
  return grid_search_paths(data, folds, grid, {}, by_points, metric, options);
}

GridSearch grid_search_paths(const Dataset& data,
                             std::span<const Fold> folds,
                             const Grid& grid,
                             std::string_view path_parameter,
                             const GridPathLearner& learner,
                             const Metric& metric,
                             const GridSearchOptions& options) {
  require(static_cast<bool>(learner), "the learner is empty");
  const FoldEvaluator evaluator("grid_search", data, folds, metric, options.context.seed);
  const FoldMeasurer measurer = [&](std::span<const GridPoint> points,
                                    std::size_t fold,
                                    std::span<const std::size_t> train_rows) {
    const std::vector<Predictions> predictions = evaluator.predict_many(
        fold,
        train_rows,
        points.size(),
        [&](const Dataset& train, const Dataset& test, const FoldContext& context) {
          return learner(points, train, test, context);
        });
    std::vector<std::optional<double>> values(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (predictions[i].unfinished) continue;
      values[i] = evaluator.measure(evaluator.folds()[fold].test, predictions[i]);
    }
    return values;
  };
  return grid_search_measured({.folds = folds,
                               .classes = evaluator.class_of_row(),
                               .larger_is_better = metric.larger_is_better},
                              grid,
                              path_parameter,
                              measurer,
                              options);
}

GridSearch grid_search_measured(const MeasuredFolds& folds,
                                const Grid& grid,
                                std::string_view path_parameter,
                                const FoldMeasurer& measurer,
                                const GridSearchOptions& options) {
  validate(options);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<GridResult> results;
  for (const std::size_t index : points_to_try(grid, options)) {
    results.push_back({.index = index,
                       .point = grid.point(index),
                       .of_fold = std::vector<double>(folds.folds.size(), nan),
                       .mean = nan,
                       .standard_error = nan});
  }
  auto rounds = make_rounds(options, results.size(), folds.folds);
  return Search(folds, path_parameter, measurer, options, std::move(rounds), std::move(results))
      .run();
}

}  // namespace maxmargin
