// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hmm.md, "Scaled numbers"
#include "structured/hmm_sweep.hpp"

#include <algorithm>
#include <cmath>

#include "structured/hmm_kernels.hpp"
#include "structured/hmm_logs.hpp"

namespace maxmargin {

void HmmLogProduct::multiply(const double* factors, std::size_t count) {
  double product = 1;
  for (std::size_t t = 0; t < count; ++t) {
    least = std::min(least, factors[t] > 0 ? factors[t] : 0.0);
    product *= factors[t];
    // One more factor that is safe does not take it below the least double.
    if (product < 1e-150) {
      log += std::log(product);
      product = 1;
    }
  }
  log += std::log(product);
}

HmmSweep::Rows::Rows(std::size_t positions, std::size_t stride)
    : factors((positions + 1) * stride, 0.0),
      forward((positions + 1) * stride, 0.0),
      backward(positions * stride, 0.0),
      products((positions + 1) * stride, 0.0),
      forward_sums(positions + 1),
      backward_sums(positions + 1) {}

HmmSweep::HmmSweep(const HmmEmissions& emissions,
                   std::span<const LabelSequence> known,
                   const HmmChain& chain,
                   std::size_t first_border,
                   std::size_t borders)
    : emissions_(emissions),
      known_(known),
      chain_(chain),
      k_(chain.start.size()),
      stride_(hmm_stride(k_)),
      first_border_(first_border),
      table_(stride_ * stride_, 0.0),
      transposed_(stride_ * stride_, 0.0),
      forward_borders_(borders * stride_),
      forward_border_sums_(borders),
      backward_borders_(borders * stride_),
      backward_border_sums_(borders) {
  for (std::size_t i = 0; i < k_; ++i) {
    for (std::size_t j = 0; j < k_; ++j) {
      table_[i * stride_ + j] = transposed_[j * stride_ + i] = chain.transitions(i, j);
    }
  }
}

void HmmSweep::fill(const HmmBlock& block, Rows& rows) const {
  double* const factors = rows.factors.data() + stride_;
  rows.log_scale = emissions_.fill(block.sequence, block.begin, block.end, factors);
  if (known_.empty()) return;
  const LabelSequence& known = known_[block.sequence];
  for (std::size_t t = block.begin; t < block.end; ++t) {
    if (known[t] == unknown_state) continue;
    double* const row = factors + (t - block.begin) * stride_;
    const double factor = row[known[t]];
    std::fill_n(row, stride_, 0.0);
    // A factor that was lost, or its digits below 1e-308, stays 0, which the sums show.
    if (!(factor >= least_safe)) continue;
    row[known[t]] = 1;
    rows.log_scale += std::log(factor);
  }
}

void HmmSweep::go_forward(const HmmBlock& block, Rows& rows) const {
  const std::size_t count = block.end - block.begin;
  double* const first = rows.forward.data();
  if (block.begin > 0) {
    const std::size_t before = block.before - first_border_;
    std::copy_n(forward_borders_.data() + before * stride_, stride_, first);
    rows.forward_sums[0] = forward_border_sums_[before];
    hmm_forward_rows(
        table_.data(), k_, rows.factors.data(), count + 1, first, rows.forward_sums.data());
    return;
  }
  // What a sequence whose numbers were lost left behind the last state: NaN, which 0 does not undo.
  std::fill(first + stride_ + k_, first + 2 * stride_, 0.0);
  double sum = 0;
  for (std::size_t j = 0; j < k_; ++j) {
    first[stride_ + j] = chain_.start[j] * rows.factors[stride_ + j];
    sum += first[stride_ + j];
  }
  rows.forward_sums[1] = sum;
  hmm_forward_rows(table_.data(),
                   k_,
                   rows.factors.data() + stride_,
                   count,
                   first + stride_,
                   rows.forward_sums.data() + 1);
}

void HmmSweep::go_backward(const HmmBlock& block, Rows& rows) const {
  std::size_t count = block.end - block.begin;
  const double* const factors = rows.factors.data() + stride_;
  double* const behind = rows.products.data() + count * stride_;
  if (!is_last(block)) {
    const std::size_t border = block.behind - first_border_;
    std::copy_n(backward_borders_.data() + border * stride_, stride_, behind);
    rows.backward_sums[count] = backward_border_sums_[border];
  } else {
    // No pair of states leaves the sequence.
    std::fill_n(behind, stride_, 0.0);
    rows.backward_sums[count] = 1;
    --count;
    // As in forward rows.
    std::fill_n(rows.backward.data() + count * stride_ + k_, stride_ - k_, 0.0);
    std::fill_n(rows.products.data() + count * stride_ + k_, stride_ - k_, 0.0);
    double sum = 0;
    for (std::size_t j = 0; j < k_; ++j) {
      const std::size_t at = count * stride_ + j;
      rows.backward[at] = chain_.end.empty() ? 1.0 : chain_.end[j];
      rows.products[at] = rows.backward[at] * factors[at];
      sum += rows.backward[at];
    }
    rows.backward_sums[count] = sum;
  }
  hmm_backward_rows(transposed_.data(),
                    k_,
                    factors,
                    count,
                    rows.backward.data(),
                    rows.products.data(),
                    rows.backward_sums.data());
}

void HmmSweep::keep_forward(const HmmBlock& block, const Rows& rows) {
  if (is_last(block)) return;
  const std::size_t count = block.end - block.begin;
  const std::size_t border = block.behind - first_border_;
  std::copy_n(
      rows.forward.data() + count * stride_, stride_, forward_borders_.data() + border * stride_);
  forward_border_sums_[border] = rows.forward_sums[count];
}

void HmmSweep::keep_backward(const HmmBlock& block, const Rows& rows) {
  if (block.begin == 0) return;
  const std::size_t border = block.before - first_border_;
  std::copy_n(rows.products.data(), stride_, backward_borders_.data() + border * stride_);
  backward_border_sums_[border] = rows.backward_sums[0];
}

void HmmSweep::add_log(const HmmBlock& block, const Rows& rows, HmmLogProduct& product) const {
  const std::size_t count = block.end - block.begin;
  product.multiply(rows.forward_sums.data() + 1, count);
  product.log += rows.log_scale;
  if (!is_last(block) || chain_.end.empty()) return;
  double sum = 0;
  const double* const last = rows.forward.data() + count * stride_;
  for (std::size_t j = 0; j < k_; ++j) sum += last[j] * chain_.end[j];
  const double share = sum / rows.forward_sums[count];
  product.multiply(&share, 1);
}

bool HmmSweep::finish(const HmmBlock& block, Rows& rows) const {
  const std::size_t count = block.end - block.begin;
  const double least = hmm_posterior_rows(k_,
                                          count,
                                          rows.forward_sums.data() + 1,
                                          rows.backward_sums.data(),
                                          rows.forward.data() + stride_,
                                          rows.backward.data());
  const double* const sums = rows.backward_sums.data();
  return least >= least_safe &&
         std::all_of(sums, sums + count, [](double sum) { return sum >= least_safe; });
}

DenseMatrix HmmSweep::nodes(std::size_t sequence) const {
  DenseMatrix nodes = emissions_.logs(sequence);
  if (!known_.empty()) forbid_others(known_[sequence], nodes);
  return nodes;
}

}  // namespace maxmargin
