// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "solver/sdp/scaled.hpp"

namespace maxmargin {

/// The Schur complement of the HKM direction: M_ij = <A_i, X A_j Z^-1>, the lower triangle of an
/// m x m matrix (the rest is 0). X and the inverse of Z are full symmetric blocks; for nonnegative
/// blocks the inverse holds 1 / z_j. The same bits for any number of threads.
///
/// How an entry is best computed depends on how many entries A_i and A_j have (Fujisawa, Kojima and
/// Nakata 1997): of each pair the one with more entries chooses, for all its partners together,
/// between the full product X A_i Z^-1, half a product, and a double sum over entries.
[[nodiscard]] DenseMatrix schur_complement(const ScaledSdp& program,
                                           const BlockMatrix& x,
                                           const BlockMatrix& z_inverse,
                                           std::size_t threads);

}  // namespace maxmargin
