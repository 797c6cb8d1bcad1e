// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/data/dataset.hpp"

namespace maxmargin {

/// Throws InvalidArgument, with the row, unless every row of the data has one label.
void require_all_labelled(const Dataset& data);

}  // namespace maxmargin
