// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "maxmargin/io/run_report.hpp"

/// Values as reports hold them.
namespace maxmargin::learning {

[[nodiscard]] inline std::int64_t whole(std::uint64_t n) { return static_cast<std::int64_t>(n); }

/// What a relaxation found. Its bound says something where it is above 0.
template <class Relaxation>
[[nodiscard]] ReportFields relaxation_fields(const Relaxation& relaxation,
                                             const std::string& winner) {
  return {{"value", relaxation.value},
          {"lower_bound", relaxation.lower_bound},
          {"relative_gap", relaxation.relative_gap},
          {"rank", whole(relaxation.rank)},
          {"roundings", whole(relaxation.roundings)},
          {"winner", winner},
          {"bound", std::string(relaxation.lower_bound > 0 ? "certified" : "vacuous")}};
}

}  // namespace maxmargin::learning
