// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "maxmargin/core/export.hpp"
#include "maxmargin/problem/structural/feature_vector.hpp"

/// The problem behind all structural machines: docs/algorithms/cutting-plane.md.
namespace maxmargin {

/// A plane below the loss of one example: loss_i(w) >= offset - w.slope for all w.
struct StructuralPlane {
  double offset = 0;
  /// Settled.
  FeatureVector slope = {};
};

/// Minimise over w
///
///   P(w) = 1/2 |w|^2 + C sum_i a_i loss_i(w),    loss_i(w) = max over outputs y of a plane,
///
/// with margin rescaling offset Delta(y_i, y) and slope Phi(x_i, y_i) - Phi(x_i, y), with slack
/// rescaling Delta times (1, the same slope). The truth itself is the plane 0. The dual, in a >= 0
/// for every example and output with sum_y a_iy <= C a_i, is to maximise
///
///   D(a) = sum_iy a_iy offset_iy - 1/2 |sum_iy a_iy slope_iy|^2.
///
/// Solvers see this alone. All calls are const and may come from several threads at once.
class MAXMARGIN_EXPORT StructuralRisk {
 public:
  StructuralRisk() = default;
  StructuralRisk(const StructuralRisk&) = delete;
  StructuralRisk& operator=(const StructuralRisk&) = delete;
  virtual ~StructuralRisk();

  [[nodiscard]] virtual std::size_t dimension() const = 0;
  [[nodiscard]] virtual std::size_t examples() const = 0;
  /// a_i >= 0.
  [[nodiscard]] virtual double weight(std::size_t /*example*/) const { return 1; }
  /// Whether largest_plane is the largest. If not, P(w) is an estimate from below; D(a) holds.
  [[nodiscard]] virtual bool is_exact() const = 0;
  /// Memory that so many calls of largest_plane for different examples may take while they run at
  /// once, where that can be much: solvers count it within their memory limit.
  [[nodiscard]] virtual std::size_t oracle_bytes(std::size_t /*calls*/) const { return 0; }
  /// What to use for calls that take less memory, for messages; empty: nothing is known.
  [[nodiscard]] virtual std::string_view cheaper_oracle() const { return {}; }
  /// The plane of example i that is largest at w.
  virtual void largest_plane(std::size_t example,
                             std::span<const double> w,
                             StructuralPlane& plane) const = 0;
};

/// P(w) by one call for every example, one after the other: shares nothing with solvers.
[[nodiscard]] MAXMARGIN_EXPORT double structural_primal(const StructuralRisk& risk,
                                                        double c,
                                                        std::span<const double> w);

}  // namespace maxmargin
