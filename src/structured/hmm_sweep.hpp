// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/structured/hmm.hpp"
#include "structured/hmm_emissions.hpp"

namespace maxmargin {

/// The hidden chain of a model: what does not depend on what is seen.
struct HmmChain {
  std::vector<double> start = {};
  DenseMatrix transitions = {};
  /// Empty: a sequence may end anywhere at no cost.
  std::vector<double> end = {};
};

/// Positions of a sequence that are gone over together.
struct HmmBlock {
  std::size_t sequence = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  /// Where the rows at its borders are; unused where a sequence begins or ends.
  std::size_t before = 0;
  std::size_t behind = 0;
};

/// The log of a product, and the least factor; a factor that is not a number counts as 0.
struct HmmLogProduct {
  double log = 0;
  double least = 1;

  void multiply(const double* factors, std::size_t count);
};

/// Forward and backward rows of blocks, in scaled numbers: docs/algorithms/hmm.md, "Scaled
/// numbers". Const functions may be called from several threads, and the others for different
/// borders.
class HmmSweep {
 public:
  /// A shrinking factor, or an overlap of what is known from both sides, below which numbers that
  /// were lost (those below 1e-308) could count.
  static constexpr double least_safe = 1e-100;

  /// With room for the borders `first_border` and `borders` - 1 behind it. What is given must
  /// outlive the object; `known` as in HmmExpectation.
  HmmSweep(const HmmEmissions& emissions,
           std::span<const LabelSequence> known,
           const HmmChain& chain,
           std::size_t first_border,
           std::size_t borders);

  /// Rows of a block; those of positions begin at 1 where there may be one before, and at 0 where
  /// there may be one behind.
  struct Rows {
    Rows(std::size_t positions, std::size_t stride);
    std::vector<double> factors;
    std::vector<double> forward;
    std::vector<double> backward;
    std::vector<double> products;
    std::vector<double> forward_sums;
    std::vector<double> backward_sums;
    double log_scale = 0;
  };

  void fill(const HmmBlock& block, Rows& rows) const;
  /// Forward rows of a block that is filled in, from its border.
  void go_forward(const HmmBlock& block, Rows& rows) const;
  /// Backward rows, from the other border.
  void go_backward(const HmmBlock& block, Rows& rows) const;
  /// Keep what the next block needs.
  void keep_forward(const HmmBlock& block, const Rows& rows);
  void keep_backward(const HmmBlock& block, const Rows& rows);
  /// What a block adds to the log-likelihood.
  void add_log(const HmmBlock& block, const Rows& rows, HmmLogProduct& product) const;
  /// Forward and backward rows become what pairs count with, and posteriors. False: numbers that
  /// count may have been lost.
  bool finish(const HmmBlock& block, Rows& rows) const;

  [[nodiscard]] bool is_last(const HmmBlock& block) const {
    return block.end == emissions_.length(block.sequence);
  }
  [[nodiscard]] std::size_t stride() const { return stride_; }
  /// Log densities of a sequence, -infinity where another state is known.
  [[nodiscard]] DenseMatrix nodes(std::size_t sequence) const;

 private:
  const HmmEmissions& emissions_;
  std::span<const LabelSequence> known_;
  const HmmChain& chain_;
  std::size_t k_;
  std::size_t stride_;
  std::size_t first_border_;
  std::vector<double> table_;
  std::vector<double> transposed_;
  /// Forward rows of the last position before a border, and products of the first one behind it.
  std::vector<double> forward_borders_;
  std::vector<double> forward_border_sums_;
  std::vector<double> backward_borders_;
  std::vector<double> backward_border_sums_;
};

}  // namespace maxmargin
