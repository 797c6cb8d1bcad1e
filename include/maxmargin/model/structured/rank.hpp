// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/problem/structural/ranking_risk.hpp"
#include "maxmargin/solver/structural/latent.hpp"
#include "maxmargin/solver/structural/solution.hpp"

/// Linear rankings of the rows of queries: docs/algorithms/ranking.md.
namespace maxmargin {

/// What is lost when the rows of a query are in a wrong order.
enum class RankLoss {
  pairs,     ///< pairs of different grade in the wrong order
  roc_area,  ///< the same of relevant rows and others: other differences of grades do not count
  error,     ///< wrong signs, of a score that says which rows are relevant
  f1,        ///< 1 - F1 of these signs
  precision_at_k,  ///< what is missing of the precision that the first k rows can have
  recall_at_k      ///< the same of the recall
};
template <>
inline constexpr auto names_of<RankLoss> =
    name_table<RankLoss>({{"pairs", RankLoss::pairs},
                          {"roc-area", RankLoss::roc_area},
                          {"error", RankLoss::error},
                          {"f1", RankLoss::f1},
                          {"precision-at-k", RankLoss::precision_at_k},
                          {"recall-at-k", RankLoss::recall_at_k}});
/// Does the sign of a score say whether a row is relevant?
[[nodiscard]] constexpr bool is_by_sign(RankLoss loss) noexcept {
  return loss == RankLoss::error || loss == RankLoss::f1;
}
/// Does the loss look at a fixed number of rows?
[[nodiscard]] constexpr bool is_by_count(RankLoss loss) noexcept {
  return loss == RankLoss::precision_at_k || loss == RankLoss::recall_at_k;
}

/// The weights that a latent training begins with.
enum class RankStart {
  classifier,  ///< of RankLoss::error: relevant rows against others, queries weighing alike
  pairs,       ///< of RankLoss::pairs
  random,      ///< none: random rows of every query come first
  weights      ///< RankOptions::search.start_weights
};
template <>
inline constexpr auto names_of<RankStart> =
    name_table<RankStart>({{"classifier", RankStart::classifier},
                           {"pairs", RankStart::pairs},
                           {"random", RankStart::random},
                           {"weights", RankStart::weights}});

struct MAXMARGIN_EXPORT RankOptions {
  /// What is minimised and until when. C multiplies the sum of the queries' losses.
  StructuralOptions solving = {};
  StructuralMethod method = StructuralMethod::block_frank_wolfe;
  RankLoss loss = RankLoss::pairs;
  /// As in ContingencyOptions; read by the losses at k alone.
  std::optional<std::uint64_t> k = std::nullopt;
  /// Rows of this grade or more are relevant; pairs do not look at it.
  double relevant_from = 1;
  /// Value of a constant feature, 0: none. Read by the losses of signs alone: it does not change an
  /// order.
  double bias = 1;
  QueryWeight weight = QueryWeight::one;
  /// Of precision_at_k, which needs a k then: which relevant rows come first is hidden
  /// (PrecisionAtKTask). A bound of what is missing, and no convex problem.
  bool latent = false;
  /// Of latent alone, as `search`.
  RankStart start = RankStart::classifier;
  /// Its solving, method, start and measure have no effect; start_weights, one a feature, are those
  /// of RankStart::weights.
  LatentOptions search = {};
  void describe(OptionVisitor& visit);
};

struct TrainedRanking {
  /// One linear function, the score.
  Regressor model = {};
  /// As of the solver; the dual objective bounds the objective of all weights from below.
  SolveReport report = {};
  std::uint64_t oracle_calls = 0;
  /// How many weights were learned.
  std::size_t weights = 0;
  /// Of a latent training: report (again), runs (their measure is the precision at k) and trace; w
  /// is empty, as the model has it.
  std::optional<LatentSolution> search = std::nullopt;
  /// The objective of the weights it began with, unless it began with none or was resumed.
  std::optional<double> start_objective = std::nullopt;
};

/// Queries are the groups of the data, or all rows are one; grades are the labels. Weights of rows,
/// if there are any, are those of their queries. `start`: a state that `solving.on_checkpoint` was
/// given in an earlier run with the same data and options, which is resumed. Throws
/// InvalidArgument for data without rows or grades, a group that comes back after another one,
/// weights that differ within a query, and wrong options (start_weights of another size).
[[nodiscard]] MAXMARGIN_EXPORT TrainedRanking train_rank(const Dataset& data,
                                                         const RankOptions& options = {},
                                                         const StructuralState* start = nullptr);

/// P(w) of a trained ranking, computed anew from model and data: shares nothing with the solvers
/// but the risk; F(w) of a latent one, by a formula that shares nothing at all. Throws
/// InvalidArgument for a model that is no linear function of the data's features.
[[nodiscard]] MAXMARGIN_EXPORT double rank_objective(const Dataset& data,
                                                     const RankOptions& options,
                                                     const Regressor& model,
                                                     const Context& context = {});

}  // namespace maxmargin
