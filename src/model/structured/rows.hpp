// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "maxmargin/core/option.hpp"
#include "maxmargin/solver/structural/solution.hpp"
#include "model/constant_feature.hpp"

/// What learners share whose structures are made of rows of features.
namespace maxmargin {

inline constexpr std::string_view row_passes_words = "1000000; subgradient 1000, mira 10";

/// Passes enough for a solver whose gap ends it: a pass over one query is one plane.
[[nodiscard]] inline StructuralOptions row_solving(StructuralOptions options,
                                                   StructuralMethod method) {
  if (!options.max_passes && has_gap(method)) options.max_passes = 1'000'000;
  return options;
}

/// Option no-bias of a constant feature.
inline void describe_constant(OptionVisitor& visit, double& value) {
  ConstantFeature constant(value);
  visit.option({.name = "no-bias", .help = "linear functions through the origin"}, constant);
  visit.rule(rules::finite.holds(value), "the value of the bias feature must be finite");
}

}  // namespace maxmargin
