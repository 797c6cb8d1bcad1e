// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "problem/structural/chain_layout.hpp"

/// Conditional random fields on chains: docs/algorithms/chain-crf.md.
namespace maxmargin {

/// Minimise over w
///
///   P(w) = 1/2 |w|^2 + C sum_i a_i (log Z(x_i) - s(y_i)),
///
/// s(y) the score of a labelling, log Z the log of the sum of exp(s) over all of them. Strongly
/// convex with modulus 1. Immutable; looks at `data`, which must outlive it. Const calls from
/// several threads are fine.
class ChainCrf {
 public:
  /// `weights`: a_i >= 0; empty: 1 each. `ends`: whether there are weights for first and last
  /// positions. Throws InvalidArgument for data without labels, sizes that do not fit and values
  /// that are not finite.
  explicit ChainCrf(const SequenceData& data,
                    std::span<const double> weights = {},
                    bool ends = true);

  [[nodiscard]] const ChainLayout& layout() const noexcept { return layout_; }
  [[nodiscard]] std::size_t dimension() const { return layout_.dimension(); }
  [[nodiscard]] std::size_t examples() const { return data_.size(); }
  [[nodiscard]] double weight(std::size_t i) const { return weights_.empty() ? 1.0 : weights_[i]; }

  /// Memory that objective() takes on so many threads while it runs.
  [[nodiscard]] std::size_t objective_bytes(std::size_t threads) const;
  /// P(w); `gradient`, of the same size, becomes its gradient. The same bits for any number of
  /// threads. Throws InvalidArgument when sizes differ from dimension().
  double objective(double c,
                   std::span<const double> w,
                   std::span<double> gradient,
                   std::size_t threads) const;
  /// The same from the definition, sequence by sequence and in logs: shares no sum with
  /// objective(). The context is asked between sequences: throws Stopped.
  [[nodiscard]] double plain_objective(double c,
                                       std::span<const double> w,
                                       const Context& context = {}) const;

 private:
  struct Sums;
  void index_features();
  /// Positions of the longest of the sequences [begin, end).
  [[nodiscard]] std::size_t longest(std::size_t begin, std::size_t end) const;
  [[nodiscard]] double add_sequences(std::span<const double> w,
                                     MutableDenseView residuals,
                                     std::span<double> tail,
                                     std::size_t threads) const;
  void add_features(double c,
                    std::span<const double> w,
                    DenseView residuals,
                    std::span<double> gradient,
                    std::size_t threads) const;

  const SequenceData& data_;
  std::vector<double> weights_;
  ChainLayout layout_;
  /// First position of each sequence among all positions, and their number.
  std::vector<std::size_t> firsts_;
  /// Entries by feature: those of feature f are offsets_[f] to offsets_[f + 1].
  std::vector<std::size_t> offsets_;
  std::vector<std::uint32_t> positions_;
  std::vector<double> values_;  ///< empty: all are 1
};

/// Probabilities of the labels of every position under w, positions x labels; features that the
/// layout does not have are ignored.
[[nodiscard]] DenseMatrix label_probabilities(const ChainLayout& layout,
                                              const Sequence& sequence,
                                              std::span<const double> w);

/// The labelling of largest score under w.
[[nodiscard]] LabelSequence best_labelling(const ChainLayout& layout,
                                           const Sequence& sequence,
                                           std::span<const double> w);

}  // namespace maxmargin
