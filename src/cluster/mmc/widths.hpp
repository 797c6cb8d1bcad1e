// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "maxmargin/cluster/mmc/mmc.hpp"
#include "maxmargin/relax/label_rounding.hpp"

namespace maxmargin {

/// Labellings from relaxations, solved roughly, at other widths of a Gaussian kernel: where the
/// kernel is wide its own relaxation says little of the labels, and a narrower one may find
/// clusters that are good at this width, too. None for other kernels and for many points, where
/// several relaxations would take too long. docs/algorithms/mmc.md, step 6.
[[nodiscard]] std::vector<LabelCandidate> candidates_of_other_widths(const Dataset& data,
                                                                     const Kernel& kernel,
                                                                     const MmcOptions& options);

}  // namespace maxmargin
