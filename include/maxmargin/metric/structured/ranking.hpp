// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "maxmargin/core/export.hpp"

/// Measures of rankings: docs/guide/metrics/ranking.md.
///
/// Common rules. Rows are ranked by score, the largest first. Rows of equal score have no order: a
/// measure is its mean over all orders of them, so that it depends neither on the order of the file
/// nor on chance. A row is relevant when its grade is at least `relevant_from`. A NaN grade is an
/// unlabelled row and left out. NaN as result means undefined. Lengths that differ, a NaN score, a
/// grade that is infinite and k = 0 throw InvalidArgument. O(n log n).
namespace maxmargin {

/// What a grade is worth to NDCG.
enum class GradeGain {
  exponential,  ///< 2^grade - 1
  linear        ///< the grade itself
};

/// Share of relevant rows among the first k. A ranking of fewer rows is filled up with rows that
/// are not relevant. 0 without relevant rows, and for no rows at all.
[[nodiscard]] MAXMARGIN_EXPORT double precision_at(std::size_t k,
                                                   std::span<const double> grades,
                                                   std::span<const double> scores,
                                                   double relevant_from = 1);

/// Share of the relevant rows that is among the first k. NaN without relevant rows.
[[nodiscard]] MAXMARGIN_EXPORT double recall_at(std::size_t k,
                                                std::span<const double> grades,
                                                std::span<const double> scores,
                                                double relevant_from = 1);

/// Mean over the relevant rows of the precision at their rank; its mean over queries is MAP. NaN
/// without relevant rows. Differs from average_precision (scores.hpp) where scores are tied: there
/// tied rows enter together.
[[nodiscard]] MAXMARGIN_EXPORT double ranked_average_precision(std::span<const double> grades,
                                                               std::span<const double> scores,
                                                               double relevant_from = 1);

/// 1 / rank of the first relevant row. NaN without relevant rows.
[[nodiscard]] MAXMARGIN_EXPORT double reciprocal_rank(std::span<const double> grades,
                                                      std::span<const double> scores,
                                                      double relevant_from = 1);

/// Sum over the first k ranks r of gain / log2(r + 1), divided by the largest such sum of any
/// order. Grades must be >= 0. NaN when no row has a gain.
[[nodiscard]] MAXMARGIN_EXPORT double ndcg_at(std::size_t k,
                                              std::span<const double> grades,
                                              std::span<const double> scores,
                                              GradeGain gain = GradeGain::exponential);

/// Share of the pairs of a relevant and another row that are in order, ties one half: the ROC area.
/// NaN unless there are both.
[[nodiscard]] MAXMARGIN_EXPORT double ranked_roc_area(std::span<const double> grades,
                                                      std::span<const double> scores,
                                                      double relevant_from = 1);

/// The mean of a measure over the queries for which it is defined.
struct MeanOverQueries {
  double mean = 0;  ///< NaN when it is defined for none
  std::size_t defined = 0;
  std::size_t queries = 0;
};

/// Of measure(grades, scores) over the runs of rows begins[q] to begins[q + 1] (data/queries.hpp).
/// Throws InvalidArgument unless begins rise from 0 to the number of rows.
[[nodiscard]] MAXMARGIN_EXPORT MeanOverQueries mean_over_queries(
    std::span<const std::size_t> begins,
    std::span<const double> grades,
    std::span<const double> scores,
    const std::function<double(std::span<const double>, std::span<const double>)>& measure);

struct RankingMeasureOptions {
  std::size_t k = 10;  ///< of P@k, recall@k and NDCG@k; >= 1
  double relevant_from = 1;
  GradeGain gain = GradeGain::exponential;
};

/// All of them over queries.
struct RankingMeasures {
  MeanOverQueries average_precision = {};  ///< MAP
  MeanOverQueries ndcg = {};
  MeanOverQueries precision = {};
  MeanOverQueries recall = {};
  MeanOverQueries reciprocal_rank = {};  ///< MRR
  MeanOverQueries roc_area = {};
};

[[nodiscard]] MAXMARGIN_EXPORT RankingMeasures
ranking_measures(std::span<const std::size_t> begins,
                 std::span<const double> grades,
                 std::span<const double> scores,
                 const RankingMeasureOptions& options = {});

}  // namespace maxmargin
