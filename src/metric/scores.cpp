// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "metric/check.hpp"
#include "metric/ratio.hpp"

namespace maxmargin {

namespace {

/// The rows of one distinct score.
struct ScoreGroup {
  double score = 0;
  double positives = 0;
  double negatives = 0;
};

void check_ranking(std::string_view function,
                   std::span<const std::int32_t> truth,
                   std::span<const double> scores,
                   std::span<const double> weights) {
  check_same_length(function, "scores", scores.size(), truth.size());
  check_weights(function, weights, truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const bool known = truth[i] >= -1 && truth[i] <= 1;
    check_row(known, function, "truth", i, truth[i], "0, 1 or -1 (unlabelled)");
    check_row(!std::isnan(scores[i]), function, "scores", i, scores[i], "a number");
  }
}

/// The labelled rows grouped by score, from high to low.
std::vector<ScoreGroup> group_by_score(std::string_view function,
                                       std::span<const std::int32_t> truth,
                                       std::span<const double> scores,
                                       std::span<const double> weights) {
  check_ranking(function, truth, scores, weights);
  // Scores travel with their rows: sorting row numbers alone would miss the cache at every look.
  struct Ranked {
    double score = 0;
    std::size_t row = 0;
  };
  std::vector<Ranked> order;
  order.reserve(truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] >= 0) order.push_back({scores[i], i});
  }
  std::sort(order.begin(), order.end(), [](const Ranked& a, const Ranked& b) {
    return a.score != b.score ? a.score > b.score : a.row < b.row;
  });
  std::vector<ScoreGroup> groups;
  for (const auto& [score, i] : order) {
    if (groups.empty() || groups.back().score != score) groups.push_back({.score = score});
    (truth[i] == 1 ? groups.back().positives : groups.back().negatives) += weight_of(weights, i);
  }
  return groups;
}

struct Totals {
  double positives = 0;
  double negatives = 0;
};

Totals totals_of(std::span<const ScoreGroup> groups) {
  Totals totals;
  for (const ScoreGroup& group : groups) {
    totals.positives += group.positives;
    totals.negatives += group.negatives;
  }
  return totals;
}

void check_probabilities(std::string_view function,
                         std::span<const std::int32_t> truth,
                         DenseView probabilities,
                         std::span<const double> weights) {
  check_same_length(function, "rows of probabilities", probabilities.rows, truth.size());
  check_weights(function, weights, truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const bool known = truth[i] >= -1 && truth[i] < static_cast<std::int64_t>(probabilities.cols);
    check_row(known, function, "truth", i, truth[i], "-1 or a column of the probabilities");
    for (const double p : probabilities.row(i)) {
      check_row(p >= 0 && p <= 1, function, "probabilities", i, p, "in [0, 1]");
    }
  }
}

/// Weighted mean of penalty(i) over the labelled rows.
template <class Penalty>
double mean_penalty(std::span<const std::int32_t> truth,
                    std::span<const double> weights,
                    const Penalty& penalty) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double weight = weight_of(weights, i);
    if (truth[i] < 0 || weight == 0) continue;  // 0 * inf would be NaN
    sum += weight * penalty(i);
    total += weight;
  }
  return ratio(sum, total);
}

struct Moments {
  double count = 0;
  double mean = 0;
  double variance = 0;
};

/// Of the projections of class `side`; summed as differences to the first, so that equal
/// values have variance 0.
Moments moments_of(std::span<const double> projections,
                   std::span<const std::int32_t> truth,
                   std::int32_t side) {
  Moments moments;
  double origin = 0;
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] != side) continue;
    if (moments.count == 0) origin = projections[i];
    ++moments.count;
    sum += projections[i] - origin;
  }
  if (moments.count == 0) return moments;
  moments.mean = origin + sum / moments.count;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] != side) continue;
    const double deviation = projections[i] - moments.mean;
    moments.variance += deviation * deviation / moments.count;
  }
  return moments;
}

}  // namespace

double roc_auc(std::span<const std::int32_t> truth,
               std::span<const double> scores,
               std::span<const double> weights) {
  const auto groups = group_by_score("roc_auc", truth, scores, weights);
  const Totals totals = totals_of(groups);
  double negatives_above = 0;
  double lost = 0;  // pairs in the wrong order
  for (const ScoreGroup& group : groups) {
    lost += group.positives * (negatives_above + group.negatives / 2);
    negatives_above += group.negatives;
  }
  const double pairs = totals.positives * totals.negatives;
  return ratio(pairs - lost, pairs);
}

double average_precision(std::span<const std::int32_t> truth,
                         std::span<const double> scores,
                         std::span<const double> weights) {
  const auto groups = group_by_score("average_precision", truth, scores, weights);
  double positives = 0;
  double called = 0;
  double sum = 0;
  for (const ScoreGroup& group : groups) {
    positives += group.positives;
    called += group.positives + group.negatives;
    if (group.positives > 0) sum += group.positives * (positives / called);
  }
  return ratio(sum, positives);
}

std::vector<ThresholdPoint> threshold_curve(std::span<const std::int32_t> truth,
                                            std::span<const double> scores,
                                            std::span<const double> weights) {
  const auto groups = group_by_score("threshold_curve", truth, scores, weights);
  const Totals totals = totals_of(groups);
  std::vector<ThresholdPoint> curve;
  curve.reserve(groups.size() + 1);
  double positives = 0;
  double negatives = 0;
  const auto add_point = [&](double threshold) {
    curve.push_back({.threshold = threshold,
                     .true_positive_rate = ratio(positives, totals.positives),
                     .false_positive_rate = ratio(negatives, totals.negatives),
                     .precision = ratio(positives, positives + negatives),
                     .f1 = ratio(2 * positives, totals.positives + positives + negatives)});
  };
  add_point(std::numeric_limits<double>::infinity());
  for (const ScoreGroup& group : groups) {
    positives += group.positives;
    negatives += group.negatives;
    add_point(group.score);
  }
  return curve;
}

double log_loss(std::span<const std::int32_t> truth,
                DenseView probabilities,
                std::span<const double> weights) {
  check_probabilities("log_loss", truth, probabilities, weights);
  return mean_penalty(truth, weights, [&](std::size_t i) {
    return -std::log(probabilities(i, static_cast<std::size_t>(truth[i])));
  });
}

double brier_score(std::span<const std::int32_t> truth,
                   DenseView probabilities,
                   std::span<const double> weights) {
  check_probabilities("brier_score", truth, probabilities, weights);
  return mean_penalty(truth, weights, [&](std::size_t i) {
    double sum = 0;
    for (std::size_t c = 0; c < probabilities.cols; ++c) {
      const double wanted = static_cast<std::size_t>(truth[i]) == c ? 1 : 0;
      const double difference = probabilities(i, c) - wanted;
      sum += difference * difference;
    }
    return sum;
  });
}

double brier_score_binary(std::span<const std::int32_t> truth,
                          std::span<const double> probability,
                          std::span<const double> weights) {
  check_ranking("brier_score_binary", truth, probability, weights);
  for (const double p : probability) {
    require_field(p >= 0 && p <= 1, "brier_score_binary: a probability", p, "in [0, 1]");
  }
  return mean_penalty(truth, weights, [&](std::size_t i) {
    const double difference = probability[i] - truth[i];
    return difference * difference;
  });
}

double fisher_ratio(std::span<const double> projections, std::span<const std::int32_t> truth) {
  check_same_length("fisher_ratio", "projections", projections.size(), truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    require_field(truth[i] >= -1 && truth[i] <= 1, "fisher_ratio: truth", truth[i], "-1, 0 or 1");
    require_field(
        std::isfinite(projections[i]), "fisher_ratio: a projection", projections[i], "finite");
  }
  const Moments negative = moments_of(projections, truth, 0);
  const Moments positive = moments_of(projections, truth, 1);
  if (negative.count == 0 || positive.count == 0) return undefined;
  const double gap = positive.mean - negative.mean;
  return gap * gap / (positive.variance + negative.variance);
}

}  // namespace maxmargin
