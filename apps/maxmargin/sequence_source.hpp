// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/data/text/tagged_text.hpp"

/// Files of sequences, as `train --learner sequence`, `predict` and `eval` read them. An option
/// that the format of a file has no use for is a UsageError.
namespace maxmargin::tool {

enum class SequenceFormat {
  conll,   ///< columns of text
  conllu,  ///< the ten columns of Universal Dependencies
  svmhmm   ///< numbers
};
[[nodiscard]] std::string to_string(SequenceFormat format);

/// What a model knows of the files it was trained on.
struct KnownSequences {
  SequenceFormat format = SequenceFormat::conll;
  /// Observed columns of text.
  std::size_t columns = 0;
  std::vector<std::string> label_names = {};
  /// --label and --columns of the training, where they were given: they hold again unless they are
  /// given anew.
  std::optional<std::string> label = std::nullopt;
  std::optional<std::string> column_names = std::nullopt;
};

/// Text or numbers, whichever the file has.
struct SequenceSource {
  SequenceFormat format = SequenceFormat::conll;
  std::optional<TaggedText> text = std::nullopt;
  std::optional<SequenceData> numbers = std::nullopt;
};

/// Reads a file by --format (else by its content), --label and --columns. For a model, columns of
/// text may have tags or not, as their number says; throws FileError when it is another one.
[[nodiscard]] SequenceSource load_sequences(const std::string& path,
                                            const Arguments& arguments,
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

/// The labels in a file, which may have no column but theirs. --format and --label are those of the
/// truth. Predictions (`truth` is not null) are found by content: the last column, that of --label
/// where both files are CoNLL-U, or the labels of numbers; their names come behind those of the
/// truth. Throws FileError when there are none.
[[nodiscard]] LabelledSequences load_labels(const std::string& path,
                                            const Arguments& arguments,
                                            const LabelledSequences* truth = nullptr);

}  // namespace maxmargin::tool
