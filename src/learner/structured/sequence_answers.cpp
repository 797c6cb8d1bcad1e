// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/sequence_answers.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "learner/structured/sequence_measures.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin::learning {

namespace {

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

}  // namespace

void number_labels_as(const std::vector<std::string>& known, SequenceData& data) {
  std::vector<bool> is_used(data.label_names.size(), false);
  for (const LabelSequence& labels : data.labels) {
    for (const std::uint32_t label : labels) is_used[label] = true;
  }
  std::vector<std::string> names = known;
  std::vector<std::uint32_t> number(is_used.size(), 0);
  for (std::size_t l = 0; l < is_used.size(); ++l) {
    const auto at = std::ranges::find(known, data.label_names[l]);
    const auto place = static_cast<std::size_t>(at - known.begin());
    number[l] = static_cast<std::uint32_t>(at == known.end() ? names.size() : place);
    if (at == known.end() && is_used[l]) names.push_back(data.label_names[l]);
  }
  for (LabelSequence& labels : data.labels) {
    for (std::uint32_t& label : labels) label = number[label];
  }
  data.label_names = std::move(names);
}

void add_sequence_lines(const TaggedText* text,
                        std::size_t sequence,
                        const LabelSequence& labels,
                        const std::vector<std::string>& names,
                        const std::vector<double>& numbers,
                        std::string& lines) {
  const std::size_t a_position = labels.empty() ? 0 : numbers.size() / labels.size();
  for (std::size_t t = 0; t < labels.size(); ++t) {
    if (text != nullptr) {
      for (std::size_t c = 0; c < text->columns(); ++c) {
        lines.append(text->cell(text->begin(sequence) + t, c)).append("\t");
      }
    }
    for (std::size_t n = 0; n < a_position; ++n) {
      lines.append(format_number(numbers[t * a_position + n])).append("\t");
    }
    lines.append(names[labels[t]]).append("\n");
  }
  lines.append("\n");
}

ComparedSequences read_compared_sequences(const std::string& truth_path,
                                          const std::string& path,
                                          const SequenceLabelOptions& options,
                                          const Context& context) {
  LabelledSequences truth = read_labels(truth_path, options, context);
  LabelledSequences predicted = read_labels(path, options, context, &truth);
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
  ComparedSequences compared;
  if (!have_common_label(truth.labels, predicted.labels)) {
    compared.warnings.push_back(truth_path + " and " + path +
                                " have no label in common; --label is the column of the "
                                "truth, the predicted one is the last");
  }
  compared.names = std::move(predicted.names);
  compared.truth = std::move(truth.labels);
  compared.predicted = std::move(predicted.labels);
  return compared;
}

RunReport evaluate_sequences(const std::string& truth_path,
                             const std::string& path,
                             const SequenceLabelOptions& options,
                             const Context& context) {
  ComparedSequences compared = read_compared_sequences(truth_path, path, options, context);
  RunReport report{.n = compared.truth.size()};
  report.solve.warnings = std::move(compared.warnings);
  add_sequence_measures(compared.truth, compared.predicted, compared.names, report);
  return report;
}

}  // namespace maxmargin::learning
