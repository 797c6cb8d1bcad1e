// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/core/buffer.hpp"

/// The inner level of docs/algorithms/smo.md: pair steps on the variables of one working set, whose
/// part of the matrix is held.
namespace maxmargin {

/// Groups of variables begin at multiples of this many places.
inline constexpr std::size_t smo_lanes = 8;

/// What the inner level knows of a variable.
struct SmoVariable {
  double b;
  double lower;
  double upper;
  double score;     ///< minus the derivative of the objective
  double diagonal;  ///< of the matrix, without the ridge
  double ridge;
};

/// The working set's problem. A variable has a place; places without one are padding that is at
/// both bounds and so never chosen.
template <class T>
class SmoInner {
 public:
  /// Starts a new working set with `places` places, a multiple of smo_lanes, all padding. Set the
  /// variables, their matrix rows and, when they move in `pairs`, their groups. `least_curvature`,
  /// > 0, stands for the curvature along a pair that has none (equal points, indefinite kernels).
  void reset(std::size_t places, bool pairs, double least_curvature);
  void set(std::size_t k, const SmoVariable& variable);
  /// Row k of the matrix: entry m is K(variable k, variable m); write all places, 0 for padding.
  [[nodiscard]] std::span<T> matrix_row(std::size_t k) noexcept {
    return {matrix_.data() + k * places_, places_};
  }
  /// The places of a group: [begin, end), multiples of smo_lanes.
  void add_group(std::size_t begin, std::size_t end) { groups_.push_back({begin, end}); }

  /// Steps until the largest violation is at most `tolerance`, no step makes progress, or
  /// `max_steps` were made; returns the number of steps.
  std::uint64_t solve(double tolerance, std::uint64_t max_steps);

  [[nodiscard]] double coefficient(std::size_t k) const noexcept { return b_[k]; }

 private:
  struct Range {
    std::size_t begin;
    std::size_t end;
  };
  struct Choice {
    double gain = 0;
    double violation = 0;
    std::size_t up = 0;
    std::size_t low = 0;
  };
  [[nodiscard]] Choice choose_pair(Range range) const;
  [[nodiscard]] Choice choose_single() const;
  /// Moves the chosen pair; false when it cannot move.
  bool step_pair(const Choice& choice);
  bool step_single(std::size_t k);
  void refresh_masks(std::size_t k);

  std::size_t places_ = 0;
  bool pairs_ = true;
  double least_curvature_ = 1;
  std::vector<Range> groups_;
  Buffer<T> matrix_;
  Buffer<double> b_;
  Buffer<double> lower_;
  Buffer<double> upper_;
  Buffer<double> score_;
  Buffer<double> diagonal_;  ///< with the ridge
  Buffer<double> ridge_;
  Buffer<double> up_mask_;   ///< 0 where b can grow, else -infinity
  Buffer<double> low_mask_;  ///< 0 where b can fall, else +infinity
};

extern template class SmoInner<float>;
extern template class SmoInner<double>;

}  // namespace maxmargin
