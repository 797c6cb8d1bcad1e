// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "maxmargin/core/option.hpp"

/// Options that both machines with a ramp describe.
namespace maxmargin {

/// ramp.
void describe_ramp(OptionVisitor& visit, double& s);
/// bound-rounds.
void describe_bound_rounds(OptionVisitor& visit, std::optional<std::size_t>& bound_rounds);

}  // namespace maxmargin
