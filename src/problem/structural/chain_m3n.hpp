// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/core/option.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "problem/structural/chain_layout.hpp"

/// Maximum-margin Markov networks on chains: docs/algorithms/m3n.md.
namespace maxmargin {

/// Minimise over w
///
///   P(w) = 1/2 |w|^2 + C sum_i a_i max over y of (Delta(y_i, y) + s(y) - s(y_i)),
///
/// s the score of a labelling under w, Delta the number of positions where labels differ. The dual
/// is in marginals (ChainMarginals). Immutable; looks at `data`, which must outlive it.
struct ChainM3n {
  const SequenceData* data = nullptr;
  /// C, of the sum of losses; finite and > 0.
  double c = 1;
  /// a_i >= 0; empty: 1 each.
  std::vector<double> weights = {};
  /// Whether there are weights for first and last positions.
  bool ends = true;
  /// Whether pairs must agree with the position before them. The program as its source prints it
  /// has no such line, and a value that is too large: for comparison alone.
  bool agreement = true;

  [[nodiscard]] ChainLayout layout() const;
  /// C a_i.
  [[nodiscard]] double cost(std::size_t i) const {
    return c * (weights.empty() ? 1.0 : weights[i]);
  }
  /// Sizes and values must fit together.
  void describe(OptionVisitor& visit);
};

/// A point of the dual: weights on labels and on pairs of neighbouring labels of one sequence.
struct ChainMarginals {
  /// Positions x labels; rows sum to the cost.
  DenseMatrix nodes = {};
  /// Row t k + u, column v: label u at position t and v at t + 1.
  DenseMatrix pairs = {};
};

/// Values and violations, measured from scratch.
struct ChainM3nResiduals {
  double primal = 0;  ///< P at w
  double dual = 0;    ///< D at the marginals
  /// The largest violation of: nothing negative, rows summing to the cost, pairs agreeing with the
  /// position after them and (unless the problem drops it) with the one before.
  double negative = 0;
  double sum = 0;
  double after = 0;
  double before = 0;
};

/// Shares no code with the solver. Throws InvalidArgument when sizes do not fit.
[[nodiscard]] ChainM3nResiduals residuals(const ChainM3n& problem,
                                          std::span<const double> w,
                                          std::span<const ChainMarginals> marginals);

}  // namespace maxmargin
