// SPDX-License-Identifier: Apache-2.0
//
// --learner sequence: labels for the positions of sequences (docs/guide/tagging.md).
#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include "checkpoints.hpp"
#include "data_source.hpp"
#include "feature_checks.hpp"
#include "fingerprint.hpp"
#include "learner_options.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/sequence_map_file.hpp"
#include "maxmargin/io/model/sequence_tagger_file.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/structured/tasks/chain_rules.hpp"
#include "option_names.hpp"
#include "sequence_measures.hpp"
#include "sequence_options.hpp"
#include "sequence_source.hpp"
#include "structured_options.hpp"

namespace maxmargin::tool {

namespace {

constexpr auto sequence_options = joined(solving_options,
                                         names("order",
                                               "rescaling",
                                               "template",
                                               "index",
                                               "hash-bits",
                                               "min-count",
                                               "chunks",
                                               "class-weight",
                                               "format",
                                               "label",
                                               "columns"));
constexpr std::array sequence_predict_options =
    names("n-best", "margins", "format", "label", "columns");
constexpr std::array sequence_eval_options = names("format", "label");

/// Data with what leads from its file to it.
struct TrainingSequences {
  SequenceFormat format = SequenceFormat::conll;
  SequenceData data = {};
  std::size_t columns = 0;
  std::optional<SequenceMap> map = std::nullopt;
};

TrainingSequences load_training(const Arguments& arguments) {
  SequenceSource source = load_sequences(arguments.positionals.at(0), arguments);
  TrainingSequences loaded{.format = source.format};
  if (source.numbers) {
    for (const std::string_view option : {"template", "index", "hash-bits", "min-count"}) {
      if (arguments.has(option)) {
        throw UsageError("--" + std::string(option) + ": belongs to text, the data is numbers");
      }
    }
    loaded.data = std::move(*source.numbers);
    return loaded;
  }
  const TaggedText& text = *source.text;
  if (text.tokens() == 0) throw FileError(text.source, "has no tokens");
  if (!text.has_tags()) throw FileError(text.source, "has no tags to learn from");
  loaded.columns = text.columns();
  // With a column beside the words there are tags of another kind to look at, as in chunking.
  const std::string name =
      arguments.text_or("template", text.columns() > 1 ? "chunking" : "tagging");
  loaded.map =
      learn_sequence_map(text,
                         find_templates(name),
                         {.index = index_options(arguments), .threads = threads_of(arguments)});
  loaded.data = loaded.map->apply(text, threads_of(arguments));
  return loaded;
}

std::uint64_t fingerprint(const SequenceData& data) {
  Fingerprint hash;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Sequence& input = data.inputs[i];
    hash.mix(std::uint64_t{input.size()});
    hash.mix(std::span<const std::uint32_t>(data.labels[i]));
    hash.mix(std::span<const std::uint32_t>(input.indices));
    hash.mix(std::span<const std::uint32_t>(input.step_indices));
    hash.mix(std::span<const double>(input.values));
  }
  return hash.value();
}

SequencePlace first_place_of(std::size_t label, std::span<const LabelSequence> sequences) {
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    for (std::size_t t = 0; t < sequences[i].size(); ++t) {
      if (sequences[i][t] == label) return {.sequence = i, .position = t};
    }
  }
  throw InternalError("a label without a position");
}

/// --chunks: all tags must keep the rules that predictions are to keep. Names the line of the first
/// that does not.
void check_chunks(const TrainingSequences& loaded, ChunkScheme scheme, const std::string& path) {
  const SequenceData& data = loaded.data;
  const auto fail = [&](SequencePlace at, const std::string& problem) {
    std::size_t token = at.position;
    for (std::size_t i = 0; i < at.sequence; ++i) token += data.labels[i].size();
    throw ParseError(
        data.source,
        place_of_token(path, loaded.format, token),
        "the tag " + data.label_names[data.labels[at.sequence][at.position]] + ", " + problem);
  };
  for (std::size_t label = 0; label < data.label_names.size(); ++label) {
    try {
      (void)chunk_rules(std::span(data.label_names).subspan(label, 1), scheme);
    } catch (const InvalidArgument&) {
      fail(first_place_of(label, data.labels), "which the scheme of --chunks does not have");
    }
  }
  const ChainRules rules = chunk_rules(data.label_names, scheme);
  if (const auto place = first_forbidden(rules, data.label_names.size(), data.labels)) {
    const LabelSequence& own = data.labels[place->sequence];
    const bool is_last = place->position + 1 == own.size();
    const std::string where =
        place->position == 0 ? "first" : "behind " + data.label_names[own[place->position - 1]];
    fail(*place, where + (is_last ? " and last" : "") + ": such tags break the rules of --chunks");
  }
}

/// What, with the data, decides the answer but for how exact it is.
ReportFields shown_options(const SequenceTaggerOptions& options,
                           const TrainingSequences& loaded,
                           const Arguments& arguments) {
  ReportFields fields;
  if (options.criterion != SequenceCriterion::perceptron) {
    fields.emplace_back("C", options.solving.c);
  }
  fields.emplace_back("solver", solver_name(options));
  fields.emplace_back("seed", whole(options.solving.seed));
  if (!has_objective(options)) {
    fields.emplace_back("max_iterations", whole(options.solving.max_passes));
  }
  fields.emplace_back("format", to_string(loaded.format));
  fields.emplace_back("order", whole(options.order));
  if (options.criterion == SequenceCriterion::hinge) {
    fields.emplace_back("rescaling", arguments.text_or("rescaling", "margin"));
  }
  fields.emplace_back("chunks", arguments.text_or("chunks", "none"));
  if (loaded.map) {
    fields.emplace_back("template",
                        arguments.text_or("template", loaded.columns > 1 ? "chunking" : "tagging"));
    fields.emplace_back("index", arguments.text_or("index", "dictionary"));
    if (loaded.map->positions.is_hashed()) {
      fields.emplace_back("hash_bits", whole(loaded.map->positions.hash_bits()));
    } else {
      fields.emplace_back("min_count", whole(arguments.whole("min-count", 1).value_or(1)));
    }
  }
  if (const auto weights = arguments.text("class-weight")) {
    fields.emplace_back("class_weight", *weights);
  }
  return fields;
}

ModelDocument document_of(const TrainingSequences& loaded,
                          const TrainedSequenceTagger& trained,
                          const ReportFields& options,
                          const Arguments& arguments) {
  ModelDocument document("sequence");
  document.set_string("text.format", to_string(loaded.format));
  document.set_integer("text.columns", whole(loaded.columns));
  // Which of the file's columns these were, if not the usual ones.
  for (const char* option : {"label", "columns"}) {
    if (const auto value = arguments.text(option)) {
      document.set_string(std::string("text.option.") + option, *value);
    }
  }
  add_sequence_tagger(document, trained.model);
  if (loaded.map) store_sequence_map(*loaded.map, document);
  keep_training(trained.report, options, document);
  return document;
}

/// The objective of what the document holds.
double recomputed_objective(const ModelDocument& document,
                            const SequenceData& data,
                            const SequenceTaggerOptions& options) {
  const SequenceTagger tagger = sequence_tagger_of(document);
  return options.criterion == SequenceCriterion::log_loss
             ? sequence_log_objective(tagger, data, options.solving.c)
             : sequence_objective(tagger, data, options.solving.c, options.rescaling);
}

StructuredTraining train_sequence(const Arguments& arguments,
                                  const ProgressCallback& progress,
                                  PhaseTimer& timer) {
  timer.enter("read");
  const TrainingSequences loaded = load_training(arguments);
  const SequenceData& data = loaded.data;
  if (data.labels.empty()) throw FileError(data.source, "has no labels to learn from");
  SequenceTaggerOptions options =
      tagger_options(arguments, data, !loaded.map || loaded.map->templates.transitions);
  if (options.chunks) check_chunks(loaded, *options.chunks, arguments.positionals.at(0));
  options.solving.on_progress = progress;
  ReportFields shown = shown_options(options, loaded, arguments);
  Checkpoints checkpoints(arguments, options.method, shown, fingerprint(data), options.solving);
  if (has_objective(options)) shown.emplace_back("tolerance", options.solving.tolerance);
  timer.leave();
  const TrainedSequenceTagger trained = train_sequence_tagger(data, options, checkpoints.start());
  timer.enter("measure");
  StructuredPrediction own;
  add_sequence_measures(data.labels,
                        trained.model.predict(data.inputs, threads_of(arguments)),
                        data.label_names,
                        own);
  own.metrics.emplace_back("oracle_calls", static_cast<double>(trained.oracle_calls));
  StructuredTraining answer{.document = document_of(loaded, trained, shown, arguments),
                            .report = trained.report,
                            .examples = data.size(),
                            .weights = trained.model.task.dimension(),
                            .options = std::move(shown),
                            .metrics = std::move(own.metrics)};
  checkpoints.add_warnings(answer.report);
  if (data.label_names.size() == 1) {
    answer.report.warnings.push_back(data.source + ": all labels are " + data.label_names.front() +
                                     ", so the model has no other answer");
  }
  if (arguments.has("verify")) {
    timer.enter("verify");
    answer.recomputed_objective = recomputed_objective(answer.document, data, options);
  }
  timer.leave();
  return answer;
}

/// Lines of one sequence: its cells, where it was text, and what the tagger says.
void add_lines(const TaggedText* text,
               std::size_t sequence,
               const LabelSequence& labels,
               const std::vector<std::string>& names,
               const std::vector<double>& margins,
               std::string& lines) {
  for (std::size_t t = 0; t < labels.size(); ++t) {
    if (text != nullptr) {
      for (std::size_t c = 0; c < text->columns(); ++c) {
        lines.append(text->cell(text->begin(sequence) + t, c)).append("\t");
      }
    }
    if (!margins.empty()) lines.append(format_number(margins[t])).append("\t");
    lines.append(names[labels[t]]).append("\n");
  }
  lines.append("\n");
}

StructuredPrediction predict_sequence(const ModelDocument& model,
                                      const Arguments& arguments,
                                      PhaseTimer& timer) {
  const SequenceTagger tagger = sequence_tagger_of(model);
  const std::string& format = model.string("text.format");
  KnownSequences known{.format = format == "conllu"   ? SequenceFormat::conllu
                                 : format == "svmhmm" ? SequenceFormat::svmhmm
                                                      : SequenceFormat::conll,
                       .columns = static_cast<std::size_t>(model.integer("text.columns")),
                       .label_names = tagger.label_names};
  const auto trained_with = [&](const std::string& option) -> std::optional<std::string> {
    const std::string name = "text.option." + option;
    return model.has(name) ? std::optional(model.string(name)) : std::nullopt;
  };
  known.label = trained_with("label");
  known.column_names = trained_with("columns");
  SequenceSource source = load_sequences(arguments.positionals.at(1), arguments, &known);
  SequenceData data{.source = arguments.positionals.at(1)};
  std::vector<std::string> warnings;
  if (source.numbers) {
    data = std::move(*source.numbers);
    if (data.size() > 0) {
      check_features(data.source, data.features, tagger.task.options().features, warnings);
    }
  } else if (source.text->tokens() > 0) {
    // Without a token there are no columns for templates to look at, and nothing to say.
    data = load_sequence_map(model).apply(*source.text, threads_of(arguments));
  }
  const TaggedText* text = source.text ? &*source.text : nullptr;
  timer.enter("predict");
  StructuredPrediction prediction{
      .examples = data.size(), .weights = tagger.task.dimension(), .warnings = std::move(warnings)};
  const std::vector<LabelSequence> labels = tagger.predict(data.inputs, threads_of(arguments));
  const std::optional<std::uint64_t> best = arguments.whole("n-best", 1);
  if (best && arguments.has("margins")) {
    throw UsageError("--n-best and --margins exclude each other");
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Sequence& x = data.inputs[i];
    if (best) {
      std::size_t rank = 0;
      for (const ScoredLabels& answer : tagger.task.n_best(x, tagger.weights, *best)) {
        prediction.lines += "# sequence " + std::to_string(i + 1) + " rank " +
                            std::to_string(++rank) + " score = " + format_number(answer.score) +
                            "\n";
        add_lines(text, i, answer.labels, tagger.label_names, {}, prediction.lines);
      }
    } else {
      std::vector<double> margins;
      if (arguments.has("margins")) margins = tagger.task.margins(x, tagger.weights);
      add_lines(text, i, labels[i], tagger.label_names, margins, prediction.lines);
    }
  }
  timer.enter("measure");
  if (!data.labels.empty()) {
    if (data.label_names.size() > tagger.label_names.size()) {
      prediction.warnings.push_back(
          data.source + " has labels that the training data has not (" +
          data.label_names[tagger.label_names.size()] +
          (data.label_names.size() > tagger.label_names.size() + 1 ? ", ..." : "") +
          "): they count as errors");
    }
    add_sequence_measures(data.labels, labels, data.label_names, prediction);
  }
  return prediction;
}

/// True where there are none at all.
bool have_common_label(std::span<const LabelSequence> truth,
                       std::span<const LabelSequence> predicted) {
  std::set<std::uint32_t> known;
  for (const LabelSequence& labels : truth) known.insert(labels.begin(), labels.end());
  if (known.empty()) return true;
  return std::ranges::any_of(predicted, [&](const LabelSequence& labels) {
    return std::ranges::any_of(labels, [&](std::uint32_t label) { return known.contains(label); });
  });
}

StructuredPrediction evaluate_sequences(const Arguments& arguments) {
  const std::string& truth_path = arguments.positionals.at(0);
  const std::string& path = arguments.positionals.at(1);
  const LabelledSequences truth = load_labels(truth_path, arguments);
  const LabelledSequences predicted = load_labels(path, arguments, &truth);
  if (predicted.labels.size() != truth.labels.size()) {
    throw FileError(path,
                    "holds " + std::to_string(predicted.labels.size()) + " sequences, but " +
                        truth_path + " holds " + std::to_string(truth.labels.size()));
  }
  for (std::size_t i = 0; i < truth.labels.size(); ++i) {
    const std::size_t here = predicted.labels[i].size();
    const std::size_t there = truth.labels[i].size();
    if (here == there) continue;
    throw FileError(path,
                    "sequence " + std::to_string(i + 1) + " has " + std::to_string(here) +
                        " positions, but " + std::to_string(there) + " in " + truth_path);
  }
  StructuredPrediction found{.examples = truth.labels.size()};
  if (!have_common_label(truth.labels, predicted.labels)) {
    found.warnings.push_back(truth_path + " and " + path +
                             " have no label in common; --label is the column of the truth, the "
                             "predicted one is the last");
  }
  add_sequence_measures(truth.labels, predicted.labels, predicted.names, found);
  return found;
}

}  // namespace

const StructuredLearnerSpec& sequence_learner() {
  static constexpr StructuredLearnerSpec spec{
      "sequence",
      "labels of the positions of sequences, chosen together",
      sequence_options,
      train_sequence,
      predict_sequence,
      evaluate_sequences,
      sequence_predict_options,
      sequence_eval_options};
  return spec;
}

}  // namespace maxmargin::tool
