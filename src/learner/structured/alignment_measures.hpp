// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "maxmargin/data/alignment.hpp"
#include "maxmargin/io/run_report.hpp"

namespace maxmargin::learning {

/// Adds the mean Q and Q4 of pairs, and a table of them by family where pairs have families. Pairs
/// whose reference has no match have neither: they are left out, with a warning.
void add_alignment_measures(const AlignmentData& truth,
                            std::span<const Alignment> predicted,
                            RunReport& report);

}  // namespace maxmargin::learning
