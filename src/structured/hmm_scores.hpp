// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/structured/hmm.hpp"
#include "problem/structural/label_chain.hpp"

namespace maxmargin {

/// A model as the scores of a chain: logs of all its numbers. Requires sizes that fit.
class HmmScores {
 public:
  explicit HmmScores(const Hmm& model);

  [[nodiscard]] const LabelChain& chain() const noexcept { return chain_; }
  /// Node scores of a sequence, positions x states.
  [[nodiscard]] DenseMatrix nodes(const SymbolSequence& symbols) const;

 private:
  LabelChain chain_;
  /// Symbols x states.
  DenseMatrix emissions_;
};

}  // namespace maxmargin
