// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// The loops over positions of hidden Markov models in scaled numbers: docs/algorithms/hmm.md,
/// "Scaled numbers". A row holds one number a state; its length, the stride, is the number of
/// states in whole groups of four, and what is behind the last state is 0.
namespace maxmargin {

[[nodiscard]] constexpr std::size_t hmm_stride(std::size_t states) noexcept {
  return (states + 3) / 4 * 4;
}

/// rows[t] = (table' rows[t - 1]) * factors[t] / sums[t - 1] and sums[t] = the sum of rows[t], for
/// t = 1, ..., count - 1. `table` has one row of stride numbers a state. Row 0 and sums[0] are
/// given.
void hmm_forward_rows(const double* table,
                      std::size_t states,
                      const double* factors,
                      std::size_t count,
                      double* rows,
                      double* sums);

/// backward[t] = table' products[t + 1] / sums[t + 1], sums[t] = the sum of backward[t] and
/// products[t] = backward[t] * factors[t], for t = count - 1, ..., 0. Row `count` of products and
/// sums is given.
void hmm_backward_rows(const double* table,
                       std::size_t states,
                       const double* factors,
                       std::size_t count,
                       double* backward,
                       double* products,
                       double* sums);

/// table(i, j) += sum over t of left[t](i) right[t](j), for count rows.
void hmm_add_products(
    const double* left, const double* right, std::size_t states, std::size_t count, double* table);

/// The posteriors of count positions from forward and backward rows, which become them: gamma =
/// forward * backward / overlap, in `backward`; and forward[t] /= overlap[t] sums[t + 1], what
/// pairs of states count with (sums as of hmm_backward_rows). Returns the least of overlap[t] /
/// (sum of forward[t] times sums[t]).
double hmm_posterior_rows(std::size_t states,
                          std::size_t count,
                          const double* forward_sums,
                          const double* backward_sums,
                          double* forward,
                          double* backward);

}  // namespace maxmargin
