// SPDX-License-Identifier: Apache-2.0
#include "model/kernel/moved_linear.hpp"

#include "kernel/input_scaling.hpp"

namespace maxmargin {

const InputScalingRule* moved_linear(const Kernel& kernel) {
  const auto* combined = std::get_if<Combined>(&kernel);
  if (combined == nullptr) return nullptr;
  const auto* rule = std::get_if<InputScalingRule>(&combined->node().rule);
  if (rule == nullptr || rule->origin.empty()) return nullptr;
  return std::holds_alternative<Linear>(rule->kernel) ? rule : nullptr;
}

KernelExpansion with_moved_vectors(const KernelExpansion& expansion, const InputScalingRule& rule) {
  KernelExpansion moved = expansion;
  moved.kernel = rule.kernel;
  moved.vectors = scale_inputs(expansion.vectors, rule);
  return moved;
}

KernelExpansion around_zero(const KernelExpansion& expansion, const InputScalingRule& rule) {
  KernelExpansion plain = with_moved_vectors(expansion, rule);
  // sum_i c_i (x_i - o).(x - o): what belongs to -o goes into the offset.
  for (std::size_t i = 0; i < plain.vectors.rows(); ++i) {
    const double product = plain.vectors.row(i).dot(rule.origin);
    for (std::size_t f = 0; f < plain.offsets.size(); ++f) {
      plain.offsets[f] -= plain.coefficients(i, f) * product;
    }
  }
  return plain;
}

}  // namespace maxmargin
