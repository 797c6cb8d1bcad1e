// SPDX-License-Identifier: Apache-2.0
#include "cluster/relabeler/annealing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// What a step without a change adds to the probability, and where that ends: at 0.5 a perturbation
/// of two classes is a fresh draw.
constexpr double stall_growth = 0.05;
constexpr double largest_perturbation = 0.5;

}  // namespace

double Cooling::temperature_at(std::size_t step, std::size_t steps) const {
  require(step <= steps, "there are not so many steps");
  const auto k = static_cast<double>(step);
  switch (schedule) {
    case CoolingSchedule::geometric:
      return std::pow(cooling, k) * temperature;
    case CoolingSchedule::linear:
      return steps == 0 ? temperature : (1 - k / static_cast<double>(steps)) * temperature;
    case CoolingSchedule::logarithmic:
      return temperature / std::log(std::numbers::e + k);
  }
  throw InternalError("a cooling schedule without a formula");
}

double perturbation_at(PerturbationLaw law, double p0, std::size_t stall) {
  if (law == PerturbationLaw::constant) return p0;
  const double grown = p0 + stall_growth * static_cast<double>(stall);
  return std::max(p0, std::min(largest_perturbation, grown));
}

void perturb_labels(std::span<std::int32_t> labels, std::size_t k, double p, Rng& rng) {
  require(k >= 2, "there must be at least two classes");
  for (std::int32_t& label : labels) {
    if (!rng.bernoulli(p)) continue;
    const auto other = static_cast<std::int32_t>(rng.index(k - 1));
    label = other < label ? other : other + 1;
  }
}

bool accepts(double increase, double temperature, Rng& rng) {
  const double draw = rng.uniform();
  if (increase <= 0) return true;
  return temperature > 0 && draw < std::exp(-increase / temperature);
}

}  // namespace maxmargin
