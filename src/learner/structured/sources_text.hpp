// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/learner/data.hpp"

/// Files of sequences, partitions, alignments and DNA: what options they take, and how they become
/// the data that learners of structured outputs take. An option that the format of a file has no
/// use for is an InvalidArgument.
namespace maxmargin::learning {

// Sequences (docs/guide/sequence-files.md).

struct SequenceSourceOptions {
  /// Unset: by content; of a model that of its training.
  std::optional<SequenceFormat> format = std::nullopt;
  std::optional<std::string> label = std::nullopt;
  /// Of conllu.
  std::optional<std::string> columns = std::nullopt;

  void describe(OptionVisitor& visit);
};

/// Of the files whose labels `eval` compares.
struct SequenceLabelOptions {
  std::optional<SequenceFormat> format = std::nullopt;
  std::optional<std::string> label = std::nullopt;

  void describe(OptionVisitor& visit);
};

/// What a model knows of the files it was trained on.
struct KnownSequences {
  SequenceFormat format = SequenceFormat::conll;
  /// Observed columns of text.
  std::size_t columns = 0;
  std::vector<std::string> label_names = {};
  /// Options label and columns of the training, where they were given: they hold again unless they
  /// are given anew.
  std::optional<std::string> label = std::nullopt;
  std::optional<std::string> column_names = std::nullopt;
};
[[nodiscard]] KnownSequences known_sequences(const ModelDocument& model);

/// Reads a file. For a model (`known` is not null), columns of text may have tags or not, as their
/// number says; throws FileError when it is another one.
[[nodiscard]] SequenceCollection read_sequences(const std::string& path,
                                                const SequenceSourceOptions& options,
                                                const Context& context,
                                                const KnownSequences* known = nullptr);

/// The line of a token, counted from 0 over all sentences, of a file that was read without error:
/// looked for when something is wrong with it, not remembered. Unknown for standard input, which
/// cannot be read again.
[[nodiscard]] FilePlace place_of_token(const std::string& path,
                                       SequenceFormat format,
                                       std::size_t token);

/// Labels alone.
struct LabelledSequences {
  SequenceFormat format = SequenceFormat::conll;
  /// Numbers below names.size().
  std::vector<LabelSequence> labels = {};
  std::vector<std::string> names = {};
};

/// The labels in a file, which may have no column but theirs. The options are those of the truth.
/// Predictions (`truth` is not null) are found by content: the last column, that of option label
/// where both files are CoNLL-U, or the labels of numbers; their names come behind those of the
/// truth. Throws FileError when there are none.
[[nodiscard]] LabelledSequences read_labels(const std::string& path,
                                            const SequenceLabelOptions& options,
                                            const Context& context,
                                            const LabelledSequences* truth = nullptr);

// Partitions (docs/guide/partition-files.md).

/// Of training, prediction and `eval` alike.
struct PartitionSourceOptions {
  /// Unset: by content.
  std::optional<PartitionFormat> format = std::nullopt;

  void describe(OptionVisitor& visit);
};

/// Reads a file; for training, for a model and for `eval` in the same way.
[[nodiscard]] PartitionCollection read_partitions(const std::string& path,
                                                  const PartitionSourceOptions& options);

// Alignments (docs/guide/alignment-files.md).

enum class AlignmentFormat { fasta };

struct AlignmentSourceOptions {
  AlignmentFormat format = AlignmentFormat::fasta;
  /// "none": the pairs are not aligned, whatever they look like.
  std::optional<std::string> label = std::nullopt;

  void describe(OptionVisitor& visit);
};

/// Of the files that `eval` compares.
struct AlignmentEvaluationOptions {
  AlignmentFormat format = AlignmentFormat::fasta;

  void describe(OptionVisitor& visit);
};

/// Reads a file; for training, for a model and for `eval` in the same way.
[[nodiscard]] AlignmentData read_alignments(const std::string& path,
                                            const AlignmentSourceOptions& options = {});

// DNA (docs/guide/motif-files.md).

struct DnaSourceOptions {
  /// Weights and more sequences are of use in training alone.
  bool for_training = true;
  /// Files.
  std::optional<std::string> labels = std::nullopt;
  std::optional<std::string> weight = std::nullopt;
  std::optional<std::string> negatives = std::nullopt;
  double negatives_weight = 1;

  void describe(OptionVisitor& visit);
};

/// Reads FASTA and the files beside it.
[[nodiscard]] DnaData read_dna_source(const std::string& path, const DnaSourceOptions& options);

}  // namespace maxmargin::learning

namespace maxmargin {

template <>
inline constexpr auto names_of<learning::AlignmentFormat> =
    name_table<learning::AlignmentFormat>({{"fasta", learning::AlignmentFormat::fasta}});

}  // namespace maxmargin
