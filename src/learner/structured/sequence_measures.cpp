// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/sequence_measures.hpp"
#include "learner/defined.hpp"

#include <algorithm>

#include "learner/structured/label_table.hpp"
#include "maxmargin/metric/classification.hpp"
#include "maxmargin/metric/structured/chunks.hpp"

namespace maxmargin::learning {

namespace {

/// Tags such as B-NP and O. A set of labels without a B or an I is none of chunks.
bool are_chunk_tags(std::span<const std::string> names) {
  try {
    const ChunkTags tags(names);
    return !tags.types().empty();
  } catch (const InvalidArgument&) {
    return false;
  }
}

}  // namespace

void add_sequence_measures(std::span<const LabelSequence> truth,
                           std::span<const LabelSequence> predicted,
                           std::span<const std::string> names,
                           RunReport& report) {
  const SequenceCounts counts = count_sequence_labels(truth, predicted, names.size());
  // The names that all learners share, and the one that papers use.
  report.metrics.emplace_back("accuracy", defined(counts.token_accuracy()));
  report.metrics.emplace_back("error", defined(1 - counts.token_accuracy()));
  report.metrics.emplace_back("token_accuracy", defined(counts.token_accuracy()));
  report.metrics.emplace_back("sequence_accuracy", defined(counts.sequence_accuracy()));
  std::vector<ReportFields> rows;
  const std::vector<BinaryCounts> each = each_against_rest(counts.tokens);
  for (std::size_t label = 0; label < names.size(); ++label) {
    rows.push_back(label_row("label", names[label], each[label]));
  }
  if (are_chunk_tags(names)) {
    const ChunkCounts chunks = count_chunks(truth, predicted, names);
    report.metrics.emplace_back("chunk_precision", defined(precision(chunks.all)));
    report.metrics.emplace_back("chunk_recall", defined(recall(chunks.all)));
    report.metrics.emplace_back("chunk_f1", defined(f1(chunks.all)));
    std::vector<ReportFields> types;
    for (std::size_t type = 0; type < chunks.types.size(); ++type) {
      types.push_back(label_row("chunk", chunks.types[type], chunks.by_type[type]));
    }
    report.tables.emplace_back("chunks", std::move(types));
  }
  report.tables.emplace_back("labels", std::move(rows));
}

}  // namespace maxmargin::learning
