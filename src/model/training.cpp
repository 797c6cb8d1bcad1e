// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/training.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/weights.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"
#include "model/labelled_rows.hpp"

namespace maxmargin {

namespace {

/// "iris.csv: " in front of a message, when the source has a name.
std::string place(const Dataset& data) { return data.source.empty() ? "" : data.source + ": "; }

std::vector<double> weight_of_each_class(const Dataset& data,
                                         const Classes& classes,
                                         const ClassWeights& weights) {
  require(!weights.balanced || weights.by_class.empty(),
          "class weights are balanced or given by class, not both");
  std::vector<double> result(classes.count(), 1.0);
  if (weights.balanced) {
    std::vector<double> mass(classes.count(), 0.0);
    double total = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      const double weight = weight_of(data.weights, i);
      mass[static_cast<std::size_t>(classes.of_row[i])] += weight;
      total += weight;
    }
    for (std::size_t c = 0; c < result.size(); ++c) {
      const double share = mass[c] * static_cast<double>(result.size());
      result[c] = share > 0 ? total / share : 1.0;
    }
  }
  for (const auto& [label, weight] : weights.by_class) {
    require_field(std::isfinite(weight) && weight >= 0,
                  "class weight of " + label.text(),
                  weight,
                  "finite and >= 0");
    const auto index = find_class(classes.names, label);
    require(index.has_value(),
            place(data) + "a class weight names class " + label.text() + ", which does not occur");
    result[static_cast<std::size_t>(*index)] = weight;
  }
  return result;
}

}  // namespace

void require_all_labelled(const Dataset& data) {
  data.validate();
  require(data.size() > 0, place(data) + "no examples to train on");
  require(data.label_sets.empty(),
          place(data) + "label sets, but this learner wants one label a row");
  require(data.has_labels(), place(data) + "no labels to train on");
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data.labels.is_labelled(i)) continue;
    throw InvalidArgument(place(data) + "row " + std::to_string(i) +
                          " (from 0) has no label; this learner wants a label in every row");
  }
}

void TrainingControl::describe(OptionVisitor& visit, std::string_view most_iterations) {
  visit.number(
      {.name = "tolerance", .help = "relative duality gap at which a solve stops", .value = "GAP"},
      tolerance,
      rules::share_inside);
  visit.whole({.name = "max-iterations",
               .help = "upper limit on the steps of one solve",
               .fallback = most_iterations},
              max_iterations,
              {.least = 1});
  visit.threads(context.threads);
}

namespace {

/// Empty for a text that is none.
std::optional<ClassWeights> read_class_weights(std::string_view text) {
  ClassWeights weights;
  if (text == "balanced") {
    weights.balanced = true;
    return weights;
  }
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    const std::size_t equals = item.rfind('=');
    std::optional<double> value;
    if (equals != std::string_view::npos && equals > 0)
      value = parse_number(item.substr(equals + 1));
    if (!value) return std::nullopt;
    weights.by_class.emplace_back(Label::parse(item.substr(0, equals)), *value);
    begin = end + 1;
  }
  return weights;
}

/// A class that has more than one weight.
const Label* named_twice(const ClassWeights& weights) {
  for (std::size_t i = 0; i < weights.by_class.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (weights.by_class[i].first == weights.by_class[j].first) return &weights.by_class[i].first;
    }
  }
  return nullptr;
}

}  // namespace

ClassWeights parse_class_weights(std::string_view text) {
  std::optional<ClassWeights> weights = read_class_weights(text);
  require(weights.has_value(),
          "class weights \"" + std::string(text) +
              "\", must be balanced or label=weight,label=weight,...");
  if (const Label* const twice = named_twice(*weights)) {
    throw InvalidArgument("class weights \"" + std::string(text) + "\": the class " +
                          twice->text() + " has several");
  }
  return std::move(*weights);
}

std::string to_string(const ClassWeights& weights) {
  if (weights.balanced) return "balanced";
  std::string text;
  for (const auto& [label, weight] : weights.by_class) {
    text += (text.empty() ? "" : ",") + label.text() + "=" + format_number(weight);
  }
  return text;
}

namespace {

class ClassWeightsValue final : public OptionValue {
 public:
  explicit ClassWeightsValue(ClassWeights& weights) : weights_(weights) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override {
    return "balanced or LABEL=WEIGHT,... with finite weights >= 0";
  }
  [[nodiscard]] bool set(std::string_view text) override {
    std::optional<ClassWeights> read = read_class_weights(text);
    if (!read || !are_weights(*read)) return false;
    if (const Label* const twice = named_twice(*read)) {
      throw InvalidArgument(
          breach("class-weight", text, "one weight a class: " + twice->text() + " has several"));
    }
    weights_ = std::move(*read);
    return true;
  }
  [[nodiscard]] bool holds() const override { return are_weights(weights_); }
  [[nodiscard]] OptionScalar scalar() const override {
    std::string text = to_string(weights_);
    return text.empty() ? OptionScalar{} : OptionScalar(std::move(text));
  }

 private:
  static bool are_weights(const ClassWeights& weights) {
    const bool all = std::ranges::all_of(weights.by_class, [](const auto& each) {
      return std::isfinite(each.second) && each.second >= 0;
    });
    return all && (!weights.balanced || weights.by_class.empty());
  }
  ClassWeights& weights_;
};

}  // namespace

void describe_class_weights(OptionVisitor& visit, ClassWeights& weights) {
  ClassWeightsValue value(weights);
  visit.option({.name = "class-weight",
                .help = "balanced, or LABEL=WEIGHT,...: how much their rows count",
                .value = "WEIGHTS",
                .fallback = "all 1"},
               value);
}

ClassificationTask classification_task(const Dataset& data,
                                       const ClassWeights& weights,
                                       bool allow_one_class) {
  require_all_labelled(data);
  ClassificationTask task{.classes = classes_of(data.labels), .weights = {}};
  require(allow_one_class || task.classes.count() > 1,
          place(data) + "all labels are " + task.classes.names.front().text() +
              "; a classifier wants at least two classes");
  const std::vector<double> by_class = weight_of_each_class(data, task.classes, weights);
  task.weights.resize(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    task.weights[i] =
        weight_of(data.weights, i) * by_class[static_cast<std::size_t>(task.classes.of_row[i])];
  }
  return task;
}

RegressionTask regression_task(const Dataset& data) {
  require_all_labelled(data);
  for (std::size_t i = 0; i < data.size() && !data.labels.all_numbers(); ++i) {
    const Label label = *data.labels.at(i);
    if (label.is_number()) continue;
    throw InvalidArgument(place(data) + "the label of row " + std::to_string(i) + " (from 0) is " +
                          label.text() + "; regression wants numbers");
  }
  const auto targets = data.labels.numbers();
  RegressionTask task{.targets = {targets.begin(), targets.end()}, .weights = data.weights};
  if (task.weights.empty()) task.weights.assign(data.size(), 1.0);
  return task;
}

}  // namespace maxmargin
