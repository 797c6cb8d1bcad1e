// SPDX-License-Identifier: Apache-2.0
// Rankings whose relevant rows come first in a hidden order: docs/algorithms/ranking.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/model/structured/rank.hpp"
#include "maxmargin/structured/latent_training.hpp"
#include "maxmargin/structured/tasks/precision_at_k.hpp"
#include "ranking_cases.hpp"

namespace maxmargin {
namespace {

using testing::random_ranking;
using testing::RankingCase;

Dataset dataset(const RankingCase& source) {
  Dataset data;
  data.examples = source.sparse;
  data.labels = LabelColumn::from_numbers(source.queries.grades);
  for (std::size_t q = 0; q < source.queries.size(); ++q) {
    const std::size_t rows = source.queries.begins[q + 1] - source.queries.begins[q];
    data.groups.insert(data.groups.end(), rows, static_cast<std::int64_t>(q));
  }
  return data;
}

/// Queries of 6 to 17 rows and three grades.
Dataset queries(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> lengths;
  for (std::size_t q = 0; q < count; ++q) lengths.push_back(6 + (5 * q + seed) % 12);
  return dataset(random_ranking(lengths, 5, 3, seed));
}

RankOptions latent(std::uint64_t k, double c, RankStart start = RankStart::classifier) {
  RankOptions options{.loss = RankLoss::precision_at_k, .k = k, .latent = true, .start = start};
  options.solving.c = c;
  options.solving.context.threads = 1;
  return options;
}

std::vector<double> weights_of(const TrainedRanking& trained) {
  const auto& values = std::get<LinearFunctions>(trained.model.function).weights.values();
  return {values.begin(), values.end()};
}

/// All queries, with the task and the means of latent machines.
double objective_by_task(const Dataset& data,
                         const RankOptions& options,
                         const std::vector<double>& w) {
  const Queries all = queries_of(data);
  const PrecisionAtKTask task(data.features(), *options.k);
  std::vector<std::vector<Row>> inputs;
  std::vector<TopRows> truths;
  for (std::size_t q = 0; q < all.size(); ++q) {
    std::vector<Row>& rows = inputs.emplace_back();
    std::vector<std::uint8_t> relevant;
    for (std::size_t i = all.begins[q]; i < all.begins[q + 1]; ++i) {
      rows.push_back(data.examples.row(i));
      relevant.push_back(all.grades[i] >= options.relevant_from ? 1 : 0);
    }
    truths.push_back(task.truth_of(relevant));
  }
  return latent_objective<PrecisionAtKTask>(task, inputs, truths, {}, options.solving.c, w);
}

// Who stops the training of the weights to begin with is not asked again by the search.
TEST(RankSearch, AStopOfTheFirstTrainingEndsIt) {
  const Dataset data = queries(20, 3);
  for (const RankStart start : {RankStart::classifier, RankStart::pairs}) {
    RankOptions options = latent(3, 5, start);
    bool was_asked = false;
    options.solving.context.on_progress = [&](const Progress&) {
      return std::exchange(was_asked, true) ? Continue::yes : Continue::time_is_up;
    };
    const TrainedRanking trained = train_rank(data, options);
    EXPECT_EQ(trained.report.status, Status::time_limit);
    EXPECT_FALSE(trained.report.primal_objective.has_value());
    ASSERT_TRUE(trained.search.has_value());
    EXPECT_TRUE(trained.search->trace.empty());
    EXPECT_EQ(weights_of(trained).size(), data.features());
  }
}

TEST(RankSearch, AFirstTrainingThatDoesNotEndIsSaid) {
  const Dataset data = queries(20, 3);
  RankOptions options = latent(3, 5);
  options.solving.tolerance = 1e-9;
  options.solving.max_passes = 1;
  const auto& warnings = train_rank(data, options).report.warnings;
  const auto says = [](const std::string& text) {
    return text.find("weights to begin with") != std::string::npos;
  };
  EXPECT_TRUE(std::ranges::any_of(warnings, says));
  options.start = RankStart::random;
  const auto others = train_rank(data, options).report.warnings;
  EXPECT_TRUE(std::ranges::none_of(others, says));
}

/// Fact 50: from any start, by any solver, the objective falls and is what three computations say.
TEST(RankSearch, ObjectiveNeverRisesAndIsTheOneReported) {
  const Dataset data = queries(20, 3);
  for (const std::uint64_t k : {1U, 3U, 8U}) {
    for (const RankStart start : {RankStart::classifier, RankStart::pairs, RankStart::random}) {
      for (const StructuralMethod method : {StructuralMethod::block_frank_wolfe,
                                            StructuralMethod::one_slack,
                                            StructuralMethod::n_slack,
                                            StructuralMethod::subgradient}) {
        RankOptions options = latent(k, 2, start);
        options.method = method;
        const TrainedRanking trained = train_rank(data, options);
        SCOPED_TRACE(std::string(to_string(method)) + " from " + std::string(to_string(start)) +
                     ", k = " + std::to_string(k));
        EXPECT_EQ(trained.report.status, Status::local_optimum);
        const double value = trained.report.primal_objective.value();
        ASSERT_TRUE(trained.search);
        double before = trained.start_objective.value_or(INFINITY);
        EXPECT_EQ(trained.start_objective.has_value(), start != RankStart::random);
        for (const LatentStep& step : trained.search->trace) {
          EXPECT_LE(step.objective, before);
          before = step.objective;
        }
        // Equal to the digit but where no step was taken, as the start is another computation.
        EXPECT_NEAR(before, value, trained.search->trace.empty() ? 1e-9 * value : 0);
        EXPECT_NEAR(rank_objective(data, options, trained.model), value, 1e-9 * value);
        EXPECT_NEAR(objective_by_task(data, options, weights_of(trained)), value, 1e-9 * value);
        EXPECT_LE(trained.report.lower_bound.value_or(0), value);
      }
    }
  }
}

/// The loss bounds what is missing of the best precision at k, also where k is not the number of
/// relevant rows, which the loss of tables does not do.
TEST(RankSearch, ObjectiveBoundsTheMissingPrecision) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const Dataset data = queries(15, seed);
    const Queries all = queries_of(data);
    for (const std::uint64_t k : {1U, 3U, 8U}) {
      const RankOptions options = latent(k, 0.5);
      const TrainedRanking trained = train_rank(data, options);
      const std::vector<double> w = weights_of(trained);
      const PrecisionAtKTask task(data.features(), k);
      double missing = 0;
      double squares = 0;
      for (const double x : w) squares += x * x;
      for (std::size_t q = 0; q < all.size(); ++q) {
        std::vector<Row> rows;
        std::vector<std::uint8_t> relevant;
        for (std::size_t i = all.begins[q]; i < all.begins[q + 1]; ++i) {
          rows.push_back(data.examples.row(i));
          relevant.push_back(all.grades[i] >= 1 ? 1 : 0);
        }
        missing += task.loss(task.truth_of(relevant), task.predict(rows, w));
      }
      EXPECT_LE(0.5 * squares + 0.5 * missing, *trained.report.primal_objective * (1 + 1e-9));
    }
  }
}

/// Queries without relevant rows, of relevant rows alone, of k rows or fewer and of weight 0 are
/// as if they were not there.
TEST(RankSearch, QueriesThatSayNothingAreLeftOut) {
  const RankOptions options = latent(3, 2, RankStart::random);
  const Dataset plain = queries(12, 5);
  RankingCase more = random_ranking({9, 7, 2, 3, 8}, 5, 2, 6);
  std::ranges::fill(more.queries.grades.begin(), more.queries.grades.begin() + 9, 0.0);
  std::ranges::fill(more.queries.grades.begin() + 9, more.queries.grades.begin() + 16, 2.0);
  const Dataset rest = dataset(more);
  Dataset both;
  DenseMatrix rows(plain.size() + rest.size(), 5);
  std::vector<double> grades;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const bool is_first = i < rest.size();
    const Dataset& from = is_first ? rest : plain;
    const std::size_t at = is_first ? i : i - rest.size();
    from.examples.row(at).axpy_into(1, rows.row(i));
    grades.push_back(from.labels.at(at)->number());
    both.groups.push_back(from.groups[at] + (is_first ? 100 : 0));
    // The last query of the rest has relevant rows, others and 8 of them.
    both.weights.push_back(is_first && at >= 21 ? 0.0 : 1.0);
  }
  both.examples = to_sparse(rows.view());
  both.labels = LabelColumn::from_numbers(grades);
  const TrainedRanking alone = train_rank(plain, options);
  const TrainedRanking with = train_rank(both, options);
  EXPECT_EQ(weights_of(alone), weights_of(with));
  EXPECT_EQ(*alone.report.primal_objective, *with.report.primal_objective);
  // And nothing but them is nothing.
  Dataset nothing = rest;
  nothing.weights.assign(rest.size(), 1.0);
  std::fill(nothing.weights.begin() + 21, nothing.weights.end(), 0.0);
  const TrainedRanking empty = train_rank(nothing, options);
  EXPECT_EQ(*empty.report.primal_objective, 0);
  EXPECT_EQ(weights_of(empty), std::vector<double>(5, 0.0));
  ASSERT_EQ(empty.report.warnings.size(), 1U);
  EXPECT_EQ(rank_objective(nothing, options, empty.model), 0);
}

TEST(RankSearch, QueriesMayWeighTheirRows) {
  Dataset data = queries(10, 7);
  RankOptions options = latent(2, 1, RankStart::pairs);
  options.weight = QueryWeight::size;
  const TrainedRanking by_size = train_rank(data, options);
  EXPECT_NEAR(rank_objective(data, options, by_size.model),
              *by_size.report.primal_objective,
              1e-9 * *by_size.report.primal_objective);
  // Weights of rows do the same by hand.
  const Queries all = queries_of(data);
  for (std::size_t q = 0; q < all.size(); ++q) {
    const std::size_t rows = all.begins[q + 1] - all.begins[q];
    data.weights.insert(data.weights.end(), rows, static_cast<double>(rows));
  }
  options.weight = QueryWeight::one;
  EXPECT_NEAR(rank_objective(data, options, by_size.model),
              *by_size.report.primal_objective,
              1e-9 * *by_size.report.primal_objective);
}

TEST(RankSearch, BeginsWithGivenWeights) {
  const Dataset data = queries(12, 9);
  RankOptions options = latent(2, 2);
  const TrainedRanking first = train_rank(data, options);
  options.start = RankStart::weights;
  options.search.start_weights = weights_of(first);
  const TrainedRanking again = train_rank(data, options);
  EXPECT_NEAR(*again.start_objective,
              *first.report.primal_objective,
              1e-9 * *first.report.primal_objective);
  // From a stationary point nothing is gained but the tolerance.
  EXPECT_GE(*again.report.primal_objective, *first.report.primal_objective * (1 - 1.1e-3));
  options.search.start_weights.pop_back();
  EXPECT_THROW((void)train_rank(data, options), InvalidArgument);
}

TEST(RankSearch, ResumesAndRunsOnThreadsToTheSameBits) {
  const Dataset data = queries(40, 11);
  for (const RankStart start : {RankStart::classifier, RankStart::random}) {
    RankOptions options = latent(3, 10, start);
    options.search.restarts = 2;
    std::vector<StructuralState> states;
    options.solving.on_checkpoint = [&](const std::function<StructuralState()>& state) {
      states.push_back(state());
    };
    const TrainedRanking whole = train_rank(data, options);
    options.solving.on_checkpoint = {};
    ASSERT_EQ(whole.search->runs.size(), 2U);
    ASSERT_GE(states.size(), 3U);
    for (const StructuralState& state : states) {
      const TrainedRanking rest = train_rank(data, options, &state);
      EXPECT_EQ(weights_of(rest), weights_of(whole));
      EXPECT_EQ(rest.oracle_calls, whole.oracle_calls);
    }
    options.solving.context.threads = 3;
    EXPECT_EQ(weights_of(train_rank(data, options)), weights_of(whole));
  }
}

TEST(RankSearch, StopsWithWhatThereIs) {
  const Dataset data = queries(40, 13);
  for (const std::size_t allowed : {0U, 3U, 30U, 100U}) {
    RankOptions options = latent(3, 100);
    options.solving.tolerance = 1e-6;
    std::size_t asked = 0;
    options.solving.context.on_progress = [&](const Progress&) {
      return asked++ < allowed ? Continue::yes : Continue::time_is_up;
    };
    const TrainedRanking found = train_rank(data, options);
    EXPECT_EQ(found.report.status, Status::time_limit) << allowed;
    ASSERT_EQ(weights_of(found).size(), 5U);
    if (!found.report.primal_objective) continue;
    const double value = *found.report.primal_objective;
    options.solving.context = {};
    EXPECT_NEAR(rank_objective(data, options, found.model), value, 1e-9 * value);
  }
}

TEST(RankSearch, WrongOptionsAreNamed) {
  const Dataset data = queries(4, 1);
  const auto problem_of = [&](const RankOptions& options) {
    try {
      (void)train_rank(data, options);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  RankOptions options = latent(3, 1);
  EXPECT_EQ(problem_of(options), "none");
  options.loss = RankLoss::recall_at_k;
  EXPECT_EQ(problem_of(options), "--latent: belongs to --loss precision-at-k");
  options = latent(3, 1);
  options.k.reset();
  EXPECT_EQ(problem_of(options), "--latent: needs -k, as without it no row is hidden");
  options = latent(3, 1);
  options.method = StructuralMethod::mira;
  options.search.cold_start = true;
  EXPECT_EQ(problem_of(options), "--cold-start: --solver mira keeps no planes");
  options = {.start = RankStart::pairs};
  EXPECT_EQ(problem_of(options), "--start: belongs to --latent");
  options = {};
  options.search.restarts = 3;
  EXPECT_EQ(problem_of(options), "--restarts: belongs to --latent");
  options = {};
  options.search.outer_iterations = 3;
  EXPECT_EQ(problem_of(options), "--outer-iterations: belongs to --latent");
  options = {};
  options.search.cold_start = true;
  EXPECT_EQ(problem_of(options), "--cold-start: belongs to --latent");
}

}  // namespace
}  // namespace maxmargin
