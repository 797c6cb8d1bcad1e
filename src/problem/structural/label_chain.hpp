// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/data/sequences.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Sums and maxima over all labellings of a chain: docs/algorithms/chain-crf.md.
namespace maxmargin {

/// Labellings y of L positions, each with the score
///
///   s(y) = begin(y_1) + sum_t nodes(t, y_t) + sum_t transitions(y_t, y_(t+1)) + end(y_L).
///
/// The object holds what all chains share; `nodes` (positions x labels) comes with each call. A
/// score of -infinity forbids. A chain without positions has one labelling, of score 0. Const calls
/// from several threads are fine. Every call throws InvalidArgument when the columns of `nodes` are
/// not the labels.
class LabelChain {
 public:
  /// Copies. `transitions` is labels x labels, from the row's label to the column's; `begin` and
  /// `end` have one score a label; empty: 0. Throws InvalidArgument for other sizes and no label.
  explicit LabelChain(DenseView transitions,
                      std::span<const double> begin = {},
                      std::span<const double> end = {});

  [[nodiscard]] std::size_t labels() const noexcept { return transitions_.rows(); }

  /// s(y).
  [[nodiscard]] double score(DenseView nodes, std::span<const std::uint32_t> labelling) const;
  /// The largest score, and a labelling that has it (Viterbi); among equals the lowest label, from
  /// the last position backwards.
  double best(DenseView nodes, LabelSequence& labelling) const;

  /// log sum over y of exp(s(y)); -infinity when all are forbidden.
  [[nodiscard]] double log_sum(DenseView nodes) const;
  /// Row t, column j: log of the sum over the first labels up to y_t = j, its node included.
  [[nodiscard]] DenseMatrix forward_logs(DenseView nodes) const;
  /// Row t, column j: log of the sum over the labels after y_t = j, its node not included.
  [[nodiscard]] DenseMatrix backward_logs(DenseView nodes) const;
  /// log_sum, and expectations under p(y) = exp(s(y) - log_sum): `probabilities`, positions x
  /// labels, becomes p(y_t = j); `weight` times the expected numbers of transitions is added to
  /// `transition_counts`, labels x labels. Throws InvalidArgument when all labellings are
  /// forbidden.
  double expectations(DenseView nodes,
                      MutableDenseView probabilities,
                      MutableDenseView transition_counts,
                      double weight = 1) const;

  /// Whether sums are taken in scaled numbers; else in logs. The page says when each is safe.
  [[nodiscard]] bool uses_scaled_numbers() const noexcept { return is_scaled_; }

 private:
  /// Scaled forward numbers, one row a position, and exp(nodes) over the scale of each position.
  struct Sweep;
  [[nodiscard]] Sweep sweep_forward(DenseView nodes) const;
  void expect_scaled(DenseView nodes,
                     const Sweep& sweep,
                     MutableDenseView probabilities,
                     MutableDenseView transition_counts,
                     double weight) const;
  double expect_logs(DenseView nodes,
                     MutableDenseView probabilities,
                     MutableDenseView transition_counts,
                     double weight) const;
  void require_nodes(DenseView nodes) const;
  [[nodiscard]] double end_log_sum(std::span<const double> last) const;

  DenseMatrix transitions_;
  DenseMatrix transposed_;
  std::vector<double> begin_;
  std::vector<double> end_;
  bool is_scaled_ = false;
  /// Of scaled numbers: exp(transitions - largest), its transpose, exp(end - largest).
  double largest_transition_ = 0;
  double largest_end_ = 0;
  DenseMatrix factors_;
  DenseMatrix transposed_factors_;
  std::vector<double> end_factors_;
};

}  // namespace maxmargin
