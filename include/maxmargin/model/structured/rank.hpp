// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/problem/structural/contingency_risk.hpp"
#include "maxmargin/problem/structural/ranking_risk.hpp"
#include "maxmargin/problem/structural/risk.hpp"
#include "maxmargin/solver/structural/solution.hpp"

/// Linear rankings of the rows of queries: docs/algorithms/ranking.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT RankOptions {
  double c = 1;  ///< > 0 and finite
  /// Unset: all pairs of different grade (with two grades and one query, the ROC area). Otherwise a
  /// loss of the table of positives, those of grade `relevant_from` or more.
  std::optional<TableLoss> table = std::nullopt;
  /// As in ContingencyOptions; read with `table` alone.
  std::optional<std::size_t> k = std::nullopt;
  double relevant_from = 1;
  double bias = 0;
  QueryWeight weight = QueryWeight::one;
  TrainingControl control = {};
  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// A solver of structural risks.
using StructuralSolver =
    std::function<StructuralSolution(const StructuralRisk&, const StructuralOptions&)>;

/// The model is one linear function, the score. Queries are the groups of the data, or all rows are
/// one; grades are the labels. `solve` empty: block-coordinate Frank-Wolfe. Weights of rows, if
/// there are any, are those of their queries. Throws InvalidArgument for data without rows or
/// grades, a group that comes back after another one, and weights that differ within a query.
[[nodiscard]] MAXMARGIN_EXPORT TrainedRegressor train_rank(const Dataset& data,
                                                           const RankOptions& options = {},
                                                           const StructuralSolver& solve = {});

/// P(w) of a trained ranking, computed anew from model and data: shares nothing with the solvers
/// but the risk. Throws InvalidArgument for a model that is no linear function of the data's
/// features.
[[nodiscard]] MAXMARGIN_EXPORT double rank_objective(const Dataset& data,
                                                     const RankOptions& options,
                                                     const Regressor& model);

}  // namespace maxmargin
