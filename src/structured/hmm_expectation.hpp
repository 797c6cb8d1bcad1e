// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/structured/hmm.hpp"
#include "structured/hmm_emissions.hpp"
#include "structured/hmm_sweep.hpp"

namespace maxmargin {

/// Expected counts under a model, and the log-likelihood that goes with them.
struct HmmCounts {
  HmmChain chain = {};
  /// As HmmEmissions::add sums up.
  std::vector<double> emissions = {};
  double log_likelihood = 0;
};

/// The expectation step over all sequences: docs/algorithms/hmm.md, "Scaled numbers". Sequences are
/// cut in blocks, which several threads share even where there is one sequence; the bits do not
/// depend on how many.
class HmmExpectation {
 public:
  /// `known`: one state a position, `unknown_state` where there is none; empty: all are unknown.
  /// All must outlive the object.
  HmmExpectation(const HmmEmissions& emissions,
                 std::span<const LabelSequence> known,
                 std::size_t states,
                 std::size_t threads);
  ~HmmExpectation();
  HmmExpectation(const HmmExpectation&) = delete;
  HmmExpectation& operator=(const HmmExpectation&) = delete;

  /// Under this chain and the present parameters of the emissions, which are prepared. Throws
  /// InvalidArgument for a sequence that cannot occur.
  [[nodiscard]] HmmCounts counts(const HmmChain& chain);
  /// p(y_t = i | sequence) into `states`, positions x states; returns its log-likelihood, and
  /// -infinity, with nothing filled in, where it cannot occur.
  double posterior(const HmmChain& chain, std::size_t sequence, MutableDenseView states) const;

  /// Tables of expected counts that exist at once.
  static constexpr std::size_t most_parts = 16;
  /// Sequences for which scaled numbers could have lost something, so that logs were taken.
  [[nodiscard]] std::size_t in_logs() const;

 private:
  const HmmEmissions& emissions_;
  std::span<const LabelSequence> known_;
  std::size_t states_;
  std::size_t threads_;
  std::size_t positions_;
  /// Of every sequence together, its last block first.
  std::vector<HmmBlock> blocks_ = {};
  /// Where the blocks of a sequence begin, and behind the last one.
  std::vector<std::size_t> first_block_ = {0};
  std::size_t borders_ = 0;
  /// Of each sequence. Bytes: threads write them side by side.
  std::vector<unsigned char> is_in_logs_ = {};
};

}  // namespace maxmargin
