// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/confusion.hpp"

#include <algorithm>

#include "metric/check.hpp"

namespace maxmargin {

namespace {

/// One more than the largest index of either list, at least 1.
std::size_t classes_needed(std::span<const std::int32_t> truth,
                           std::span<const std::int32_t> predicted) {
  std::int32_t largest = 0;
  for (const std::int32_t index : truth) largest = std::max(largest, index);
  for (const std::int32_t index : predicted) largest = std::max(largest, index);
  return static_cast<std::size_t>(largest) + 1;
}

}  // namespace

ConfusionMatrix::ConfusionMatrix(std::size_t classes) : classes_(classes) {
  require(classes > 0, "ConfusionMatrix: classes = 0, must be >= 1");
}

ConfusionMatrix::ConfusionMatrix(std::span<const std::int32_t> truth,
                                 std::span<const std::int32_t> predicted,
                                 std::span<const double> weights,
                                 std::size_t classes)
    : ConfusionMatrix(classes > 0 ? classes : classes_needed(truth, predicted)) {
  check_same_length("ConfusionMatrix", "predictions", predicted.size(), truth.size());
  check_weights("ConfusionMatrix", weights, truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) add(truth[i], predicted[i], weight_of(weights, i));
}

void ConfusionMatrix::add(std::int32_t truth, std::int32_t predicted, double weight) {
  check_class("ConfusionMatrix: truth", truth);
  check_class("ConfusionMatrix: prediction", predicted);
  check_weight(weight);
  const auto limit = static_cast<std::int64_t>(classes_);
  require_field(truth < limit, "ConfusionMatrix: truth", truth, "below the number of classes");
  require_field(
      predicted < limit, "ConfusionMatrix: prediction", predicted, "below the number of classes");
  if (truth < 0) return;
  const std::size_t column = predicted < 0 ? classes_ : static_cast<std::size_t>(predicted);
  counts_[{static_cast<std::size_t>(truth), column}] += weight;
}

double ConfusionMatrix::count(const Place& place) const {
  const auto found = counts_.find(place);
  return found != counts_.end() ? found->second : 0;
}

double ConfusionMatrix::at(std::size_t truth, std::size_t predicted) const {
  require(truth < classes_ && predicted < classes_, "ConfusionMatrix.at: no such class");
  return count({truth, predicted});
}

double ConfusionMatrix::unanswered(std::size_t truth) const {
  require(truth < classes_, "ConfusionMatrix.unanswered: no such class");
  return count({truth, classes_});
}

double ConfusionMatrix::truth_total(std::size_t truth) const {
  double sum = unanswered(truth);
  for_each_answer(truth, [&](std::size_t, double weight) { sum += weight; });
  return sum;
}

std::vector<double> ConfusionMatrix::predicted_totals() const {
  std::vector<double> sums(classes_, 0.0);
  for (const auto& [place, weight] : counts_) {
    if (place.second < classes_) sums[place.second] += weight;
  }
  return sums;
}

double ConfusionMatrix::total() const {
  double sum = 0;
  for (const auto& [place, weight] : counts_) sum += weight;
  return sum;
}

double ConfusionMatrix::correct() const {
  double sum = 0;
  for (std::size_t i = 0; i < classes_; ++i) sum += at(i, i);
  return sum;
}

BinaryCounts one_against_rest(const ConfusionMatrix& confusion, std::size_t positive) {
  require(positive < confusion.classes(), "one_against_rest: no such class");
  BinaryCounts counts;
  for (std::size_t i = 0; i < confusion.classes(); ++i) {
    const double as_positive = confusion.at(i, positive);
    const double as_other = confusion.truth_total(i) - as_positive;
    if (i == positive) {
      counts.true_positive = as_positive;
      counts.false_negative = as_other;
    } else {
      counts.false_positive += as_positive;
      counts.true_negative += as_other;
    }
  }
  return counts;
}

std::vector<BinaryCounts> each_against_rest(const ConfusionMatrix& confusion) {
  std::vector<BinaryCounts> each(confusion.classes());
  for (std::size_t i = 0; i < each.size(); ++i) {
    confusion.for_each_answer(i, [&](std::size_t j, double weight) {
      (i == j ? each[j].true_positive : each[j].false_positive) += weight;
    });
    each[i].false_negative = confusion.truth_total(i) - each[i].true_positive;
  }
  const double total = confusion.total();
  for (BinaryCounts& counts : each) {
    counts.true_negative =
        std::max(0.0, total - counts.true_positive - counts.false_negative - counts.false_positive);
  }
  return each;
}

BinaryCounts outlier_counts(std::span<const std::int32_t> truth,
                            std::span<const std::int32_t> found) {
  check_same_length("outlier_counts", "found labels", found.size(), truth.size());
  BinaryCounts counts;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    check_class("outlier_counts: truth", truth[i]);
    check_class("outlier_counts: found label", found[i]);
    const bool is_outlier = truth[i] == -1;
    const bool is_found = found[i] == -1;
    double& count = is_outlier ? (is_found ? counts.true_positive : counts.false_negative)
                               : (is_found ? counts.false_positive : counts.true_negative);
    ++count;
  }
  return counts;
}

}  // namespace maxmargin
