// SPDX-License-Identifier: Apache-2.0
//
// --learner partition: items divided into clusters (docs/guide/partitions.md).
#include <cmath>
#include <utility>

#include "checkpoints.hpp"
#include "data_source.hpp"
#include "feature_checks.hpp"
#include "fingerprint.hpp"
#include "learner_options.hpp"
#include "maxmargin/io/model/partitioner_file.hpp"
#include "maxmargin/io/text/conll2012.hpp"
#include "option_names.hpp"
#include "partition_measures.hpp"
#include "partition_source.hpp"
#include "structured_options.hpp"

namespace maxmargin::tool {

namespace {

constexpr auto partition_options = joined(
    solving_options, names("loss", "wrong-link", "inference", "max-mentions-between", "format"));
/// Of `predict` and `eval`.
constexpr std::array file_options = names("format");

PartitionerOptions partitioner_options(const Arguments& arguments) {
  PartitionerOptions options;
  options.method = structural_method_of(arguments);
  options.solving = structural_options_of(arguments);
  const bool links = arguments.choice_or("loss", "pairs", {"pairs", "links"}) == "links";
  if (links) options.task.loss = PartitionLoss::links;
  if (!links && arguments.has("wrong-link")) {
    throw UsageError("--wrong-link: belongs to --loss links");
  }
  options.task.wrong_link = number_of(
      arguments,
      "wrong-link",
      options.task.wrong_link,
      [](double cost) { return std::isfinite(cost) && cost >= 0; },
      "finite and >= 0");
  const std::string inference =
      arguments.choice_or("inference", "auto", {"auto", "greedy", "exact"});
  if (inference == "greedy") options.task.exact_items = 0;
  if (inference == "exact") {
    options.task.exact_items = PartitionTask::most_exact_items;
    options.only_exact = true;
  }
  return options;
}

/// --max-mentions-between.
MentionPairOptions pair_options(const Arguments& arguments, PartitionFormat format) {
  MentionPairOptions options;
  if (const auto most = arguments.whole("max-mentions-between", 0)) {
    if (format == PartitionFormat::pairs) {
      throw UsageError("--max-mentions-between: belongs to text, the data is pairs");
    }
    options.max_mentions_between = *most;
  }
  return options;
}

std::uint64_t fingerprint(const PartitionData& data) {
  Fingerprint hash;
  for (std::size_t d = 0; d < data.size(); ++d) {
    const PartitionInput& input = data.inputs[d];
    hash.mix(std::span<const std::uint32_t>(data.partitions[d]));
    hash.mix(std::uint64_t{input.pairs.size()});
    for (std::size_t p = 0; p < input.pairs.size(); ++p) {
      hash.mix(std::uint64_t{input.pairs[p].first});
      hash.mix(std::uint64_t{input.pairs[p].second});
      hash.mix(std::uint64_t{input.begins[p + 1]});
    }
    hash.mix(std::span<const std::uint32_t>(input.indices));
    hash.mix(std::span<const double>(input.values));
  }
  return hash.value();
}

/// Share of all pairs that have features.
std::optional<double> listed_pairs(const PartitionData& data) {
  double listed = 0;
  double all = 0;
  for (const PartitionInput& input : data.inputs) {
    const auto items = static_cast<double>(input.items);
    listed += static_cast<double>(input.pairs.size());
    all += items * (items - 1) / 2;
  }
  return all > 0 ? std::optional(listed / all) : std::nullopt;
}

/// What, with the data, decides the answer but for how exact it is.
ReportFields shown_options(const PartitionerOptions& options,
                           const MentionPairOptions& pairs,
                           PartitionFormat format,
                           const Arguments& arguments) {
  ReportFields fields = shown_solving(options.method, options.solving);
  fields.emplace_back("format", to_string(format));
  fields.emplace_back("loss", arguments.text_or("loss", "pairs"));
  if (options.task.loss == PartitionLoss::links) {
    fields.emplace_back("wrong_link", options.task.wrong_link);
  }
  fields.emplace_back("inference", arguments.text_or("inference", "auto"));
  if (pairs.max_mentions_between) {
    fields.emplace_back("max_mentions_between", whole(*pairs.max_mentions_between));
  }
  return fields;
}

ModelDocument document_of(PartitionFormat format,
                          const MentionPairOptions& pairs,
                          const TrainedPartitioner& trained,
                          const ReportFields& options) {
  ModelDocument document("partition");
  document.set_string("text.format", to_string(format));
  if (pairs.max_mentions_between) {
    document.set_integer("text.max_mentions_between", whole(*pairs.max_mentions_between));
  }
  add_partitioner(document, trained.model);
  document.set_string("oracle", trained.exact_oracle ? "exact" : "inexact");
  keep_training(trained.report, options, document);
  return document;
}

StructuredTraining train_partition(const Arguments& arguments,
                                   const ProgressCallback& progress,
                                   PhaseTimer& timer) {
  timer.enter("read");
  PartitionerOptions options = partitioner_options(arguments);
  PartitionSource source = load_partitions(arguments.positionals.at(0), arguments);
  const MentionPairOptions pairs = pair_options(arguments, source.format);
  source.pair_up(pairs);
  const PartitionData& data = source.data;
  if (data.size() > 0 && data.partitions.empty()) {
    throw FileError(data.source, "has no clusters to learn from");
  }
  options.solving.on_progress = progress;
  ReportFields shown = shown_options(options, pairs, source.format, arguments);
  Checkpoints checkpoints(arguments, options.method, shown, fingerprint(data), options.solving);
  shown.emplace_back("tolerance", options.solving.tolerance);
  // With --inference exact the training itself names the document that is too large.
  if (arguments.has("verify") && !options.only_exact && !has_exact_argmax(data, options.task)) {
    throw UsageError(
        "--verify: the search for the worst partitions is not exact on this data, so there is no "
        "certificate to recompute; --inference exact takes documents of at most " +
        std::to_string(PartitionTask::most_exact_items) + " items");
  }
  timer.leave();
  TrainedPartitioner trained = train_partitioner(data, options, checkpoints.start());
  checkpoints.add_warnings(trained.report);
  timer.enter("measure");
  const std::vector<Partition> predicted =
      trained.model.predict(data.inputs, threads_of(arguments));
  PartitionMeasures measures;
  for (std::size_t d = 0; d < data.size(); ++d) measures.add(data.partitions[d], predicted[d]);
  StructuredPrediction own;
  measures.report(own);
  own.metrics.emplace_back("listed_pairs", listed_pairs(data));
  own.metrics.emplace_back("oracle_calls", static_cast<double>(trained.oracle_calls));
  own.metrics.emplace_back("oracle_misses", static_cast<double>(trained.oracle_misses));
  ModelDocument document = document_of(source.format, pairs, trained, shown);
  std::optional<double> recomputed;
  if (arguments.has("verify")) {
    timer.enter("verify");
    recomputed = partitioner_objective(partitioner_of(document), data, options.solving.c);
  }
  timer.leave();
  return {.document = std::move(document),
          .report = trained.report,
          .examples = data.size(),
          .weights = trained.model.task.dimension(),
          .options = std::move(shown),
          .metrics = std::move(own.metrics),
          .recomputed_objective = recomputed,
          .exact_oracle = trained.exact_oracle};
}

/// The file a model was trained on, and how.
MentionPairOptions known_pairs(const ModelDocument& model,
                               const Partitioner& partitioner,
                               const PartitionSource& source) {
  const std::string& format = model.string("text.format");
  if (format != to_string(source.format)) {
    throw FileError(source.data.source,
                    "is a " + to_string(source.format) + " file, the model was trained on a " +
                        format + " file");
  }
  MentionPairOptions options;
  if (source.format == PartitionFormat::pairs) return options;
  if (partitioner.task.dimension() != mention_pair_names().size()) {
    throw FileError(model.source(), "has other features of mentions than this version");
  }
  if (model.has("text.max_mentions_between")) {
    options.max_mentions_between =
        static_cast<std::size_t>(model.integer("text.max_mentions_between"));
  }
  return options;
}

/// The items of a document with their clusters, as a file of pairs without features has them.
std::string item_lines(const PartitionData& data, std::size_t d, const Partition& clusters) {
  std::string lines = "document";
  if (!data.names[d].empty()) lines += " " + data.names[d];
  lines += "\n";
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    lines += "item " + data.item_names[d][i] + " " + std::to_string(clusters[i]) + "\n";
  }
  return lines;
}

/// The text with predicted entities. Counts mentions that brackets cannot keep in their entity.
std::string entity_lines(CorefDocument document, const Partition& clusters, std::size_t& parted) {
  for (std::size_t m = 0; m < clusters.size(); ++m) document.mentions[m].entity = clusters[m];
  parted += part_crossing_mentions(document);
  return conll2012_text(document);
}

StructuredPrediction predict_partition(const ModelDocument& model,
                                       const Arguments& arguments,
                                       PhaseTimer& timer) {
  const Partitioner partitioner = partitioner_of(model);
  PartitionSource source = load_partitions(arguments.positionals.at(1), arguments);
  source.pair_up(known_pairs(model, partitioner, source));
  const PartitionData& data = source.data;
  const std::size_t features = partitioner.task.dimension();
  StructuredPrediction prediction{.examples = data.size(), .weights = features};
  // Without a pair there is nothing whose features could miss.
  if (data.features > 0) check_features(data.source, data.features, features, prediction.warnings);
  timer.enter("predict");
  const std::vector<Partition> predicted = partitioner.predict(data.inputs, threads_of(arguments));
  std::size_t parted = 0;
  for (std::size_t d = 0; d < data.size(); ++d) {
    prediction.lines += source.format == PartitionFormat::pairs
                            ? item_lines(data, d, predicted[d])
                            : entity_lines(source.documents[d], predicted[d], parted);
  }
  if (parted > 0) {
    prediction.warnings.push_back(
        std::to_string(parted) +
        " mentions cross others of their entity, which brackets cannot say: they are written as "
        "entities of their own");
  }
  timer.enter("measure");
  if (data.size() == 0 || !data.partitions.empty()) {
    PartitionMeasures measures;
    for (std::size_t d = 0; d < data.size(); ++d) measures.add(data.partitions[d], predicted[d]);
    measures.report(prediction);
  }
  return prediction;
}

/// Two files of `eval`, and what they must have in common.
struct Comparison {
  std::string truth_path;
  std::string path;

  void require_same(const std::string& what,
                    const std::string& here,
                    const std::string& there) const {
    if (here == there) return;
    throw FileError(path, what + " " + here + ", but " + there + " in " + truth_path);
  }
  void require_same(const std::string& what, std::size_t here, std::size_t there) const {
    require_same(what, std::to_string(here), std::to_string(there));
  }
};

std::string document_number(std::size_t d) { return "document " + std::to_string(d + 1); }

void compare_items(const PartitionData& truth,
                   const PartitionData& answer,
                   const Comparison& files,
                   PartitionMeasures& measures) {
  for (const PartitionData* side : {&truth, &answer}) {
    if (side->size() > 0 && side->partitions.empty()) {
      throw FileError(side->source, "has no clusters");
    }
  }
  files.require_same("the number of documents is", answer.size(), truth.size());
  for (std::size_t d = 0; d < truth.size(); ++d) {
    files.require_same(
        document_number(d) + " is named", '"' + answer.names[d] + '"', '"' + truth.names[d] + '"');
    measures.add(align_items(
        truth.item_names[d], truth.partitions[d], answer.item_names[d], answer.partitions[d]));
  }
}

void compare_texts(const std::vector<CorefDocument>& truth,
                   const std::vector<CorefDocument>& answer,
                   const Comparison& files,
                   PartitionMeasures& measures) {
  const auto name = [](const CorefDocument& document) {
    return '"' + document.name + "\" part " + std::to_string(document.part);
  };
  files.require_same("the number of documents is", answer.size(), truth.size());
  for (std::size_t d = 0; d < truth.size(); ++d) {
    files.require_same(document_number(d) + " is named", name(answer[d]), name(truth[d]));
    files.require_same("the number of words of " + document_number(d) + " is",
                       answer[d].words.size(),
                       truth[d].words.size());
    measures.add(align_mentions(truth[d], answer[d]));
  }
}

StructuredPrediction evaluate_partitions(const Arguments& arguments) {
  const Comparison files{.truth_path = arguments.positionals.at(0),
                         .path = arguments.positionals.at(1)};
  const PartitionSource truth = load_partitions(files.truth_path, arguments);
  const PartitionSource answer = load_partitions(files.path, arguments);
  files.require_same("has the format", to_string(answer.format), to_string(truth.format));
  PartitionMeasures measures;
  if (truth.format == PartitionFormat::pairs) {
    compare_items(truth.data, answer.data, files, measures);
  } else {
    compare_texts(truth.documents, answer.documents, files, measures);
  }
  StructuredPrediction found{.examples = truth.format == PartitionFormat::pairs
                                             ? truth.data.size()
                                             : truth.documents.size()};
  measures.report(found);
  return found;
}

}  // namespace

const StructuredLearnerSpec& partition_learner() {
  static constexpr StructuredLearnerSpec spec{"partition",
                                              "clusters of items, from features of pairs",
                                              partition_options,
                                              train_partition,
                                              predict_partition,
                                              evaluate_partitions,
                                              file_options,
                                              file_options};
  return spec;
}

}  // namespace maxmargin::tool
