// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"

/// The text format of SVM-hmm, one position a line (docs/guide/sequence-files.md):
///
///     label qid:sequence index:value ... [# comment]
namespace maxmargin {

struct MAXMARGIN_EXPORT SvmhmmOptions {
  /// Labels that have numbers already, those of the training; others get numbers behind them, in
  /// the order of first sight. Empty: the labels of the file, numbers by value, then strings by
  /// bytes.
  std::vector<std::string> label_names = {};
  /// At least this many features, though no position may reach them.
  std::optional<std::size_t> features = std::nullopt;
  Context context = {};

  void describe(OptionVisitor& visit);
};

/// Reads all that is left of `input`. Positions of a sequence are the lines in a row with one qid:,
/// and the numbers of sequences do not decrease. A label is any word, even a comma or a colon; 1,
/// +1 and 1.0 are one label. Where all positions have the label ? or none, the data has no labels.
/// The index i of the file is feature i - 1. Throws ParseError with line and column, the same for
/// any number of threads, and what Input throws.
[[nodiscard]] MAXMARGIN_EXPORT SequenceData read_svmhmm(Input& input,
                                                        const SvmhmmOptions& options = {});

/// Writes what read_svmhmm reads back as the same sequences, numbered from 1. Not in the format,
/// and so not written: names of labels that do not occur, and features behind the last one that
/// occurs. Throws InvalidArgument for a sequence without positions, indices of a position that do
/// not increase, values that are not finite, features of steps, and a label that would not read
/// back (it is empty or ?, holds white space or a #, or begins with qid:). The caller commits the
/// file.
MAXMARGIN_EXPORT void write_svmhmm(const SequenceData& data, OutputFile& output);

}  // namespace maxmargin
