// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/registry.hpp"

#include <vector>

#include "maxmargin/metric/classification.hpp"
#include "maxmargin/metric/cluster/clustering.hpp"
#include "maxmargin/metric/regression.hpp"
#include "maxmargin/metric/scores.hpp"

namespace maxmargin {

namespace {

enum class Better : bool { smaller, larger };

using ConfusionFunction = double (*)(const ConfusionMatrix&);
using BinaryFunction = double (*)(const BinaryCounts&);
using ScoreFunction = double (*)(std::span<const std::int32_t>,
                                 std::span<const double>,
                                 std::span<const double>);
using ProbabilityFunction = double (*)(std::span<const std::int32_t>,
                                       DenseView,
                                       std::span<const double>);
using TargetFunction = double (*)(std::span<const double>,
                                  std::span<const double>,
                                  std::span<const double>);
using ClusterFunction = double (*)(const Contingency&);

ConfusionMatrix confusion_of(const Outcome& outcome) {
  return {outcome.truth, outcome.predicted, outcome.weights, outcome.classes};
}

Metric of_labels(std::string name, Better better, std::string text, ConfusionFunction function) {
  return {std::move(name),
          MetricInput::labels,
          better == Better::larger,
          std::move(text),
          [function](const Outcome& outcome) { return function(confusion_of(outcome)); }};
}

/// Class 1, the larger of two, is the positive one.
Metric of_two_classes(std::string name, std::string text, BinaryFunction function) {
  auto value = [name, function](const Outcome& outcome) {
    const ConfusionMatrix confusion = confusion_of(outcome);
    if (confusion.classes() > 2) {
      throw InvalidArgument("metric " + name + " needs two classes, there are " +
                            std::to_string(confusion.classes()) +
                            "; for several see macro_f1, macro_precision, macro_recall, micro_f1");
    }
    if (confusion.classes() == 2) return function(one_against_rest(confusion, 1));
    return function(one_against_rest(confusion, 0).swapped());  // the positive class is missing
  };
  return {std::move(name), MetricInput::labels, true, std::move(text), std::move(value)};
}

Metric of_scores(std::string name, std::string text, ScoreFunction function) {
  return {
      std::move(name), MetricInput::scores, true, std::move(text), [function](const Outcome& o) {
        return function(o.truth, o.scores, o.weights);
      }};
}

Metric of_probabilities(std::string name, std::string text, ProbabilityFunction function) {
  return {std::move(name),
          MetricInput::probabilities,
          false,
          std::move(text),
          [function](const Outcome& o) { return function(o.truth, o.probabilities, o.weights); }};
}

Metric of_targets(std::string name, Better better, std::string text, TargetFunction function) {
  return {
      std::move(name),
      MetricInput::targets,
      better == Better::larger,
      std::move(text),
      [function](const Outcome& o) { return function(o.targets, o.predicted_targets, o.weights); }};
}

Metric of_clusters(std::string name, Better better, std::string text, ClusterFunction function) {
  return {std::move(name),
          MetricInput::clusters,
          better == Better::larger,
          std::move(text),
          [function](const Outcome& o) { return function(Contingency(o.truth, o.predicted)); }};
}

double brier(std::span<const std::int32_t> truth,
             DenseView probabilities,
             std::span<const double> weights) {
  const double score = brier_score(truth, probabilities, weights);
  return probabilities.cols == 2 ? score / 2 : score;
}

std::vector<Metric> make_table() {
  std::vector<Metric> table;
  const auto add = [&table](Metric metric) { table.push_back(std::move(metric)); };

  add(of_labels("accuracy", Better::larger, "share of rows predicted right", accuracy));
  add(of_labels("error", Better::smaller, "share of rows predicted wrong", error_rate));
  add(of_labels(
      "balanced_accuracy", Better::larger, "mean recall of the classes", balanced_accuracy));
  add(of_labels("mcc", Better::larger, "Matthews correlation, -1 to 1", matthews_correlation));
  add(of_labels("macro_f1", Better::larger, "mean F1 of the classes", macro_f1));
  add(of_labels("micro_f1", Better::larger, "F1 of the counts summed over classes", micro_f1));
  add(of_labels(
      "macro_precision", Better::larger, "mean precision of the classes", macro_precision));
  add(of_labels(
      "macro_recall", Better::larger, "mean recall of classes seen or predicted", macro_recall));
  add(of_labels("q3", Better::larger, "accuracy in percent (secondary structure)", q3));
  add(of_two_classes("f1", "harmonic mean of precision and recall, two classes", f1));
  add(of_two_classes(
      "precision", "right share of the positive answers (SP of Merat), two classes", precision));
  add(of_two_classes("recall", "share of the positives found, two classes", recall));
  add(of_two_classes("sensitivity", "the same as recall (SN of Merat)", sensitivity));
  add(of_two_classes(
      "specificity", "share of the negatives left alone (nSN of Merat), two classes", specificity));
  add(of_two_classes("npv",
                     "right share of the negative answers (nSP of Merat), two classes",
                     negative_predictive_value));

  add(of_scores("auc", "area under the ROC curve, ties one half", roc_auc));
  add(of_scores("pr_auc", "average precision, without interpolation", average_precision));
  add(of_probabilities("log_loss", "mean of -log probability of the true class", log_loss));
  add(of_probabilities(
      "brier", "mean squared error of probabilities (two classes: of class 1)", brier));

  add(of_targets("mse", Better::smaller, "mean squared error", mean_squared_error));
  add(of_targets("mae", Better::smaller, "mean absolute error", mean_absolute_error));
  add(of_targets("r2", Better::larger, "1 - squared error / variance of the targets", r_squared));
  add(of_targets("squared_correlation",
                 Better::larger,
                 "square of Pearson's correlation",
                 squared_correlation));

  add(of_clusters("misassignment",
                  Better::smaller,
                  "error of the best one-to-one matching of clusters and classes",
                  misassignment));
  add(of_clusters("matched_accuracy", Better::larger, "1 - misassignment", matched_accuracy));
  add(of_clusters("majority_error",
                  Better::smaller,
                  "error when every cluster is named by its largest class",
                  majority_error));
  add(of_clusters("purity", Better::larger, "1 - majority_error", purity));
  add(of_clusters("ari",
                  Better::larger,
                  "adjusted Rand index, 0 by chance, 1 for equal partitions",
                  adjusted_rand_index));
  add(of_clusters("nmi",
                  Better::larger,
                  "mutual information over the arithmetic mean of the entropies",
                  normalized_mutual_information));
  return table;
}

}  // namespace

std::span<const Metric> all_metrics() {
  static const std::vector<Metric> table = make_table();
  return table;
}

const Metric& metric_by_name(std::string_view name) {
  std::string known;
  for (const Metric& metric : all_metrics()) {
    if (metric.name == name) return metric;
    known += (known.empty() ? "" : ", ") + metric.name;
  }
  throw InvalidArgument("unknown metric \"" + std::string(name) + "\"; known are " + known);
}

}  // namespace maxmargin
