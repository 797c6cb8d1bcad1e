// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "maxmargin/data/sequences.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "problem/structural/label_chain.hpp"
#include "structured/hmm_emissions.hpp"
#include "structured/hmm_expectation.hpp"

namespace maxmargin {

/// What a model says of sequences, whatever its states emit. Const functions may be called from
/// several threads.
class HmmDecoder {
 public:
  /// The parameters are set; both must outlive the object.
  HmmDecoder(HmmEmissions& emissions, const HmmChain& chain, std::size_t threads);

  /// The most likely states, among equals the lowest from the last position backwards. False: the
  /// sequence cannot occur, and the states mean nothing.
  bool best(std::size_t sequence, LabelSequence& states) const;
  /// p(y_t = i | sequence), positions x states. False: the sequence cannot occur, and all states
  /// are said to be equally probable.
  bool posterior(std::size_t sequence, MutableDenseView states) const;
  /// log p of a sequence and of the states that are known (empty: none), by sums in another order
  /// than training takes them. -infinity: it cannot occur.
  [[nodiscard]] double log_likelihood(std::size_t sequence, const LabelSequence& known = {}) const;

 private:
  const HmmEmissions& emissions_;
  const HmmChain& chain_;
  LabelChain logs_;
  HmmExpectation expectation_;
};

}  // namespace maxmargin
