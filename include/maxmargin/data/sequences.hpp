// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"

namespace maxmargin {

/// One sequence as numbers: sparse observed features for every position.
struct MAXMARGIN_EXPORT Sequence {
  /// Entries of position t are begins[t] to begins[t + 1]; one element more than positions.
  std::vector<std::size_t> begins = {0};
  std::vector<std::uint32_t> indices = {};
  /// Empty: all are 1.
  std::vector<double> values = {};
  /// Observed features of the step into position t, from the position before, all of value 1: they
  /// count for the pair of labels at t - 1 and t, and have numbers of their own. Entries of the
  /// step into t are step_begins[t] to step_begins[t + 1]; the step into position 0 has none.
  /// Empty, both: no step has any.
  std::vector<std::size_t> step_begins = {};
  std::vector<std::uint32_t> step_indices = {};

  [[nodiscard]] std::size_t size() const { return begins.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> indices_at(std::size_t t) const {
    return std::span(indices).subspan(begins[t], begins[t + 1] - begins[t]);
  }
  [[nodiscard]] std::span<const std::uint32_t> step_indices_at(std::size_t t) const {
    if (step_begins.empty()) return {};
    return std::span(step_indices).subspan(step_begins[t], step_begins[t + 1] - step_begins[t]);
  }
  [[nodiscard]] double value(std::size_t entry) const {
    return values.empty() ? 1.0 : values[entry];
  }
};

/// Labels of the positions of a sequence, as numbers of names.
using LabelSequence = std::vector<std::uint32_t>;

/// Sequences with their labels.
struct MAXMARGIN_EXPORT SequenceData {
  std::vector<Sequence> inputs = {};
  /// One for each input, of the same length; empty when labels are not known.
  std::vector<LabelSequence> labels = {};
  /// Data to be predicted may have names behind those of the training: labels that only the new
  /// data has. They are true labels that no prediction can hit.
  std::vector<std::string> label_names = {};
  /// Indices of features are below.
  std::size_t features = 0;
  /// Indices of features of steps are below.
  std::size_t step_features = 0;
  /// Where the data came from, for messages.
  std::string source = {};

  [[nodiscard]] std::size_t size() const { return inputs.size(); }
  /// Throws InvalidArgument, naming the sequence, when labels do not fit the inputs, a label has no
  /// name, or an input breaks a rule, has an index beyond its number or a value that is not finite.
  void validate() const;
};

}  // namespace maxmargin
