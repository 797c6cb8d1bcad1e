// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/structured/multilabel.hpp"

#include <algorithm>
#include <string>

#include "maxmargin/metric/classification.hpp"
#include "metric/check.hpp"
#include "metric/ratio.hpp"

namespace maxmargin {

namespace {

void check_sets(const char* what, std::span<const std::vector<Label>> sets) {
  for (std::size_t row = 0; row < sets.size(); ++row) {
    const bool rises = std::ranges::adjacent_find(sets[row], [](const Label& a, const Label& b) {
                         return a >= b;
                       }) == sets[row].end();
    require(rises,
            "MultilabelCounts: " + std::string(what) + "[" + std::to_string(row) +
                "] must be sorted, each label once");
  }
}

/// All labels, sorted.
std::vector<Label> labels_in(std::span<const std::vector<Label>> truth,
                             std::span<const std::vector<Label>> predicted,
                             std::span<const Label> known) {
  std::vector<Label> labels(known.begin(), known.end());
  for (const auto sets : {truth, predicted}) {
    for (const std::vector<Label>& set : sets) labels.insert(labels.end(), set.begin(), set.end());
    // Between the two, too: rows may be many and labels few.
    std::ranges::sort(labels);
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  }
  return labels;
}

}  // namespace

MultilabelCounts::MultilabelCounts(std::span<const std::vector<Label>> truth,
                                   std::span<const std::vector<Label>> predicted,
                                   std::span<const Label> known)
    : rows(truth.size()) {
  check_same_length("MultilabelCounts", "predicted sets", predicted.size(), truth.size());
  check_sets("truth", truth);
  check_sets("predicted", predicted);
  labels = labels_in(truth, predicted, known);
  of_label.resize(labels.size());
  const auto counts_of = [&](const Label& label) -> BinaryCounts& {
    return of_label[static_cast<std::size_t>(std::ranges::lower_bound(labels, label) -
                                             labels.begin())];
  };
  for (std::size_t row = 0; row < rows; ++row) {
    if (truth[row] == predicted[row]) ++exact;
    for (const Label& label : truth[row]) {
      const bool found = std::ranges::binary_search(predicted[row], label);
      (found ? counts_of(label).true_positive : counts_of(label).false_negative) += 1;
    }
    for (const Label& label : predicted[row]) {
      if (!std::ranges::binary_search(truth[row], label)) counts_of(label).false_positive += 1;
    }
  }
  for (BinaryCounts& counts : of_label) {
    counts.true_negative = static_cast<double>(rows) - counts.true_positive -
                           counts.false_positive - counts.false_negative;
  }
}

double hamming_loss(const MultilabelCounts& counts) {
  double wrong = 0;
  for (const BinaryCounts& each : counts.of_label) {
    wrong += each.false_positive + each.false_negative;
  }
  return ratio(wrong, static_cast<double>(counts.rows) * static_cast<double>(counts.labels.size()));
}

double subset_accuracy(const MultilabelCounts& counts) {
  return ratio(static_cast<double>(counts.exact), static_cast<double>(counts.rows));
}

double micro_f1(const MultilabelCounts& counts) {
  BinaryCounts sum;
  for (const BinaryCounts& each : counts.of_label) {
    sum.true_positive += each.true_positive;
    sum.false_positive += each.false_positive;
    sum.false_negative += each.false_negative;
  }
  return f1(sum);
}

double macro_f1(const MultilabelCounts& counts) {
  double sum = 0;
  double occurring = 0;
  for (const BinaryCounts& each : counts.of_label) {
    if (each.true_positive + each.false_positive + each.false_negative == 0) continue;
    sum += f1(each);
    occurring += 1;
  }
  return ratio(sum, occurring);
}

}  // namespace maxmargin
