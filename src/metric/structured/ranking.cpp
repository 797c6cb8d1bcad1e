// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/structured/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "maxmargin/metric/scores.hpp"
#include "metric/check.hpp"
#include "metric/ratio.hpp"

namespace maxmargin {

namespace {

struct Scored {
  double score = 0;
  double worth = 0;
};

/// Rows of one score: ranks first + 1 to first + rows.
struct TiedRows {
  double first = 0;
  double rows = 0;
  double worth = 0;  ///< sum
};

void check_rows(std::string_view function,
                std::span<const double> grades,
                std::span<const double> scores) {
  check_same_length(function, "scores", scores.size(), grades.size());
  for (std::size_t i = 0; i < grades.size(); ++i) {
    check_row(
        !std::isinf(grades[i]), function, "grades", i, grades[i], "finite, or NaN (unlabelled)");
    check_row(!std::isnan(scores[i]), function, "scores", i, scores[i], "a number");
  }
}

void check_k(std::string_view function, std::size_t k) {
  require(k >= 1, std::string(function) + ": k = 0, must be >= 1");
}

/// The labelled rows in runs of equal score, the largest first.
template <class Worth>
std::vector<TiedRows> tied_rows(std::string_view function,
                                std::span<const double> grades,
                                std::span<const double> scores,
                                const Worth& worth) {
  check_rows(function, grades, scores);
  std::vector<Scored> order;
  order.reserve(grades.size());
  for (std::size_t i = 0; i < grades.size(); ++i) {
    if (!std::isnan(grades[i])) order.push_back({scores[i], worth(grades[i])});
  }
  // Worths of a run are added in a fixed order, so that the order of rows leaves no trace.
  std::sort(order.begin(), order.end(), [](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : a.worth > b.worth;
  });
  std::vector<TiedRows> runs;
  double last = 0;
  for (const Scored& row : order) {
    if (runs.empty() || row.score != last) {
      const double first = runs.empty() ? 0.0 : runs.back().first + runs.back().rows;
      runs.push_back({.first = first});
      last = row.score;
    }
    runs.back().rows += 1;
    runs.back().worth += row.worth;
  }
  return runs;
}

std::vector<TiedRows> relevant_runs(std::string_view function,
                                    std::span<const double> grades,
                                    std::span<const double> scores,
                                    double relevant_from) {
  require(!std::isnan(relevant_from), std::string(function) + ": relevant_from is not a number");
  return tied_rows(function, grades, scores, [relevant_from](double grade) {
    return grade >= relevant_from ? 1.0 : 0.0;
  });
}

double worth_of_all(std::span<const TiedRows> runs) {
  double sum = 0;
  for (const TiedRows& run : runs) sum += run.worth;
  return sum;
}

/// Expected worth of the first k ranks.
double worth_of_first(double k, std::span<const TiedRows> runs) {
  double sum = 0;
  for (const TiedRows& run : runs) {
    const double inside = std::clamp(k - run.first, 0.0, run.rows);
    sum += run.worth * (inside / run.rows);
  }
  return sum;
}

/// Expected sum over the first k ranks of worth / log2(rank + 1).
double discounted(std::size_t k, std::span<const TiedRows> runs) {
  double sum = 0;
  for (const TiedRows& run : runs) {
    const double end = std::min(run.first + run.rows, static_cast<double>(k));
    double discounts = 0;
    for (double rank = run.first + 1; rank <= end; ++rank) discounts += 1 / std::log2(rank + 1);
    sum += run.worth / run.rows * discounts;
  }
  return sum;
}

}  // namespace

double precision_at(std::size_t k,
                    std::span<const double> grades,
                    std::span<const double> scores,
                    double relevant_from) {
  check_k("precision_at", k);
  const auto runs = relevant_runs("precision_at", grades, scores, relevant_from);
  const auto ranks = static_cast<double>(k);
  return worth_of_first(ranks, runs) / ranks;
}

double recall_at(std::size_t k,
                 std::span<const double> grades,
                 std::span<const double> scores,
                 double relevant_from) {
  check_k("recall_at", k);
  const auto runs = relevant_runs("recall_at", grades, scores, relevant_from);
  return ratio(worth_of_first(static_cast<double>(k), runs), worth_of_all(runs));
}

double ranked_average_precision(std::span<const double> grades,
                                std::span<const double> scores,
                                double relevant_from) {
  const auto runs = relevant_runs("ranked_average_precision", grades, scores, relevant_from);
  double before = 0;  // relevant rows of higher score
  double sum = 0;
  for (const TiedRows& run : runs) {
    if (run.worth == 0) continue;
    // The i-th row of the run is relevant with probability worth / rows; if it is, each of the
    // i - 1 before it is relevant with probability (worth - 1) / (rows - 1).
    const double beside = run.rows > 1 ? (run.worth - 1) / (run.rows - 1) : 0.0;
    double precisions = 0;
    for (double i = 1; i <= run.rows; ++i) {
      precisions += (before + 1 + (i - 1) * beside) / (run.first + i);
    }
    sum += run.worth / run.rows * precisions;
    before += run.worth;
  }
  return ratio(sum, before);
}

double reciprocal_rank(std::span<const double> grades,
                       std::span<const double> scores,
                       double relevant_from) {
  const auto runs = relevant_runs("reciprocal_rank", grades, scores, relevant_from);
  const auto run = std::ranges::find_if(runs, [](const TiedRows& each) { return each.worth > 0; });
  if (run == runs.end()) return undefined;
  double none_yet = 1;  // probability that no relevant row came among the first i - 1
  double mean = 0;
  for (double i = 1; i <= run->rows - run->worth + 1; ++i) {
    const double left = run->rows - i + 1;
    mean += none_yet * (run->worth / left) / (run->first + i);
    none_yet *= (left - run->worth) / left;
  }
  return mean;
}

double ndcg_at(std::size_t k,
               std::span<const double> grades,
               std::span<const double> scores,
               GradeGain gain) {
  check_k("ndcg_at", k);
  for (std::size_t i = 0; i < grades.size(); ++i) {
    check_row(!(grades[i] < 0), "ndcg_at", "grades", i, grades[i], ">= 0");
  }
  const auto worth = [gain](double grade) {
    return gain == GradeGain::exponential ? std::exp2(grade) - 1 : grade;
  };
  const double reached = discounted(k, tied_rows("ndcg_at", grades, scores, worth));
  std::vector<double> ideal(grades.begin(), grades.end());
  for (double& grade : ideal) {
    if (std::isnan(grade)) grade = -1;  // any score: the row is left out by its grade
  }
  return ratio(reached, discounted(k, tied_rows("ndcg_at", grades, ideal, worth)));
}

double ranked_roc_area(std::span<const double> grades,
                       std::span<const double> scores,
                       double relevant_from) {
  check_rows("ranked_roc_area", grades, scores);
  std::vector<std::int32_t> truth(grades.size());
  for (std::size_t i = 0; i < grades.size(); ++i) {
    truth[i] = std::isnan(grades[i]) ? -1 : (grades[i] >= relevant_from ? 1 : 0);
  }
  return roc_auc(truth, scores);
}

MeanOverQueries mean_over_queries(
    std::span<const std::size_t> begins,
    std::span<const double> grades,
    std::span<const double> scores,
    const std::function<double(std::span<const double>, std::span<const double>)>& measure) {
  check_same_length("mean_over_queries", "scores", scores.size(), grades.size());
  require(!begins.empty() && begins.front() == 0 && begins.back() == grades.size() &&
              std::ranges::is_sorted(begins),
          "mean_over_queries: begins must rise from 0 to the number of rows");
  MeanOverQueries result = {.queries = begins.size() - 1};
  double sum = 0;
  for (std::size_t q = 0; q < result.queries; ++q) {
    const std::size_t length = begins[q + 1] - begins[q];
    const double value =
        measure(grades.subspan(begins[q], length), scores.subspan(begins[q], length));
    if (std::isnan(value)) continue;
    sum += value;
    ++result.defined;
  }
  result.mean = ratio(sum, static_cast<double>(result.defined));
  return result;
}

RankingMeasures ranking_measures(std::span<const std::size_t> begins,
                                 std::span<const double> grades,
                                 std::span<const double> scores,
                                 const RankingMeasureOptions& options) {
  require_field(options.k >= 1, "k", 0.0, ">= 1");
  const auto mean = [&](const auto& measure) {
    return mean_over_queries(begins, grades, scores, measure);
  };
  using Values = std::span<const double>;
  const double from = options.relevant_from;
  return {
      .average_precision =
          mean([&](Values g, Values s) { return ranked_average_precision(g, s, from); }),
      .ndcg = mean([&](Values g, Values s) { return ndcg_at(options.k, g, s, options.gain); }),
      .precision = mean([&](Values g, Values s) { return precision_at(options.k, g, s, from); }),
      .recall = mean([&](Values g, Values s) { return recall_at(options.k, g, s, from); }),
      .reciprocal_rank = mean([&](Values g, Values s) { return reciprocal_rank(g, s, from); }),
      .roc_area = mean([&](Values g, Values s) { return ranked_roc_area(g, s, from); })};
}

}  // namespace maxmargin
