// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/partition_answers.hpp"

#include "io/text/conll2012.hpp"
#include "learner/feature_checks.hpp"
#include "learner/structured/partition_data.hpp"
#include "learner/structured/partition_measures.hpp"
#include "learner/structured/rows.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin::learning {

namespace {

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

}  // namespace

Prediction partition_prediction(const ModelDocument& model,
                                std::size_t features,
                                const PartitionCollection& given,
                                PhaseTimer& timer,
                                const PartitionAnswer& answer) {
  const PairedItems items(given, known_pairs(model, features, given));
  const PartitionData& data = items.data();
  data.validate();
  Prediction prediction;
  prediction.report.n = data.size();
  prediction.report.d = features;
  std::vector<std::string>& warnings = prediction.report.solve.warnings;
  // Without a pair there is nothing whose features could miss.
  if (data.features > 0) check_features(data.source, data.features, features, warnings);
  timer.enter("predict");
  prediction.partitions = answer(data.inputs);
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

RunReport evaluate_partitions(const std::string& truth_path,
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

}  // namespace maxmargin::learning
