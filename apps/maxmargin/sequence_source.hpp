// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/data/tagged_text.hpp"

/// Files of sequences, as `train --learner sequence`, `predict` and `eval` read them.
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
  std::size_t features = 0;
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

/// The labels of a text as sequences of numbers below names.size(); further names are added.
[[nodiscard]] std::vector<LabelSequence> labels_of(const TaggedText& text,
                                                   std::vector<std::string>& names);

}  // namespace maxmargin::tool
