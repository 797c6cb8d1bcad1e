// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/data/sequences.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "problem/structural/label_chain.hpp"
#include "structured/hmm_sweep.hpp"

namespace maxmargin {

/// The chain in logs.
[[nodiscard]] LabelChain log_chain(const HmmChain& chain);

/// Makes all states but the known one impossible.
void forbid_others(const LabelSequence& known, DenseMatrix& nodes);

}  // namespace maxmargin
