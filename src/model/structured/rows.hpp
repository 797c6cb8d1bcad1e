// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "maxmargin/core/option.hpp"
#include "maxmargin/solver/structural/solution.hpp"

/// What learners share whose structures are made of rows of features.
namespace maxmargin {

inline constexpr std::string_view row_passes_words = "1000000; subgradient 1000, mira 10";

/// Passes enough for a solver whose gap ends it: a pass over one query is one plane.
[[nodiscard]] inline StructuralOptions row_solving(StructuralOptions options,
                                                   StructuralMethod method) {
  if (!options.max_passes && has_gap(method)) options.max_passes = 1'000'000;
  return options;
}

/// Option no-bias of a constant feature, whose value is 1 unless code says otherwise.
inline void describe_constant(OptionVisitor& visit, double& value) {
  const bool was_there = value != 0;
  bool is_there = was_there;
  visit.switched_off({.name = "no-bias", .help = "linear functions through the origin"}, is_there);
  if (is_there != was_there) value = is_there ? 1 : 0;
  visit.rule(rules::finite.holds(value), "the value of the bias feature must be finite");
}

}  // namespace maxmargin
