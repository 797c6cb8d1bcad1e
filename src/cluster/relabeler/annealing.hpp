// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "maxmargin/cluster/relabeler/relabeler.hpp"
#include "maxmargin/core/rng.hpp"

/// The parts of a simulated annealing over labellings: docs/algorithms/relabeler.md, "Search".
namespace maxmargin {

/// The probability under the law; never below p_0, which is in [0, 1].
[[nodiscard]] double perturbation_at(PerturbationLaw law, double p0, std::size_t stall);

/// Moves every label, independently and with probability p, to one of the k - 1 other classes (all
/// equally likely). p = 0 changes nothing; with k = 2, p = 1 swaps the classes' names and p = 0.5
/// is a fresh draw. Requires labels from 0 to k-1 and k >= 2.
void perturb_labels(std::span<std::int32_t> labels, std::size_t k, double p, Rng& rng);

/// Metropolis' rule: true when `increase` <= 0, else with probability exp(-increase / temperature).
/// Takes one number from the stream either way. A temperature of 0 accepts no increase.
[[nodiscard]] bool accepts(double increase, double temperature, Rng& rng);

}  // namespace maxmargin
