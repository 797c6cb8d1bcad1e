// SPDX-License-Identifier: Apache-2.0
#include "sequence_options.hpp"

#include <algorithm>
#include <cmath>

#include "checkpoints.hpp"
#include "maxmargin/core/number.hpp"
#include "option_table.hpp"
#include "structured_options.hpp"

namespace maxmargin::tool {

namespace {

/// --chunks: the scheme whose rules predictions keep.
std::optional<ChunkScheme> chunks_of(const Arguments& arguments) {
  const std::string name = arguments.choice_or("chunks", "none", {"none", "iob1", "iob2", "iobes"});
  if (name == "iob1") return ChunkScheme::iob1;
  if (name == "iob2") return ChunkScheme::iob2;
  if (name == "iobes") return ChunkScheme::iobes;
  return std::nullopt;
}

/// --class-weight as weights of the labels.
std::vector<double> label_weights(const Arguments& arguments, const SequenceData& data) {
  const std::optional<std::string> text = arguments.text("class-weight");
  if (!text) return {};
  std::vector<double> counts(data.label_names.size(), 0.0);
  double tokens = 0;
  for (const LabelSequence& labels : data.labels) {
    for (const std::uint32_t label : labels) ++counts[label];
    tokens += static_cast<double>(labels.size());
  }
  std::vector<double> weights(counts.size(), 1.0);
  if (*text == "balanced") {
    for (std::size_t l = 0; l < counts.size(); ++l) {
      if (counts[l] > 0) weights[l] = tokens / (static_cast<double>(counts.size()) * counts[l]);
    }
    return weights;
  }
  std::size_t begin = 0;
  while (begin <= text->size()) {
    const std::size_t end = std::min(text->find(',', begin), text->size());
    const std::string part = text->substr(begin, end - begin);
    const std::size_t sign = std::min(part.rfind('='), part.size());
    const auto name = std::ranges::find(data.label_names, part.substr(0, sign));
    const double weight =
        sign == part.size() ? -1.0 : parse_number(part.substr(sign + 1)).value_or(-1.0);
    if (!(weight >= 0) || std::isinf(weight) || name == data.label_names.end()) {
      throw UsageError("--class-weight " + part +
                       ": must be balanced, or LABEL=WEIGHT,... of labels in the data");
    }
    weights[static_cast<std::size_t>(name - data.label_names.begin())] = weight;
    begin = end + 1;
  }
  return weights;
}

/// Slack rescaling counts costs.
void check_costs(const SequenceTaggerOptions& options, const Arguments& arguments) {
  if (options.rescaling != Rescaling::slack || options.label_weights.empty()) return;
  const ChainTask task({.labels = options.label_weights.size(),
                        .costs = costs_of_label_weights(options.label_weights)});
  if (task.cost_unit()) return;
  throw UsageError("--class-weight " + arguments.text_or("class-weight", "") +
                   ": must be whole multiples of one number, at most 1000 times it, with "
                   "--rescaling slack");
}

SequenceCriterion criterion_of(const Arguments& arguments) {
  const std::string name = arguments.choice_or(
      "solver",
      "bcfw",
      {"bcfw", "one-slack", "n-slack", "subgradient", "mira", "crf", "perceptron"});
  if (name == "crf") return SequenceCriterion::log_loss;
  return name == "perceptron" ? SequenceCriterion::perceptron : SequenceCriterion::hinge;
}

/// Options that the hinge has, but not the criterion asked for.
void refuse_hinge_options(SequenceCriterion criterion, const Arguments& arguments) {
  const std::string solver = arguments.text_or("solver", "");
  refuse_checkpoints(arguments, solver);
  std::vector<std::string> refused = {"rescaling", "class-weight"};
  if (criterion == SequenceCriterion::perceptron) {
    refused.insert(refused.end(), {"C", "tolerance"});
  }
  for (const std::string& option : refused) {
    if (!arguments.has(option)) continue;
    throw UsageError(main_flag(option) + ": --solver " + solver + " has none");
  }
}

}  // namespace

FeatureIndexOptions index_options(const Arguments& arguments) {
  FeatureIndexOptions index;
  index.kind = parse_feature_index_kind(
      arguments.choice_or("index", "dictionary", {"dictionary", "hashed"}));
  const bool hashed = index.kind == FeatureIndexKind::hashed;
  if (arguments.has(hashed ? "min-count" : "hash-bits")) {
    throw UsageError(hashed ? "--min-count: belongs to --index dictionary"
                            : "--hash-bits: belongs to --index hashed");
  }
  index.minimum_count = arguments.whole("min-count", 1).value_or(index.minimum_count);
  if (const auto bits = arguments.whole("hash-bits", 1)) {
    if (*bits > 31) throw UsageError("--hash-bits: must be from 1 to 31");
    index.hash_bits = *bits;
  }
  return index;
}

SequenceTaggerOptions tagger_options(const Arguments& arguments,
                                     const SequenceData& data,
                                     bool has_pairs) {
  SequenceTaggerOptions options;
  options.criterion = criterion_of(arguments);
  if (options.criterion == SequenceCriterion::hinge) {
    options.method = structural_method_of(arguments);
  } else {
    refuse_hinge_options(options.criterion, arguments);
  }
  options.order = arguments.whole("order", 0).value_or(has_pairs ? 1 : 0);
  if (options.order > 2) throw UsageError("--order: must be 0, 1 or 2");
  if (options.order != 1 && options.criterion == SequenceCriterion::log_loss) {
    throw UsageError("--order: must be 1 with --solver crf" +
                     std::string(has_pairs ? "" : ", and the template has no B line"));
  }
  options.rescaling = rescaling_of(arguments);
  options.chunks = chunks_of(arguments);
  options.label_weights = label_weights(arguments, data);
  check_costs(options, arguments);
  options.solving = structural_options_of(arguments);
  return options;
}

std::string solver_name(const SequenceTaggerOptions& options) {
  switch (options.criterion) {
    case SequenceCriterion::log_loss:
      return "crf";
    case SequenceCriterion::perceptron:
      return "perceptron";
    case SequenceCriterion::hinge:
      break;
  }
  return std::string(to_string(options.method));
}

bool has_objective(const SequenceTaggerOptions& options) {
  return options.criterion == SequenceCriterion::log_loss ||
         (options.criterion == SequenceCriterion::hinge &&
          options.method != StructuralMethod::mira);
}

}  // namespace maxmargin::tool
