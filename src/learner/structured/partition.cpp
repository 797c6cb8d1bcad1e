// SPDX-License-Identifier: Apache-2.0
//
// partition: items divided into clusters (docs/guide/partitions.md).
#include <utility>

#include "io/model/structured_file.hpp"
#include "io/text/conll2012.hpp"
#include "learner/feature_checks.hpp"
#include "learner/header.hpp"
#include "learner/structured/checkpoints.hpp"
#include "learner/structured/fingerprint.hpp"
#include "learner/structured/partition_measures.hpp"
#include "learner/structured/rows.hpp"
#include "learner/structured/sources_text.hpp"
#include "learner/structured/structured.hpp"
#include "maxmargin/model/structured/partitioner.hpp"
#include "maxmargin/structured/mention_pairs.hpp"

namespace maxmargin::learning {

namespace {

struct PartitionChoice {
  PartitionerOptions partitioner = {};
  MentionPairOptions pairs = {};
  CheckpointChoice checkpoints = {};

  void describe(OptionVisitor& visit) {
    partitioner.describe(visit);
    pairs.describe(visit);
    checkpoints.describe(visit);
  }
};

/// Features of pairs, made where the collection is text.
class PairedItems {
 public:
  PairedItems(const PartitionCollection& given, const MentionPairOptions& options)
      : given_(given.data) {
    if (given.format == PartitionFormat::pairs) return;
    made_ = mention_pair_data(given.documents, options);
    made_->source = given.data.source;
  }
  [[nodiscard]] const PartitionData& data() const { return made_ ? *made_ : given_; }

 private:
  const PartitionData& given_;
  std::optional<PartitionData> made_;
};

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

ModelDocument body_of(PartitionFormat format,
                      const MentionPairOptions& pairs,
                      const TrainedPartitioner& trained) {
  ModelDocument body("partition");
  body.set_string("text.format", std::string(to_string(format)));
  if (pairs.max_mentions_between) {
    body.set_integer("text.max_mentions_between",
                     static_cast<std::int64_t>(*pairs.max_mentions_between));
  }
  add_partitioner(body, trained.model);
  body.set_string("oracle", trained.exact_oracle ? "exact" : "inexact");
  return body;
}

StructuredFit train(const PartitionCollection& given,
                    const PartitionChoice& choice,
                    const StructuredInput& input) {
  if (choice.pairs.max_mentions_between && given.format == PartitionFormat::pairs) {
    throw InvalidArgument("--max-mentions-between: belongs to text, the data is pairs");
  }
  input.timer.enter("prepare");
  const PairedItems items(given, choice.pairs);
  const PartitionData& data = items.data();
  if (data.size() > 0 && data.partitions.empty()) {
    throw FileError(name_of(data.source), "has no clusters to learn from");
  }
  data.validate();
  PartitionerOptions options = choice.partitioner;
  options.solving.context = input.context;
  Checkpoints checkpoints(
      choice.checkpoints, options.method, input.run, fingerprint(data), options.solving);
  input.timer.leave();
  TrainedPartitioner trained = train_partitioner(data, options, checkpoints.start());
  checkpoints.add_warnings(trained.report);
  input.timer.enter("measure");
  const std::vector<Partition> predicted =
      trained.model.predict(data.inputs, input.context.threads);
  PartitionMeasures measures;
  for (std::size_t d = 0; d < data.size(); ++d) measures.add(data.partitions[d], predicted[d]);
  RunReport own;
  measures.add_to(own);
  own.metrics.emplace_back("listed_pairs", listed_pairs(data));
  own.metrics.emplace_back("oracle_calls", static_cast<double>(trained.oracle_calls));
  own.metrics.emplace_back("oracle_misses", static_cast<double>(trained.oracle_misses));
  StructuredFit fit{.body = body_of(given.format, choice.pairs, trained),
                    .report = std::move(trained.report),
                    .examples = data.size(),
                    .weights = trained.model.task.dimension(),
                    .metrics = std::move(own.metrics),
                    .of_data = {{"format", std::string(to_string(given.format))}},
                    .exact_oracle = trained.exact_oracle};
  if (options.task.loss != PartitionLoss::links)
    fit.used.emplace_back("wrong_link", std::monostate{});
  return fit;
}

/// The file a model was trained on, and how.
MentionPairOptions known_pairs(const ModelDocument& model,
                               const Partitioner& partitioner,
                               const PartitionCollection& given) {
  const std::string& format = model.string("text.format");
  const std::string own(to_string(given.format));
  if (format != own) {
    throw FileError(name_of(given.data.source),
                    "is a " + own + " file, the model was trained on a " + format + " file");
  }
  MentionPairOptions options;
  if (given.format == PartitionFormat::pairs) return options;
  if (partitioner.task.dimension() != mention_pair_names().size()) {
    throw FileError(model.source(), "has other features of mentions than this version");
  }
  if (model.has("text.max_mentions_between")) {
    options.max_mentions_between =
        static_cast<std::uint64_t>(model.integer("text.max_mentions_between"));
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

/// The text with predicted entities; adds the mentions that no bracket can say.
std::string entity_lines(CorefDocument document, const Partition& clusters, std::size_t& parted) {
  for (std::size_t m = 0; m < clusters.size(); ++m) document.mentions[m].entity = clusters[m];
  parted += part_crossing_mentions(document);
  return conll2012_text(document);
}

Prediction predict(const ModelDocument& model,
                   const PartitionCollection& given,
                   const NoOptions& /*choice*/,
                   const Context& context,
                   PhaseTimer& timer) {
  const Partitioner partitioner = partitioner_of(model);
  const PairedItems items(given, known_pairs(model, partitioner, given));
  const PartitionData& data = items.data();
  data.validate();
  const std::size_t features = partitioner.task.dimension();
  Prediction prediction;
  prediction.report.n = data.size();
  prediction.report.d = features;
  std::vector<std::string>& warnings = prediction.report.solve.warnings;
  // Without a pair there is nothing whose features could miss.
  if (data.features > 0) check_features(data.source, data.features, features, warnings);
  timer.enter("predict");
  prediction.partitions = partitioner.predict(data.inputs, context.threads);
  std::size_t parted = 0;
  for (std::size_t d = 0; d < data.size(); ++d) {
    const Partition& clusters = prediction.partitions[d];
    prediction.lines += given.format == PartitionFormat::pairs
                            ? item_lines(data, d, clusters)
                            : entity_lines(given.documents[d], clusters, parted);
  }
  if (parted > 0) {
    warnings.push_back(
        std::to_string(parted) +
        " mentions cross others of their entity, which brackets cannot say: they are written as "
        "entities of their own");
  }
  timer.enter("measure");
  if (data.size() == 0 || !data.partitions.empty()) {
    PartitionMeasures measures;
    for (std::size_t d = 0; d < data.size(); ++d) {
      measures.add(data.partitions[d], prediction.partitions[d]);
    }
    measures.add_to(prediction.report);
  }
  return prediction;
}

std::string inexact_search() {
  return "the search for the worst partitions is not exact on this data, so there is no "
         "certificate to recompute; --inference exact takes documents of at most " +
         std::to_string(PartitionTask::most_exact_items) + " items";
}

double objective(const ModelDocument& model,
                 const PartitionCollection& given,
                 const PartitionChoice& choice,
                 const Context& context) {
  const Partitioner partitioner = partitioner_of(model);
  const PairedItems items(given, known_pairs(model, partitioner, given));
  // How large documents are is known here first.
  if (!has_exact_argmax(items.data(), partitioner.task.options())) {
    throw NothingToVerify(inexact_search());
  }
  return partitioner_objective(partitioner, items.data(), choice.partitioner.solving.c, context);
}

std::size_t features_of_pairs(const ModelDocument& model) {
  return partitioner_of(model).task.dimension();
}

std::string no_certificate(const PartitionChoice& choice) {
  // Without an exact search for any document, whatever the data.
  if (choice.partitioner.task.exact_items == 0) return inexact_search();
  return no_certificate_of(choice.partitioner.method);
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

RunReport evaluate(const std::string& truth_path,
                   const std::string& path,
                   const PartitionSourceOptions& options,
                   const Context& /*context*/) {
  const Comparison files{.truth_path = truth_path, .path = path};
  const PartitionCollection truth = read_partitions(truth_path, options);
  const PartitionCollection answer = read_partitions(path, options);
  files.require_same("has the format",
                     std::string(to_string(answer.format)),
                     std::string(to_string(truth.format)));
  PartitionMeasures measures;
  RunReport report;
  if (truth.format == PartitionFormat::pairs) {
    report.n = truth.data.size();
    compare_items(truth.data, answer.data, files, measures);
  } else {
    report.n = truth.documents.size();
    compare_texts(truth.documents, answer.documents, files, measures);
  }
  measures.add_to(report);
  return report;
}

}  // namespace

void add_partition(LearnerList& list) {
  using Entry =
      StructuredEntry<PartitionCollection, PartitionChoice, NoOptions, PartitionSourceOptions>;
  using Functions =
      StructuredFunctions<PartitionCollection, PartitionChoice, NoOptions, PartitionSourceOptions>;
  list.push_back(std::make_unique<Entry>(
      LearnerInfo{.name = "partition",
                  .summary = "clusters of items, from features of pairs",
                  .task = Task::partition,
                  .data = DataKind::partitions,
                  .formula = "min 1/2 |w|^2 + C sum_i max_y (loss(y_i, y) - "
                             "w.(Phi(x_i, y_i) - Phi(x_i, y)))",
                  .page = "docs/algorithms/partition.md",
                  .example = "builtin:shelves",
                  .class_name = "Partitioner"},
      Functions{train, predict, objective, no_certificate, evaluate, features_of_pairs}));
}

}  // namespace maxmargin::learning
