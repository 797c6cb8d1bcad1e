// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/sequence_options.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/structured/tasks/chain.hpp"

namespace maxmargin::learning {

namespace {

constexpr std::string_view balanced_name = "balanced";

std::optional<LabelWeights> parse_label_weights(std::string_view text) {
  LabelWeights weights;
  if (text == balanced_name) {
    weights.balanced = true;
    return weights;
  }
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const std::size_t sign = part.rfind('=');
    if (sign == std::string_view::npos || sign == 0) return std::nullopt;
    const std::optional<double> weight = parse_number(part.substr(sign + 1));
    if (!weight) return std::nullopt;
    weights.by_name.emplace_back(part.substr(0, sign), *weight);
    begin = end + 1;
  }
  return weights;
}

/// A label that has more than one weight.
const std::string* named_twice(const LabelWeights& weights) {
  for (std::size_t i = 0; i < weights.by_name.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (weights.by_name[i].first == weights.by_name[j].first) return &weights.by_name[i].first;
    }
  }
  return nullptr;
}

class LabelWeightsValue final : public OptionValue {
 public:
  explicit LabelWeightsValue(LabelWeights& weights) : weights_(weights) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override {
    return "balanced, or LABEL=WEIGHT,... of labels in the data";
  }
  [[nodiscard]] bool set(std::string_view text) override {
    std::optional<LabelWeights> read = parse_label_weights(text);
    if (!read || !are_weights(*read)) return false;
    if (const std::string* const twice = named_twice(*read)) {
      throw InvalidArgument(
          breach("class-weight", text, "one weight a label: " + *twice + " has several"));
    }
    weights_ = std::move(*read);
    return true;
  }
  [[nodiscard]] bool holds() const override { return are_weights(weights_); }
  [[nodiscard]] OptionScalar scalar() const override {
    return weights_.empty() ? OptionScalar{} : OptionScalar(weights_.text());
  }

 private:
  static bool are_weights(const LabelWeights& weights) {
    return std::ranges::all_of(weights.by_name, [](const auto& each) {
      return each.second >= 0 && std::isfinite(each.second);
    });
  }

  LabelWeights& weights_;
};

std::vector<double> balanced_weights(const SequenceData& data) {
  std::vector<double> counts(data.label_names.size(), 0.0);
  double tokens = 0;
  for (const LabelSequence& labels : data.labels) {
    for (const std::uint32_t label : labels) ++counts[label];
    tokens += static_cast<double>(labels.size());
  }
  std::vector<double> weights(counts.size(), 1.0);
  for (std::size_t l = 0; l < counts.size(); ++l) {
    if (counts[l] > 0) weights[l] = tokens / (static_cast<double>(counts.size()) * counts[l]);
  }
  return weights;
}

}  // namespace

std::string LabelWeights::text() const {
  if (balanced) return std::string(balanced_name);
  std::string text;
  for (const auto& [name, weight] : by_name) {
    text += (text.empty() ? "" : ",") + name + "=" + format_number(weight);
  }
  return text;
}

std::vector<double> LabelWeights::for_labels_of(const SequenceData& data) const {
  if (empty()) return {};
  if (balanced) return balanced_weights(data);
  std::vector<double> weights(data.label_names.size(), 1.0);
  for (const auto& [name, weight] : by_name) {
    const auto at = std::ranges::find(data.label_names, name);
    if (at == data.label_names.end()) {
      throw InvalidArgument(breach("class-weight",
                                   name + "=" + format_number(weight),
                                   "balanced, or LABEL=WEIGHT,... of labels in the data"));
    }
    weights[static_cast<std::size_t>(at - data.label_names.begin())] = weight;
  }
  return weights;
}

void SequenceChoice::describe(OptionVisitor& visit) {
  tagger.describe(visit);
  LabelWeightsValue weights(class_weight);
  visit.option({.name = "class-weight",
                .help = "what an error costs by the true label: balanced, or LABEL=WEIGHT,...",
                .value = "WEIGHTS",
                .fallback = "all 1"},
               weights);
  visit.text({.name = "template",
              .help = "features of text: chunking, tagging, or a file of templates",
              .value = "NAME|FILE",
              .fallback = "chunking; tagging for one column"},
             templates);
  index.describe(visit);
  const bool keeps_none =
      tagger.criterion != SequenceCriterion::hinge || !has_checkpoints(tagger.method);
  checkpoints.describe(visit, keeps_none ? tagger.solver() : "");
  visit.rule(tagger.criterion == SequenceCriterion::hinge || class_weight.empty(),
             "--class-weight: --solver " + std::string(tagger.solver()) + " has none");
}

void SequenceChoice::refuse_text_options() const {
  const FeatureIndexOptions usual;
  const std::string_view given = templates                                    ? "template"
                                 : index.kind != usual.kind                   ? "index"
                                 : index.hash_bits != usual.hash_bits         ? "hash-bits"
                                 : index.minimum_count != usual.minimum_count ? "min-count"
                                                                              : "";
  if (given.empty()) return;
  throw InvalidArgument(flag_of(given) + ": belongs to text, the data is numbers");
}

SequenceTaggerOptions SequenceChoice::for_data(const SequenceData& data, bool has_pairs) const {
  SequenceTaggerOptions options = tagger;
  if (!options.order) options.order = has_pairs ? 1 : 0;
  if (options.order != 1 && options.criterion == SequenceCriterion::log_loss) {
    throw InvalidArgument("--order: must be 1 with --solver crf, and the template has no B line");
  }
  options.label_weights = class_weight.for_labels_of(data);
  if (options.rescaling != Rescaling::slack || options.label_weights.empty()) return options;
  // Slack rescaling counts costs.
  const ChainTask task({.labels = options.label_weights.size(),
                        .costs = costs_of_label_weights(options.label_weights)});
  if (!task.cost_unit()) {
    throw InvalidArgument(breach("class-weight",
                                 class_weight.text(),
                                 "whole multiples of one number, at most 1000 times it, with "
                                 "--rescaling slack"));
  }
  return options;
}

}  // namespace maxmargin::learning
