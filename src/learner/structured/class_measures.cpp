// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/class_measures.hpp"
#include "learner/defined.hpp"

#include <algorithm>

#include "learner/structured/label_table.hpp"
#include "maxmargin/metric/classification.hpp"

namespace maxmargin::learning {

namespace {

/// All that occur on either side, sorted.
std::vector<Label> names_on_either_side(const LabelColumn& truth,
                                        std::span<const Label> predicted) {
  std::vector<Label> names = classes_of(truth).names;
  names.insert(names.end(), predicted.begin(), predicted.end());
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// The mean over all pairs of classes for which a loss is defined, by how often they occur; how
/// many rows had none goes to `left_out`.
template <class Loss>
std::optional<double> mean_loss(const ConfusionMatrix& confusion,
                                std::span<const Label> names,
                                const Loss& loss,
                                double& left_out) {
  double sum = 0;
  double rows = 0;
  for (std::size_t y = 0; y < names.size(); ++y) {
    confusion.for_each_answer(y, [&](std::size_t z, double count) {
      if (const std::optional<double> value = loss(names[y], names[z])) {
        sum += count * *value;
        rows += count;
      } else {
        left_out += count;
      }
    });
  }
  return rows > 0 ? std::optional(sum / rows) : std::nullopt;
}

double cost_of(const ClassCosts& costs, const Label& truth, const Label& other) {
  const std::optional<std::int32_t> row = find_class(costs.classes, truth);
  const std::optional<std::int32_t> column = find_class(costs.classes, other);
  if (!row || !column) return truth == other ? 0 : 1;
  return costs.costs(static_cast<std::size_t>(*row), static_cast<std::size_t>(*column));
}

std::optional<double> tree_loss(const Taxonomy& tree, const Label& truth, const Label& other) {
  const std::optional<std::uint32_t> a = tree.find(truth);
  const std::optional<std::uint32_t> b = tree.find(other);
  if (!a || !b) return std::nullopt;
  return 0.5 * static_cast<double>(tree.edges_between(*a, *b));
}

}  // namespace

void add_class_measures(const LabelColumn& truth,
                        std::span<const Label> predicted,
                        const ClassTerms& terms,
                        RunReport& report) {
  if (truth.labelled_count() == 0) return;
  const std::vector<Label> names = names_on_either_side(truth, predicted);
  ConfusionMatrix confusion(names.size());
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const std::optional<Label> label = truth.at(i);
    if (label) confusion.add(*find_class(names, *label), *find_class(names, predicted[i]));
  }
  report.metrics.emplace_back("accuracy", defined(accuracy(confusion)));
  report.metrics.emplace_back("error", defined(error_rate(confusion)));
  double left_out = 0;
  if (terms.tree) {
    const auto loss = [&](const Label& y, const Label& z) { return tree_loss(*terms.tree, y, z); };
    report.metrics.emplace_back("tree_loss", mean_loss(confusion, names, loss, left_out));
  }
  if (left_out > 0) {
    report.solve.warnings.push_back("the tree loss leaves out " +
                                    std::to_string(static_cast<std::size_t>(left_out)) +
                                    " rows with a label that is no node of the taxonomy");
  }
  if (terms.costs) {
    const auto loss = [&](const Label& y, const Label& z) {
      return std::optional(cost_of(*terms.costs, y, z));
    };
    report.metrics.emplace_back("mean_cost", mean_loss(confusion, names, loss, left_out));
  }
  std::vector<ReportFields> rows;
  const std::vector<BinaryCounts> each = each_against_rest(confusion);
  for (std::size_t c = 0; c < names.size(); ++c) {
    rows.push_back(label_row("label", names[c].text(), each[c]));
  }
  report.tables.emplace_back("labels", std::move(rows));
}

}  // namespace maxmargin::learning
