// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "learner/structured/sources_text.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/data/text/tagged_text.hpp"
#include "maxmargin/io/run_report.hpp"

/// What learners of sequences share when they answer: numbers of labels, lines, and files of
/// answers against files of truths.
namespace maxmargin::learning {

/// Labels by the numbers that a model has for their names; further names stand behind.
void number_labels_as(const std::vector<std::string>& known, SequenceData& data);

/// Lines of one sequence: its cells, where it was text (else null), numbers of each position (none,
/// or as many for all), and its label.
void add_sequence_lines(const TaggedText* text,
                        std::size_t sequence,
                        const LabelSequence& labels,
                        const std::vector<std::string>& names,
                        const std::vector<double>& numbers,
                        std::string& lines);

/// Two files of the same sequences: labels by one list of names.
struct ComparedSequences {
  std::vector<LabelSequence> truth = {};
  std::vector<LabelSequence> predicted = {};
  std::vector<std::string> names = {};
  std::vector<std::string> warnings = {};
};
/// Throws FileError where the sequences differ in number or length.
[[nodiscard]] ComparedSequences read_compared_sequences(const std::string& truth_path,
                                                        const std::string& path,
                                                        const SequenceLabelOptions& options,
                                                        const Context& context);
/// The measures of labels of positions.
[[nodiscard]] RunReport evaluate_sequences(const std::string& truth_path,
                                           const std::string& path,
                                           const SequenceLabelOptions& options,
                                           const Context& context);

}  // namespace maxmargin::learning
