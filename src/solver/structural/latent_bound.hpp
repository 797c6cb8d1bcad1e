// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "maxmargin/problem/structural/risk.hpp"
#include "maxmargin/solver/structural/latent.hpp"

namespace maxmargin {

/// Some examples of a risk. Both must outlive it.
class ConvexPart final : public StructuralRisk {
 public:
  ConvexPart(const StructuralRisk& whole, std::span<const std::size_t> examples)
      : whole_(whole), examples_(examples) {}

  [[nodiscard]] std::size_t dimension() const override { return whole_.dimension(); }
  [[nodiscard]] std::size_t examples() const override { return examples_.size(); }
  [[nodiscard]] double weight(std::size_t k) const override { return whole_.weight(examples_[k]); }
  [[nodiscard]] bool is_exact() const override { return whole_.is_exact(); }
  [[nodiscard]] std::size_t oracle_bytes(std::size_t calls) const override {
    return whole_.oracle_bytes(calls);
  }
  void largest_plane(std::size_t k,
                     std::span<const double> w,
                     StructuralPlane& plane) const override {
    whole_.largest_plane(examples_[k], w, plane);
  }

 private:
  const StructuralRisk& whole_;
  std::span<const std::size_t> examples_;
};

/// A bound on the objective of a latent machine anywhere: that of the examples whose completion has
/// no choice, the other losses being at least 0 (docs/algorithms/latent.md, "Certificate").
struct ConvexPartBound {
  double bound = 0;
  /// Whether the solver was stopped: then the bound holds, but says how long it ran.
  Status status = Status::solved;
  std::uint64_t oracle_calls = 0;
};
[[nodiscard]] ConvexPartBound convex_part_bound(const ConvexPart& part,
                                                const LatentOptions& options);

}  // namespace maxmargin
