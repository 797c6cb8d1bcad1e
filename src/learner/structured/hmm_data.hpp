// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "learner/structured/hmm_options.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/learner/data.hpp"
#include "maxmargin/structured/gaussian_hmm.hpp"
#include "maxmargin/structured/hmm.hpp"

/// Sequences as hidden Markov models see them.
namespace maxmargin::learning {

/// The tag of a position whose label is not known.
inline constexpr std::string_view no_label = "?";

/// What leads from a file's strings and labels to symbols and states.
struct HmmNames {
  /// States: the labels of the training data, then those that have none.
  std::vector<std::string> states = {};
  /// So many of them are labels.
  std::size_t labels = 0;
  /// Strings of text, by symbol; empty: the data is numbers. Where rare strings share a symbol that
  /// is the first one, whose name is empty.
  std::vector<std::string> strings = {};
  /// Symbols, also of numbers, or features of vectors.
  std::size_t features = 0;
  HmmKind kind = HmmKind::discrete;
};

struct HmmData {
  /// One of the two is there.
  std::vector<SymbolSequence> symbols = {};
  std::vector<VectorSequence> vectors = {};
  /// One state a position, unknown_state where none is; numbers from names.states.size() on are
  /// labels that the training data has not. Empty: no label is known.
  std::vector<LabelSequence> labels = {};
  /// Names of these numbers.
  std::vector<std::string> label_names = {};
  /// Positions whose symbol the training data has not.
  std::size_t unseen = 0;

  /// Sequences.
  [[nodiscard]] std::size_t size() const { return symbols.size() + vectors.size(); }
  [[nodiscard]] std::size_t positions() const;
};

/// Finds the names in the training data, and the data by them. `names.states` are labels alone.
/// Throws InvalidArgument for data that does not hold what states emit, and FileError without a
/// position.
[[nodiscard]] HmmData learn_hmm_data(const SequenceCollection& given,
                                     const HmmChoice& choice,
                                     HmmNames& names);
/// New data by the names of a model. `column` is that of its symbols, from 1.
[[nodiscard]] HmmData hmm_data_for(const SequenceCollection& given,
                                   const HmmNames& names,
                                   std::size_t column);

/// Adds states without a label up to so many.
void add_states(std::size_t count, HmmNames& names);

void store_names(const HmmNames& names, ModelDocument& document);
/// Throws ModelFormatError.
[[nodiscard]] HmmNames names_in(const ModelDocument& document);

}  // namespace maxmargin::learning
