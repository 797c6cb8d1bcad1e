// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "maxmargin/data/sequences.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "problem/structural/label_chain.hpp"

namespace maxmargin {

/// sums += sum over e of values[e] (1 if `values` is empty) times row indices[e] of a table of
/// `rows` rows, each as long as `sums`; indices beyond the table are left out. Entry by entry.
void add_rows(const double* table,
              std::size_t rows,
              std::span<const std::uint32_t> indices,
              std::span<const double> values,
              std::span<double> sums);

/// Where the weights of a linear chain lie in w: one for every feature and label, label by label
/// within a feature; then transitions, row by row from one label to the next; then, if `ends`, one
/// a label for the first position and one a label for the last.
struct ChainLayout {
  std::size_t features = 0;
  std::size_t labels = 0;
  bool ends = true;

  [[nodiscard]] std::size_t dimension() const {
    return (features + labels + (ends ? 2 : 0)) * labels;
  }
  [[nodiscard]] std::size_t node(std::size_t feature, std::size_t label) const {
    return feature * labels + label;
  }
  [[nodiscard]] std::size_t transition(std::size_t from, std::size_t to) const {
    return (features + from) * labels + to;
  }
  /// Require ends.
  [[nodiscard]] std::size_t begin(std::size_t label) const {
    return (features + labels) * labels + label;
  }
  [[nodiscard]] std::size_t end(std::size_t label) const { return begin(label) + labels; }
};

/// The transitions, begin and end of w as scores. Throws InvalidArgument for a w of another size.
[[nodiscard]] LabelChain chain_of(const ChainLayout& layout, std::span<const double> w);

/// nodes(t, y) becomes the sum over the entries of position t of value times weight of the feature
/// and y; features that the layout does not have are ignored. `nodes` is positions x labels.
void node_scores(const ChainLayout& layout,
                 const Sequence& sequence,
                 std::span<const double> w,
                 MutableDenseView nodes);

/// Labels that the data speaks of: names, or the largest label if it is beyond the names.
[[nodiscard]] std::size_t label_count(const SequenceData& data);

/// Throws InvalidArgument, its message beginning with `who`, unless every sequence has as many
/// labels as positions, every feature is below data.features and every value is finite.
void require_labelled(const char* who, const SequenceData& data);

/// Throws InvalidArgument, its message beginning with `who`, unless `weights` is empty or has one
/// finite number >= 0 for every sequence.
void require_sequence_weights(const char* who,
                              const SequenceData& data,
                              std::span<const double> weights);

}  // namespace maxmargin
