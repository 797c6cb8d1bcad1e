// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/data/dataset.hpp"

namespace maxmargin::learning {

/// Throws FileError naming the row for rows without bags, for a bag that comes back after another,
/// and for a bag whose rows differ in label or weight.
void check_bags(const Dataset& data);

}  // namespace maxmargin::learning
