// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "maxmargin/core/option.hpp"
#include "maxmargin/model/kernel/bias.hpp"

/// Options that the methods of maximum-margin clustering describe alike.
namespace maxmargin {

/// C and balance.
void describe_margin(OptionVisitor& visit, double& c, std::optional<double>& balance);
/// tolerance.
void describe_gap(OptionVisitor& visit, double& tolerance);
/// features: landmarks in place of the kernel; unset: none.
void describe_landmarks(OptionVisitor& visit, std::optional<std::size_t>& landmarks);
/// anchors.
void describe_anchors(OptionVisitor& visit, std::optional<std::size_t>& anchors);

}  // namespace maxmargin
