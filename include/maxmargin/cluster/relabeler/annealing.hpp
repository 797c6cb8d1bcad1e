// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/rng.hpp"

/// The parts of a simulated annealing over labellings: docs/algorithms/relabeler.md, "Search".
namespace maxmargin {

/// How the temperature falls from T_0 with the number k of steps done.
enum class CoolingSchedule {
  geometric,   ///< T_k = cooling^k T_0
  linear,      ///< T_k = (1 - k / steps) T_0
  logarithmic  ///< T_k = T_0 / ln(e + k)
};

template <>
inline constexpr auto names_of<CoolingSchedule> =
    name_table<CoolingSchedule>({{"geometric", CoolingSchedule::geometric},
                                 {"linear", CoolingSchedule::linear},
                                 {"logarithmic", CoolingSchedule::logarithmic}});

struct MAXMARGIN_EXPORT Cooling {
  CoolingSchedule schedule = CoolingSchedule::geometric;
  /// T_0, in units of what is minimised; > 0.
  double temperature = 10;
  /// In (0, 1); a smaller one cools faster. Of the geometric schedule alone.
  double cooling = 0.96;
  /// The temperature after `step` of `steps` steps. Requires step <= steps.
  [[nodiscard]] double temperature_at(std::size_t step, std::size_t steps) const;
};

/// How likely a label is to be moved before a run starts from it again.
enum class PerturbationLaw {
  constant,  ///< p = p_0
  stall      ///< p = min(0.5, p_0 + 0.05 x steps in a row that left the sum of squares as it was)
};

template <>
inline constexpr auto names_of<PerturbationLaw> = name_table<PerturbationLaw>(
    {{"constant", PerturbationLaw::constant}, {"stall", PerturbationLaw::stall}});

/// The probability under the law; never below p_0, which is in [0, 1].
[[nodiscard]] MAXMARGIN_EXPORT double perturbation_at(PerturbationLaw law,
                                                      double p0,
                                                      std::size_t stall);

/// Moves every label, independently and with probability p, to one of the k - 1 other classes (all
/// equally likely). p = 0 changes nothing; with k = 2, p = 1 swaps the classes' names and p = 0.5
/// is a fresh draw. Requires labels from 0 to k-1 and k >= 2.
MAXMARGIN_EXPORT void perturb_labels(std::span<std::int32_t> labels,
                                     std::size_t k,
                                     double p,
                                     Rng& rng);

/// Metropolis' rule: true when `increase` <= 0, else with probability exp(-increase / temperature).
/// Takes one number from the stream either way. A temperature of 0 accepts no increase.
[[nodiscard]] MAXMARGIN_EXPORT bool accepts(double increase, double temperature, Rng& rng);

}  // namespace maxmargin
