// SPDX-License-Identifier: Apache-2.0
#include "kernel/near_origin.hpp"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "kernel/input_scaling.hpp"
#include "kernel/parts.hpp"
#include "kernel/tiles/tiles.hpp"
#include "maxmargin/kernel/combine.hpp"

namespace maxmargin {

namespace {

/// Examples are far from 0 when their mean is this many times as long as they are scattered around
/// it. Nearer by, less than the square of it in units of the last place is lost.
constexpr double far = 8;
/// Sparse rows become so many times as long at most.
constexpr double most_filling = 64;

/// Their mean, when the examples are far from 0 in relation to their scatter; else empty.
std::vector<double> mean_of_far(const Examples& examples) {
  const auto n = static_cast<double>(examples.rows());
  const double cells = n * static_cast<double>(examples.cols());
  if (examples.rows() == 0 || cells > most_filling * static_cast<double>(examples.entries())) {
    return {};
  }
  std::vector<double> mean = tile_centre(examples, examples.cols());
  const InputScalingRule moved{Linear{}, std::vector<double>(mean.size(), 1.0), mean};
  double length = 0;
  for (const double m : mean) length += m * m;
  double scatter = 0;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    scatter += ScaledRow(examples.row(i), moved).row().squared_norm();
  }
  if (!std::isfinite(length) || !(length > far * far * scatter / n)) return {};
  return mean;
}

/// Whether moved inputs would change a part that stands where they may move.
bool has_linear_part(const Kernel& kernel) {
  if (std::holds_alternative<Linear>(kernel)) return true;
  const auto* combined = std::get_if<Combined>(&kernel);
  if (combined == nullptr) return false;
  const auto& rule = combined->node().rule;
  if (const auto* sum = std::get_if<SumRule>(&rule)) {
    return has_linear_part(sum->a) || has_linear_part(sum->b);
  }
  if (const auto* scale = std::get_if<ScaleRule>(&rule)) return has_linear_part(scale->kernel);
  if (const auto* centring = std::get_if<CentredRule>(&rule)) {
    return has_linear_part(centring->kernel);
  }
  return false;
}

Kernel moved_to(const Kernel& kernel, const std::vector<double>& origin, const Examples& examples) {
  if (!has_linear_part(kernel)) return kernel;
  if (std::holds_alternative<Linear>(kernel)) return with_origin(kernel, origin);
  const Combination& node = std::get<Combined>(kernel).node();
  if (const auto* centring = std::get_if<CentredRule>(&node.rule)) {
    // Its means are those of the moved part.
    return fitted(centred(moved_to(centring->kernel, origin, examples)), examples);
  }
  return with_parts(node, [&](const Kernel& part) { return moved_to(part, origin, examples); });
}

}  // namespace

Kernel near_origin(const Kernel& kernel, const Examples& examples) {
  if (!has_linear_part(kernel)) return kernel;
  const std::vector<double> origin = mean_of_far(examples);
  return origin.empty() ? kernel : moved_to(kernel, origin, examples);
}

Kernel at_origin(const Kernel& kernel) {
  const auto* combined = std::get_if<Combined>(&kernel);
  if (combined == nullptr) return kernel;
  const Combination& node = combined->node();
  const auto* inputs = std::get_if<InputScalingRule>(&node.rule);
  const auto is_one = [](double weight) { return weight == 1; };
  if (inputs != nullptr && !inputs->origin.empty() &&
      std::ranges::all_of(inputs->weights, is_one)) {
    return inputs->kernel;
  }
  return with_parts(node, at_origin);
}

}  // namespace maxmargin
