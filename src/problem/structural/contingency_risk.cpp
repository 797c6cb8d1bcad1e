// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/ranking.md
#include "problem/structural/contingency_risk.hpp"

#include <algorithm>
#include <cmath>

#include "core/weights.hpp"
#include "maxmargin/core/require.hpp"
#include "problem/row_combination.hpp"
#include "problem/structural/query_weights.hpp"

namespace maxmargin {

namespace {

struct ScoredRow {
  double score = 0;
  std::size_t row = 0;
};

/// The rows of a query by score, high to low, with what the first a and b of them add to a value.
struct SortedQuery {
  std::vector<ScoredRow> positives;
  std::vector<ScoredRow> negatives;
  std::vector<double> positive_part;  ///< A_a, a = 0..p
  std::vector<double> negative_part;  ///< B_b, b = 0..n-p
  double rows = 0;                    ///< n

  SortedQuery(std::span<const double> scores, std::span<const std::uint8_t> positive)
      : rows(static_cast<double>(scores.size())) {
    for (std::size_t i = 0; i < scores.size(); ++i) {
      require(!std::isnan(scores[i]), "ContingencyRisk: a score is not a number");
      (positive[i] != 0 ? positives : negatives).push_back({scores[i], i});
    }
    const auto higher = [](const ScoredRow& a, const ScoredRow& b) {
      return a.score != b.score ? a.score > b.score : a.row < b.row;
    };
    std::ranges::sort(positives, higher);
    std::ranges::sort(negatives, higher);
    positive_part.assign(positives.size() + 1, 0.0);
    for (std::size_t a = positives.size(); a-- > 0;) {
      positive_part[a] = positive_part[a + 1] - positives[a].score / rows;
    }
    negative_part.assign(negatives.size() + 1, 0.0);
    for (std::size_t b = 0; b < negatives.size(); ++b) {
      negative_part[b + 1] = negative_part[b] + negatives[b].score / rows;
    }
  }
};

struct Table {
  std::size_t a = 0;
  std::size_t b = 0;
};

/// Rows whose margin is below 1 are called wrong.
Table best_of_error(const SortedQuery& query) {
  Table table;
  while (table.a < query.positives.size() && query.positives[table.a].score >= 1) ++table.a;
  while (table.b < query.negatives.size() && query.negatives[table.b].score > -1) ++table.b;
  return table;
}

/// The best number of false positives beside a true ones: the least from which on one more does
/// not pay.
std::size_t best_false_positives_of_f1(const SortedQuery& query, std::size_t a) {
  const auto p = static_cast<double>(query.positives.size());
  const auto hits = static_cast<double>(a);
  std::size_t low = 0;
  std::size_t high = query.negatives.size();
  while (low < high) {
    const std::size_t b = low + (high - low) / 2;
    const double called = p + hits + static_cast<double>(b);
    const double gain = 2 * hits / (called * (called + 1)) + query.negatives[b].score / query.rows;
    if (gain > 0) {
      low = b + 1;
    } else {
      high = b;
    }
  }
  return low;
}

}  // namespace

// Here, so that programs need no table of virtual functions of their own.
ContingencyRisk::~ContingencyRisk() = default;

ContingencyRisk::ContingencyRisk(PointRows rows,
                                 const Queries& queries,
                                 const ContingencyOptions& options)
    : rows_(rows),
      begins_(queries.begins),
      loss_(options.loss),
      k_(options.k),
      bias_(options.bias) {
  require_queries("ContingencyRisk", queries, rows.rows());
  if (options.k) require_field(*options.k >= 1, "k", 0.0, ">= 1");
  require_field(std::isfinite(options.bias), "bias", options.bias, "finite");
  require_field(
      !std::isnan(options.relevant_from), "relevant_from", options.relevant_from, "a number");
  require_query_weights("query_weights", options.query_weights, queries.size());
  const bool fixed_count = loss_ == TableLoss::precision_at_k || loss_ == TableLoss::recall_at_k;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    std::size_t positives = 0;
    for (const double grade : queries.grades_of(q)) {
      positive_.push_back(grade >= options.relevant_from ? 1 : 0);
      positives += positive_.back();
    }
    positives_.push_back(positives);
    const std::size_t n = begins_[q + 1] - begins_[q];
    const bool has_meaning =
        n > 0 && (loss_ == TableLoss::error || positives > 0) && !(fixed_count && positives == n);
    const double size = options.weight == QueryWeight::one ? 1.0 : static_cast<double>(n);
    weights_.push_back(has_meaning ? size * weight_of(options.query_weights, q) : 0.0);
  }
}

std::size_t ContingencyRisk::called(std::size_t query) const {
  return std::min(k_.value_or(positives_[query]), begins_[query + 1] - begins_[query]);
}

double ContingencyRisk::loss(std::size_t query,
                             std::size_t true_positives,
                             std::size_t false_positives) const {
  const auto n = static_cast<double>(begins_[query + 1] - begins_[query]);
  const auto p = static_cast<double>(positives_[query]);
  const auto k = static_cast<double>(called(query));
  const auto a = static_cast<double>(true_positives);
  const auto b = static_cast<double>(false_positives);
  switch (loss_) {
    case TableLoss::error:
      return (p - a + b) / n;
    case TableLoss::f1:
      return (p - a + b) / (p + a + b);  // 1 - 2a / (p + a + b)
    case TableLoss::precision_at_k:
      return (std::min(p, k) - a) / k;
    case TableLoss::recall_at_k:
      return (std::min(p, k) - a) / p;
  }
  throw InternalError("ContingencyRisk: no such loss");
}

void ContingencyRisk::largest_plane(std::size_t query,
                                    std::span<const double> w,
                                    StructuralPlane& plane) const {
  plane.offset = 0;
  plane.slope.clear();
  if (weights_[query] == 0) return;
  const std::size_t begin = begins_[query];
  const std::size_t end = begins_[query + 1];
  std::vector<double> scores;
  score_rows(rows_, begin, end, bias_, w, scores);
  const SortedQuery sorted(scores, std::span(positive_).subspan(begin, end - begin));

  // The truth is the plane 0; another table must be larger.
  const std::size_t p = sorted.positives.size();
  Table best = {.a = p, .b = 0};
  double best_value = 0;
  const auto offer = [&](Table table) {
    const double value = loss(query, table.a, table.b) + sorted.positive_part[table.a] +
                         sorted.negative_part[table.b];
    if (value <= best_value) return;
    best_value = value;
    best = table;
  };
  switch (loss_) {
    case TableLoss::error:
      offer(best_of_error(sorted));
      break;
    case TableLoss::f1:
      for (std::size_t a = p + 1; a-- > 0;) {
        offer({.a = a, .b = best_false_positives_of_f1(sorted, a)});
      }
      break;
    case TableLoss::precision_at_k:
    case TableLoss::recall_at_k: {
      const std::size_t k = called(query);
      const std::size_t least = k - std::min(k, sorted.negatives.size());
      for (std::size_t a = std::min(p, k) + 1; a-- > least;) offer({.a = a, .b = k - a});
      break;
    }
  }
  if (best_value <= 0) return;

  const double share = 1 / sorted.rows;
  std::vector<double>& coefficients = scores;
  std::ranges::fill(coefficients, 0.0);
  for (std::size_t a = best.a; a < p; ++a) coefficients[sorted.positives[a].row] = share;
  for (std::size_t b = 0; b < best.b; ++b) coefficients[sorted.negatives[b].row] = -share;
  plane.offset = loss(query, best.a, best.b);
  combine_rows(rows_, begin, coefficients, bias_, plane.slope);
}

}  // namespace maxmargin
