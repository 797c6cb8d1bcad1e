// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/classification.hpp"

#include <cmath>
#include <vector>

#include "metric/check.hpp"
#include "metric/ratio.hpp"

namespace maxmargin {

double sensitivity(const BinaryCounts& counts) {
  return ratio(counts.true_positive, counts.true_positive + counts.false_negative);
}

double specificity(const BinaryCounts& counts) { return sensitivity(counts.swapped()); }

double precision(const BinaryCounts& counts) {
  return ratio(counts.true_positive, counts.true_positive + counts.false_positive);
}

double negative_predictive_value(const BinaryCounts& counts) { return precision(counts.swapped()); }

double recall(const BinaryCounts& counts) { return sensitivity(counts); }

double f1(const BinaryCounts& counts) {
  const double twice = 2 * counts.true_positive;
  return ratio(twice, twice + counts.false_positive + counts.false_negative);
}

MeratMeasures merat_measures(const BinaryCounts& counts) {
  return {.sn = sensitivity(counts),
          .sp = precision(counts),
          .nsn = specificity(counts),
          .nsp = negative_predictive_value(counts)};
}

double accuracy(const ConfusionMatrix& confusion) {
  return ratio(confusion.correct(), confusion.total());
}

double error_rate(const ConfusionMatrix& confusion) {
  double wrong = 0;
  for (std::size_t i = 0; i < confusion.classes(); ++i) {
    wrong += confusion.unanswered(i);
    confusion.for_each_answer(i, [&](std::size_t j, double weight) {
      if (i != j) wrong += weight;
    });
  }
  return ratio(wrong, confusion.total());
}

double q3(const ConfusionMatrix& confusion) { return 100 * accuracy(confusion); }

double balanced_accuracy(const ConfusionMatrix& confusion) {
  double sum = 0;
  double occurring = 0;
  for (std::size_t c = 0; c < confusion.classes(); ++c) {
    const double rows = confusion.truth_total(c);
    if (rows == 0) continue;
    sum += confusion.at(c, c) / rows;
    ++occurring;
  }
  return ratio(sum, occurring);
}

double matthews_correlation(const ConfusionMatrix& confusion) {
  // With shares t_c of the truth and p_c of the predictions: the covariance of the two indicator
  // vectors is correct - sum t_c p_c, their variances 1 - sum t_c^2 and 1 - sum p_c^2.
  const double total = confusion.total();
  if (total == 0) return undefined;
  double agreement = confusion.correct() / total;
  double truth_concentration = 0;
  double prediction_concentration = 0;
  double chance = 0;
  double unanswered = 0;
  const std::vector<double> answers = confusion.predicted_totals();
  for (std::size_t c = 0; c < confusion.classes(); ++c) {
    const double truth = confusion.truth_total(c) / total;
    const double predicted = answers[c] / total;
    chance += truth * predicted;
    truth_concentration += truth * truth;
    prediction_concentration += predicted * predicted;
    unanswered += confusion.unanswered(c) / total;
  }
  prediction_concentration += unanswered * unanswered;
  // A constant side has concentration 1 up to rounding; nothing else comes this close to it.
  const double truth_spread = 1 - truth_concentration;
  const double prediction_spread = 1 - prediction_concentration;
  constexpr double rounding = 1e-15;
  if (truth_spread <= rounding || prediction_spread <= rounding) return undefined;
  return (agreement - chance) / std::sqrt(truth_spread * prediction_spread);
}

namespace {

/// The mean of value(true positives, rows of the class, answers of the class) over the classes
/// with rows or answers.
template <class Value>
double macro_mean(const ConfusionMatrix& confusion, const Value& value) {
  double sum = 0;
  double occurring = 0;
  const std::vector<double> answers = confusion.predicted_totals();
  for (std::size_t c = 0; c < confusion.classes(); ++c) {
    const double rows = confusion.truth_total(c);
    if (rows == 0 && answers[c] == 0) continue;
    sum += value(confusion.at(c, c), rows, answers[c]);
    ++occurring;
  }
  return ratio(sum, occurring);
}

double ratio_or_zero(double numerator, double denominator) {
  return denominator == 0 ? 0 : numerator / denominator;
}

}  // namespace

double macro_precision(const ConfusionMatrix& confusion) {
  return macro_mean(confusion, [](double right, double /*rows*/, double answers) {
    return ratio_or_zero(right, answers);
  });
}

double macro_recall(const ConfusionMatrix& confusion) {
  return macro_mean(confusion, [](double right, double rows, double /*answers*/) {
    return ratio_or_zero(right, rows);
  });
}

double macro_f1(const ConfusionMatrix& confusion) {
  return macro_mean(confusion, [](double right, double rows, double answers) {
    return 2 * right / (rows + answers);
  });
}

double micro_f1(const ConfusionMatrix& confusion) {
  double answers = 0;
  for (const double each : confusion.predicted_totals()) answers += each;
  return ratio(2 * confusion.correct(), confusion.total() + answers);
}

double relative_improvement(double baseline, double improved) {
  return ratio(baseline - improved, baseline);
}

double transductive_error(std::span<const std::int32_t> truth,
                          std::span<const std::int32_t> predicted,
                          std::span<const std::int32_t> given) {
  check_same_length("transductive_error", "predictions", predicted.size(), truth.size());
  check_same_length("transductive_error", "given labels", given.size(), truth.size());
  double wrong = 0;
  double rows = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    check_class("transductive_error: truth", truth[i]);
    check_class("transductive_error: prediction", predicted[i]);
    check_class("transductive_error: given label", given[i]);
    if (given[i] >= 0 || truth[i] < 0) continue;
    ++rows;
    if (predicted[i] != truth[i]) ++wrong;
  }
  return ratio(wrong, rows);
}

}  // namespace maxmargin
