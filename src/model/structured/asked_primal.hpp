// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/recomputation.hpp"
#include "maxmargin/problem/structural/risk.hpp"

namespace maxmargin {

/// A risk that asks before every example whether it goes on. Throws Stopped.
class AskedRisk final : public StructuralRisk {
 public:
  /// Both must outlive it.
  AskedRisk(const StructuralRisk& risk, const Context& context) : risk_(risk), context_(context) {}

  [[nodiscard]] std::size_t dimension() const override { return risk_.dimension(); }
  [[nodiscard]] std::size_t examples() const override { return risk_.examples(); }
  [[nodiscard]] double weight(std::size_t example) const override { return risk_.weight(example); }
  [[nodiscard]] bool is_exact() const override { return risk_.is_exact(); }
  [[nodiscard]] std::size_t oracle_bytes(std::size_t calls) const override {
    return risk_.oracle_bytes(calls);
  }
  [[nodiscard]] std::string_view cheaper_oracle() const override { return risk_.cheaper_oracle(); }
  void largest_plane(std::size_t example,
                     std::span<const double> w,
                     StructuralPlane& plane) const override {
    ask_in_verify(context_);
    risk_.largest_plane(example, w, plane);
  }

 private:
  const StructuralRisk& risk_;
  const Context& context_;
};

/// structural_primal of a risk that asks.
[[nodiscard]] inline double asked_primal(const StructuralRisk& risk,
                                         double c,
                                         std::span<const double> w,
                                         const Context& context) {
  return structural_primal(AskedRisk(risk, context), c, w);
}

}  // namespace maxmargin
