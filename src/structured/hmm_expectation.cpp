// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hmm.md, "Scaled numbers"
#include "structured/hmm_expectation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/parallel.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/require.hpp"
#include "structured/hmm_kernels.hpp"
#include "structured/hmm_logs.hpp"
#include "structured/hmm_sweep.hpp"

namespace maxmargin {

namespace {

constexpr double forbidden = -std::numeric_limits<double>::infinity();
/// Numbers of a block's rows: what its loops go over several times stays in the cache.
constexpr std::size_t block_numbers = 8192;
constexpr std::size_t least_block = 64;
/// Multiplications of a step below which threads cost more than they save.
constexpr std::size_t least_work = 1 << 18;

}  // namespace

namespace {

/// Expected counts of some blocks; pairs without the factors of the transitions.
struct Part {
  std::vector<double> start;
  std::vector<double> pairs;
  /// Of pairs that were counted in logs, transitions included.
  DenseMatrix whole_pairs;
  std::vector<double> end;
  std::vector<double> emissions;
  double log_likelihood = 0;
  /// Sequences whose numbers were lost.
  std::vector<std::size_t> lost = {};

  Part() = default;
  Part(std::size_t k, std::size_t emission_sums)
      : start(k, 0.0),
        pairs(hmm_stride(k) * hmm_stride(k), 0.0),
        whole_pairs(k, k, 0.0),
        end(k, 0.0),
        emissions(emission_sums, 0.0) {}
};

void add_to(std::span<double> to, std::span<const double> from) {
  for (std::size_t j = 0; j < to.size(); ++j) to[j] += from[j];
}

}  // namespace

HmmExpectation::HmmExpectation(const HmmEmissions& emissions,
                               std::span<const LabelSequence> known,
                               std::size_t states,
                               std::size_t threads)
    : emissions_(emissions),
      known_(known),
      states_(states),
      threads_(threads),
      positions_(std::max(least_block, block_numbers / hmm_stride(states))),
      is_in_logs_(emissions.sequences(), 0) {
  std::size_t positions = 0;
  for (std::size_t s = 0; s < emissions.sequences(); ++s) {
    const std::size_t length = emissions.length(s);
    // The last block first: one thread alone then carries backward rows from block to block.
    const std::size_t count = chunk_count(length, positions_);
    for (std::size_t b = count; b-- > 0;) {
      blocks_.push_back({.sequence = s,
                         .begin = b * positions_,
                         .end = std::min(length, (b + 1) * positions_),
                         .before = b > 0 ? borders_ + b - 1 : 0,
                         .behind = borders_ + b});
    }
    if (count > 0) borders_ += count - 1;
    first_block_.push_back(blocks_.size());
    positions += length;
  }
  if (positions * states * states < least_work) threads_ = 1;
}

HmmExpectation::~HmmExpectation() = default;

std::size_t HmmExpectation::in_logs() const {
  return static_cast<std::size_t>(std::ranges::count(is_in_logs_, 1));
}

HmmCounts HmmExpectation::counts(const HmmChain& chain) {
  HmmSweep sweep(emissions_, known_, chain, 0, borders_);
  const std::size_t k = states_;
  const std::size_t stride = sweep.stride();
  const LabelChain logs = log_chain(chain);
  const bool ends = !chain.end.empty();

  // Sequences of several blocks: what their borders are reached with comes first.
  std::vector<std::size_t> long_ones;
  for (std::size_t i = 0; i < emissions_.sequences(); ++i) {
    if (first_block_[i + 1] - first_block_[i] > 1) long_ones.push_back(i);
  }
  std::vector<HmmLogProduct> products(emissions_.sequences());

  const auto go_forward = [&](std::size_t s) {
    HmmSweep::Rows rows(positions_, stride);
    products[s] = {};
    for (std::size_t b = first_block_[s + 1]; b-- > first_block_[s];) {
      sweep.fill(blocks_[b], rows);
      sweep.go_forward(blocks_[b], rows);
      sweep.keep_forward(blocks_[b], rows);
      sweep.add_log(blocks_[b], rows, products[s]);
    }
  };
  const auto go_backward = [&](std::size_t s) {
    HmmSweep::Rows rows(positions_, stride);
    // The first block has nobody to tell.
    for (std::size_t b = first_block_[s]; b + 1 < first_block_[s + 1]; ++b) {
      sweep.fill(blocks_[b], rows);
      sweep.go_backward(blocks_[b], rows);
      sweep.keep_backward(blocks_[b], rows);
    }
  };
  // One thread alone meets the blocks in order, and carries backward rows itself.
  const std::size_t ways = threads_ > 1 ? 2 : 1;

  const auto count_block = [&](const HmmBlock& block, HmmSweep::Rows& rows, Part& part) {
    const std::size_t s = block.sequence;
    const std::size_t count = block.end - block.begin;
    sweep.fill(block, rows);
    sweep.go_forward(block, rows);
    sweep.go_backward(block, rows);
    // Where another thread went backward before, these borders are kept, and are being read.
    if (ways == 1) sweep.keep_backward(block, rows);
    HmmLogProduct product;
    if (first_block_[s + 1] - first_block_[s] == 1) {
      sweep.add_log(block, rows, product);
    } else if (sweep.is_last(block)) {
      product = products[s];
    }
    part.log_likelihood += product.log;
    const bool is_safe = sweep.finish(block, rows) && product.least >= HmmSweep::least_safe;
    if (!is_safe) {
      part.lost.push_back(s);
      return;
    }
    hmm_add_products(
        rows.forward.data() + stride, rows.products.data() + stride, k, count, part.pairs.data());
    const double* const posteriors = rows.backward.data();
    if (block.begin == 0) add_to(part.start, std::span(posteriors, k));
    if (ends && sweep.is_last(block)) {
      add_to(part.end, std::span(posteriors + (count - 1) * stride, k));
    }
    emissions_.add(s, block.begin, block.end, posteriors, part.emissions.data());
  };
  const auto count_in_logs = [&](std::size_t s, Part& part) {
    const DenseMatrix nodes = sweep.nodes(s);
    DenseMatrix states(nodes.rows(), k);
    if (logs.log_sum(nodes.view()) == forbidden) {
      throw InvalidArgument("sequence " + std::to_string(s + 1) + " cannot occur under the model");
    }
    part.log_likelihood += logs.expectations(nodes.view(), states.view(), part.whole_pairs.view());
    std::vector<double> posteriors(positions_ * stride, 0.0);
    for (std::size_t begin = 0; begin < states.rows(); begin += positions_) {
      const std::size_t end = std::min(states.rows(), begin + positions_);
      for (std::size_t t = begin; t < end; ++t) {
        std::ranges::copy(states.row(t), posteriors.data() + (t - begin) * stride);
      }
      emissions_.add(s, begin, end, posteriors.data(), part.emissions.data());
    }
    add_to(part.start, states.row(0));
    if (ends) add_to(part.end, states.row(states.rows() - 1));
  };

  std::vector<Part> parts;
  const std::size_t chunk = std::max<std::size_t>(1, chunk_count(blocks_.size(), most_parts));
  for (bool again = true; again;) {
    parallel_chunks(
        threads_, ways * long_ones.size(), 1, [&](std::size_t task, std::size_t, std::size_t) {
          const std::size_t s = long_ones[task / ways];
          if (is_in_logs_[s] != 0) return;
          if (task % ways == 0) {
            go_forward(s);
          } else {
            go_backward(s);
          }
        });
    parts.assign(chunk_count(blocks_.size(), chunk), Part{});
    parallel_chunks(
        threads_, blocks_.size(), chunk, [&](std::size_t c, std::size_t begin, std::size_t end) {
          parts[c] = Part(k, emissions_.sums());
          HmmSweep::Rows rows(positions_, stride);
          for (std::size_t b = begin; b < end; ++b) {
            const HmmBlock& block = blocks_[b];
            if (is_in_logs_[block.sequence] == 0) {
              count_block(block, rows, parts[c]);
            } else if (sweep.is_last(block)) {
              count_in_logs(block.sequence, parts[c]);
            }
          }
        });
    again = false;
    for (const Part& part : parts) {
      again = again || !part.lost.empty();
      for (const std::size_t s : part.lost) is_in_logs_[s] = 1;
    }
  }

  Part total(k, emissions_.sums());
  for (const Part& part : parts) {
    add_to(total.start, part.start);
    add_to(total.pairs, part.pairs);
    add_to(total.whole_pairs.values(), part.whole_pairs.values());
    add_to(total.end, part.end);
    add_to(total.emissions, part.emissions);
    total.log_likelihood += part.log_likelihood;
  }
  HmmCounts counts{.chain = {.start = std::move(total.start),
                             .transitions = std::move(total.whole_pairs),
                             .end = ends ? std::move(total.end) : std::vector<double>{}},
                   .emissions = std::move(total.emissions),
                   .log_likelihood = total.log_likelihood};
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      counts.chain.transitions(i, j) += total.pairs[i * stride + j] * chain.transitions(i, j);
    }
  }
  return counts;
}

double HmmExpectation::posterior(const HmmChain& chain,
                                 std::size_t sequence,
                                 MutableDenseView states) const {
  if (states.rows == 0) return 0;
  const auto begin = blocks_.begin() + static_cast<std::ptrdiff_t>(first_block_[sequence]);
  const auto end = blocks_.begin() + static_cast<std::ptrdiff_t>(first_block_[sequence + 1]);
  HmmSweep sweep(emissions_,
                 known_,
                 chain,
                 std::prev(end)->behind,
                 first_block_[sequence + 1] - first_block_[sequence] - 1);
  const std::size_t stride = sweep.stride();
  HmmSweep::Rows rows(positions_, stride);
  HmmLogProduct product;
  for (auto block = end; block-- != begin;) {
    sweep.fill(*block, rows);
    sweep.go_forward(*block, rows);
    sweep.keep_forward(*block, rows);
    sweep.add_log(*block, rows, product);
  }
  bool is_safe = product.least >= HmmSweep::least_safe;
  for (auto block = begin; is_safe && block != end; ++block) {
    sweep.fill(*block, rows);
    sweep.go_forward(*block, rows);
    sweep.go_backward(*block, rows);
    sweep.keep_backward(*block, rows);
    is_safe = sweep.finish(*block, rows);
    for (std::size_t t = block->begin; t < block->end; ++t) {
      std::copy_n(
          rows.backward.data() + (t - block->begin) * stride, states_, states.row(t).begin());
    }
  }
  if (is_safe) return product.log;
  const LabelChain logs = log_chain(chain);
  const DenseMatrix nodes = sweep.nodes(sequence);
  if (logs.log_sum(nodes.view()) == forbidden) return forbidden;
  DenseMatrix pairs(states_, states_, 0.0);
  return logs.expectations(nodes.view(), states, pairs.view());
}

}  // namespace maxmargin
