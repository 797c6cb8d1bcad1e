// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "maxmargin/core/report.hpp"
#include "maxmargin/io/run_report.hpp"

/// Values as reports hold them.
namespace maxmargin::learning {

[[nodiscard]] inline std::int64_t whole(std::uint64_t n) { return static_cast<std::int64_t>(n); }

/// What a relaxation found. `objective` is that of the answer that its bound is of.
template <class Relaxation>
[[nodiscard]] ReportFields relaxation_fields(const Relaxation& relaxation,
                                             std::optional<double> objective,
                                             const std::string& winner) {
  return {{"value", relaxation.value},
          {"lower_bound", relaxation.lower_bound},
          {"relative_gap", relaxation.relative_gap},
          {"rank", whole(relaxation.rank)},
          {"roundings", whole(relaxation.roundings)},
          {"winner", winner},
          {"bound", std::string(to_string(*bound_kind(relaxation.lower_bound, objective, {})))},
          {"status", std::string(to_string(relaxation.status))}};
}

}  // namespace maxmargin::learning
