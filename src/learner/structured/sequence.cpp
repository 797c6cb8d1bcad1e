// SPDX-License-Identifier: Apache-2.0
//
// sequence: labels for the positions of sequences (docs/guide/tagging.md).
#include <algorithm>
#include <span>
#include <utility>

#include "io/model/sequence_map_file.hpp"
#include "io/model/structured_file.hpp"
#include "learner/feature_checks.hpp"
#include "learner/structured/fingerprint.hpp"
#include "learner/structured/fold_measures.hpp"
#include "learner/structured/rows.hpp"
#include "learner/structured/sequence_answers.hpp"
#include "learner/structured/sequence_chunks.hpp"
#include "learner/structured/sequence_measures.hpp"
#include "learner/structured/sequence_options.hpp"
#include "learner/structured/sources_text.hpp"
#include "learner/structured/structured.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin::learning {

namespace {

struct SequencePredictionChoice {
  std::optional<std::uint64_t> n_best = std::nullopt;
  bool margins = false;

  void describe(OptionVisitor& visit) {
    visit.whole({.name = "n-best", .help = "write the N best answers, with their scores"},
                n_best,
                {.least = 1});
    visit.yes_no(
        {.name = "margins", .help = "write how much better each label is than the best other one"},
        margins);
    visit.rule(!n_best || !margins, "--n-best and --margins exclude each other");
  }
};

/// Sequences of numbers, with what leads from text to them.
struct TrainingSequences {
  const SequenceCollection& given;
  SequenceFormat format = SequenceFormat::conll;
  /// Where the data is text.
  std::string templates = {};
  std::optional<SequenceMap> map = std::nullopt;
  SequenceData mapped = {};
  /// Of numbers, where their tags had to be repaired.
  std::optional<SequenceData> repaired = std::nullopt;

  [[nodiscard]] const SequenceData& data() const {
    if (map) return mapped;
    return repaired ? *repaired : *given.numbers;
  }
  /// As repair_chunk_tags does.
  std::size_t repair_tags(ChunkScheme scheme) {
    if (map) return repair_chunk_tags(scheme, mapped.label_names, mapped.labels);
    std::vector<LabelSequence> labels = given.numbers->labels;
    const std::size_t count = repair_chunk_tags(scheme, given.numbers->label_names, labels);
    if (count == 0) return 0;
    repaired = *given.numbers;
    repaired->labels = std::move(labels);
    return count;
  }
};

TrainingSequences training_sequences(const SequenceCollection& given,
                                     const SequenceChoice& choice,
                                     std::optional<std::size_t> threads) {
  TrainingSequences made{.given = given, .format = given.format};
  if (given.numbers) {
    choice.refuse_text_options();
    made.format = SequenceFormat::svmhmm;
    return made;
  }
  require(given.text.has_value(), "there are no sequences to learn from");
  const TaggedText& text = *given.text;
  if (text.tokens() == 0) throw FileError(name_of(text.source), "has no tokens");
  if (!text.has_tags()) throw FileError(name_of(text.source), "has no tags to learn from");
  if (made.format == SequenceFormat::svmhmm) made.format = SequenceFormat::conll;
  // With a column beside the words there are tags of another kind to look at, as in chunking.
  made.templates = choice.templates.value_or(text.columns() > 1 ? "chunking" : "tagging");
  made.map = learn_sequence_map(text,
                                find_templates(made.templates),
                                {.index = choice.index, .context = {.threads = threads}});
  made.mapped = made.map->apply(text, threads);
  return made;
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

/// What was found, and what has no meaning for this solver or this data.
ReportFields used_options(const SequenceTaggerOptions& options, const TrainingSequences& made) {
  constexpr std::monostate nothing;
  ReportFields used = {{"order", static_cast<std::int64_t>(options.order.value_or(1))}};
  if (options.criterion == SequenceCriterion::perceptron) used.emplace_back("C", nothing);
  if (options.criterion != SequenceCriterion::hinge) used.emplace_back("rescaling", nothing);
  if (!options.reports_objective()) {
    used.emplace_back("tolerance", nothing);
    used.emplace_back("max_iterations",
                      static_cast<std::int64_t>(options.solving.passes(online_passes)));
  }
  if (!made.map) {
    for (const char* const key : {"index", "hash_bits", "min_count"}) {
      used.emplace_back(key, nothing);
    }
    return used;
  }
  used.emplace_back("template", made.templates);
  used.emplace_back(made.map->positions.is_hashed() ? "min_count" : "hash_bits", nothing);
  return used;
}

ModelDocument body_of(const TrainingSequences& made, const SequenceTagger& tagger) {
  ModelDocument body("sequence");
  const SequenceCollection& given = made.given;
  body.set_string("text.format", std::string(to_string(made.format)));
  body.set_integer("text.columns", made.map ? static_cast<std::int64_t>(given.text->columns()) : 0);
  // Which of the file's columns these were, if not the usual ones.
  if (given.label) body.set_string("text.option.label", *given.label);
  if (given.columns) body.set_string("text.option.columns", *given.columns);
  add_sequence_tagger(body, tagger);
  if (made.map) store_sequence_map(*made.map, body);
  return body;
}

StructuredFit train(const SequenceCollection& given,
                    const SequenceChoice& choice,
                    const StructuredInput& input) {
  const std::optional<std::size_t> threads = input.context.threads;
  if (choice.tagger.criterion != SequenceCriterion::hinge) {
    choice.checkpoints.refuse(choice.tagger.solver());
  }
  input.timer.enter("prepare");
  TrainingSequences made = training_sequences(given, choice, threads);
  const std::size_t repaired = choice.tagger.chunks ? made.repair_tags(*choice.tagger.chunks) : 0;
  const SequenceData& data = made.data();
  if (data.labels.empty()) {
    throw FileError(name_of(data.source), "has no labels to learn from");
  }
  SequenceTaggerOptions options =
      choice.for_data(data, !made.map || made.map->templates.transitions);
  // Of data that was in no file the tagger itself says which position it is.
  if (options.chunks && !given.path.empty()) {
    check_chunk_tags(data, *options.chunks, given.path, made.format);
  }
  options.solving.context = input.context;
  Checkpoints checkpoints(
      choice.checkpoints, options.method, input.run, fingerprint(data), options.solving);
  input.timer.leave();
  TrainedSequenceTagger trained = train_sequence_tagger(data, options, checkpoints.start());
  checkpoints.add_warnings(trained.report);
  if (repaired > 0) {
    trained.report.warnings.push_back(
        name_of(data.source) + ": " + std::to_string(repaired) +
        (repaired == 1 ? " tag B- begins" : " tags B- begin") +
        " no second chunk of a type: read as I-, as --chunks iob1 has it; the chunks are the same");
  }
  input.timer.enter("measure");
  RunReport own;
  add_sequence_measures(
      data.labels, trained.model.predict(data.inputs, threads), data.label_names, own);
  own.metrics.emplace_back("oracle_calls", static_cast<double>(trained.oracle_calls));
  if (data.label_names.size() == 1) {
    trained.report.warnings.push_back(name_of(data.source) + ": all labels are " +
                                      data.label_names.front() +
                                      ", so the model has no other answer");
  }
  return {.body = body_of(made, trained.model),
          .report = std::move(trained.report),
          .examples = data.size(),
          .weights = trained.model.task.dimension(),
          .metrics = std::move(own.metrics),
          .used = used_options(options, made),
          .of_data = {{"format", std::string(to_string(made.format))}}};
}

/// New sequences as the model sees them.
SequenceData data_for(const ModelDocument& model,
                      const SequenceTagger& tagger,
                      const SequenceCollection& given,
                      std::optional<std::size_t> threads) {
  require(given.text || given.numbers, "there are no sequences");
  if (has_sequence_map(model) == given.numbers.has_value()) {
    throw InvalidArgument(given.numbers ? "the data is numbers, the model was trained on text"
                                        : "the data is text, the model was trained on numbers");
  }
  if (given.numbers) {
    SequenceData data = *given.numbers;
    number_labels_as(tagger.label_names, data);
    return data;
  }
  // Without a token there are no columns for templates to look at, and nothing to say.
  if (given.text->tokens() == 0) return {.source = given.text->source};
  return load_sequence_map(model).apply(*given.text, threads);
}

void add_n_best(const SequenceTagger& tagger,
                const TaggedText* text,
                std::size_t sequence,
                const Sequence& x,
                std::uint64_t count,
                std::string& lines) {
  std::size_t rank = 0;
  for (const ScoredLabels& answer : tagger.task.n_best(x, tagger.weights, count)) {
    lines += "# sequence " + std::to_string(sequence + 1) + " rank " + std::to_string(++rank) +
             " score = " + format_number(answer.score) + "\n";
    add_sequence_lines(text, sequence, answer.labels, tagger.label_names, {}, lines);
  }
}

Prediction predict(const ModelDocument& model,
                   const SequenceCollection& given,
                   const SequencePredictionChoice& choice,
                   const Context& context,
                   PhaseTimer& timer) {
  const SequenceTagger tagger = sequence_tagger_of(model);
  const SequenceData data = data_for(model, tagger, given, context.threads);
  const TaggedText* const text = given.text ? &*given.text : nullptr;
  Prediction prediction;
  std::vector<std::string>& warnings = prediction.report.solve.warnings;
  if (given.numbers && data.size() > 0) {
    check_features(data.source, data.features, tagger.task.options().features, warnings);
  }
  timer.enter("predict");
  prediction.report.n = data.size();
  prediction.report.d = tagger.task.dimension();
  prediction.label_names = tagger.label_names;
  prediction.sequences = tagger.predict(data.inputs, context.threads);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Sequence& x = data.inputs[i];
    if (choice.n_best) {
      add_n_best(tagger, text, i, x, *choice.n_best, prediction.lines);
      continue;
    }
    std::vector<double> margins;
    if (choice.margins) margins = tagger.task.margins(x, tagger.weights);
    add_sequence_lines(
        text, i, prediction.sequences[i], tagger.label_names, margins, prediction.lines);
  }
  timer.enter("measure");
  if (data.labels.empty()) return prediction;
  const std::size_t known = tagger.label_names.size();
  if (data.label_names.size() > known) {
    warnings.push_back(name_of(data.source) + " has labels that the training data has not (" +
                       data.label_names[known] +
                       (data.label_names.size() > known + 1 ? ", ..." : "") +
                       "): they count as errors");
  }
  add_sequence_measures(data.labels, prediction.sequences, data.label_names, prediction.report);
  return prediction;
}

double objective(const ModelDocument& model,
                 const SequenceCollection& given,
                 const SequenceChoice& choice,
                 const Context& context) {
  const SequenceTagger tagger = sequence_tagger_of(model);
  SequenceData data = data_for(model, tagger, given, context.threads);
  if (choice.tagger.chunks) {
    (void)repair_chunk_tags(*choice.tagger.chunks, data.label_names, data.labels);
  }
  if (data.label_names.size() > tagger.label_names.size()) {
    throw InvalidArgument(name_of(data.source) + " has the label " +
                          data.label_names[tagger.label_names.size()] +
                          ", which the model's training data has not");
  }
  const double c = choice.tagger.solving.c;
  return choice.tagger.criterion == SequenceCriterion::log_loss
             ? sequence_log_objective(tagger, data, c, context)
             : sequence_objective(tagger, data, c, choice.tagger.rescaling, context);
}

std::string no_certificate(const SequenceChoice& choice) {
  if (choice.tagger.criterion == SequenceCriterion::hinge) {
    return no_certificate_of(choice.tagger.method);
  }
  if (choice.tagger.reports_objective()) return {};
  return "--solver " + std::string(choice.tagger.solver()) +
         " reports what its last pass met, not an objective of the model";
}

}  // namespace

void add_sequence(LearnerList& list) {
  using Entry = StructuredEntry<SequenceCollection,
                                SequenceChoice,
                                SequencePredictionChoice,
                                SequenceLabelOptions>;
  list.push_back(std::make_unique<Entry>(
      LearnerInfo{.name = "sequence",
                  .summary = "labels of the positions of sequences, chosen together",
                  .task = Task::sequence,
                  .data = DataKind::sequences,
                  .formula = "min 1/2 |w|^2 + C sum_i max_y (cost(y_i, y) - "
                             "w.(Phi(x_i, y_i) - Phi(x_i, y)))",
                  .page = "docs/guide/tagging.md",
                  .example = "builtin:sentences",
                  .class_name = "SequenceTagger"},
      StructuredFunctions<SequenceCollection,
                          SequenceChoice,
                          SequencePredictionChoice,
                          SequenceLabelOptions>{
          train, predict, objective, no_certificate, evaluate_sequences, kept_features},
      measures_of_sequences));
}

}  // namespace maxmargin::learning
