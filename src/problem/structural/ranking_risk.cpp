// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/ranking.md
#include "maxmargin/problem/structural/ranking_risk.hpp"

#include <algorithm>

#include "core/weights.hpp"
#include "problem/row_combination.hpp"
#include "problem/structural/pair_counts.hpp"
#include "problem/structural/query_weights.hpp"

namespace maxmargin {

// Here, so that programs need no table of virtual functions of their own.
RankingRisk::~RankingRisk() = default;

RankingRisk::RankingRisk(PointRows rows, const Queries& queries, const RankingOptions& options)
    : rows_(rows), begins_(queries.begins), levels_(rows.rows()) {
  require_queries("RankingRisk", queries, rows.rows());
  require_query_weights("query_weights", options.query_weights, queries.size());
  std::vector<double> values;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const std::span<const double> grades = queries.grades_of(q);
    values.assign(grades.begin(), grades.end());
    std::ranges::sort(values);
    // Pairs of equal grade are no pairs.
    const auto n = static_cast<double>(grades.size());
    double pairs = n * (n - 1) / 2;
    for (auto run = values.begin(); run != values.end();) {
      const auto end = std::upper_bound(run, values.end(), *run);
      const auto length = static_cast<double>(end - run);
      pairs -= length * (length - 1) / 2;
      run = end;
    }
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (std::size_t i = 0; i < grades.size(); ++i) {
      const auto at = std::ranges::lower_bound(values, grades[i]);
      levels_[begins_[q] + i] = static_cast<std::uint32_t>(at - values.begin());
    }
    level_counts_.push_back(values.size());
    pairs_.push_back(pairs);
    const double share = options.weight == QueryWeight::one ? 1 / pairs : 1.0;
    weights_.push_back(pairs == 0 ? 0.0 : share * weight_of(options.query_weights, q));
  }
}

void RankingRisk::largest_plane(std::size_t query,
                                std::span<const double> w,
                                StructuralPlane& plane) const {
  const std::size_t begin = begins_[query];
  const std::size_t end = begins_[query + 1];
  plane.offset = 0;
  plane.slope.clear();
  if (pairs_[query] == 0) return;
  std::vector<double> scores;
  score_rows(rows_, begin, end, 0.0, w, scores);
  PairCounts counts;
  count_violated_pairs(
      scores, std::span(levels_).subspan(begin, end - begin), level_counts_[query], counts);
  std::vector<double>& coefficients = scores;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    coefficients[i] = static_cast<double>(counts.above[i]) - static_cast<double>(counts.below[i]);
  }
  plane.offset = static_cast<double>(counts.violated);
  combine_rows(rows_, begin, coefficients, 0.0, plane.slope);
}

}  // namespace maxmargin
