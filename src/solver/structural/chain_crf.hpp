// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/solver/structural/solution.hpp"
#include "problem/structural/chain_crf.hpp"

namespace maxmargin {

/// A chain CRF by L-BFGS from w = 0: docs/algorithms/chain-crf.md. Passes are iterations;
/// oracle_calls counts sums over all labellings of a sequence. There is no dual: lower_bound is the
/// largest P(w) - |gradient|^2 / 2 over the iterates, and `tolerance` the relative gap to it.
/// Steps are remembered within `memory_limit`; it decides the last digits, as does any change of
/// options. `seed` is ignored. Throws InvalidArgument naming the field of wrong options, and when
/// the limit has no room for one step.
[[nodiscard]] StructuralSolution solve_chain_crf(const ChainCrf& problem,
                                                 const StructuralOptions& options = {});

}  // namespace maxmargin
