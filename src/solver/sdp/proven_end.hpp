// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/parallel.hpp"
#include "maxmargin/core/context.hpp"
#include "solver/sdp/cone_lift.hpp"

namespace maxmargin {

/// When a solver of semidefinite programs may stop: not when its own misses are within the
/// tolerance, but when multipliers near its own prove it. The same for all of them; the last word
/// has settle().
///
/// A solver whose misses are within `target` asks `is_proven`. A proof that fails lowers the
/// target, until the run has taken about twice the steps of the first try. A proof asks the context
/// and throws Stopped: on blocks of a thousand rows it takes a minute.
class ProvenEnd {
 public:
  /// Points of the size of X that a proof, of a bound or of a ray, holds at once beside the
  /// solver's: C, the slack, its lift, eigenvectors and those weighted, and two of the proof's
  /// sums.
  static constexpr std::size_t points = 7;

  /// The context must outlive it.
  ProvenEnd(const ScaledSdp& program, double tolerance, const Context& context)
      : program_(&program),
        context_(&context),
        threads_(thread_count(context.threads)),
        tolerance_(tolerance),
        target_(tolerance) {}

  /// Misses at which an iterate is worth a proof: the tolerance, and less after every failure.
  [[nodiscard]] double target() const noexcept { return target_; }
  /// Whether the bound of y, or of multipliers near y, is within the tolerance of this value (both
  /// in the scale of the program given). `step` is the number of the solver's steps so far.
  [[nodiscard]] bool is_proven(const std::vector<double>& y, double primal, std::uint64_t step);
  /// Whether an answer within the tolerance was there, but no proof.
  [[nodiscard]] bool was_near() const noexcept { return first_try_.has_value(); }
  /// Whether that is so long ago that the run may end without a proof.
  [[nodiscard]] bool is_out_of_patience(std::uint64_t step) const noexcept {
    return first_try_ && step >= 2 * *first_try_ + patience;
  }

  /// After a proof: the multipliers, and C - sum y_i A_i where they are not those given.
  [[nodiscard]] const std::vector<double>& multipliers() const noexcept { return multipliers_; }
  [[nodiscard]] const std::optional<BlockMatrix>& slack() const noexcept { return slack_; }

 private:
  static constexpr std::uint64_t patience = 200;
  /// Share of the tolerance: the value is computed again for the report, and rounds otherwise.
  static constexpr double room = 0.99;

  struct Bound {
    double gap = 0;
    bool is_feasible = false;
  };
  [[nodiscard]] Bound bound_of(const std::vector<double>& y, double value) const;
  [[nodiscard]] bool is_proven_nearby(const std::vector<double>& y, double value);

  const ScaledSdp* program_;
  const Context* context_;
  std::size_t threads_;
  double tolerance_;
  double target_;
  std::optional<std::uint64_t> first_try_ = std::nullopt;
  std::optional<ConstraintGram> gram_ = std::nullopt;
  std::vector<double> multipliers_ = {};
  std::optional<BlockMatrix> slack_ = std::nullopt;
};

}  // namespace maxmargin
