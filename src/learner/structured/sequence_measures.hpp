// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "maxmargin/data/sequences.hpp"
#include "maxmargin/io/run_report.hpp"

namespace maxmargin::learning {

/// Adds accuracy and error of tokens, accuracy of sequences, the F1 of chunks where all labels are
/// chunk tags, and tables by label and by type of chunk.
void add_sequence_measures(std::span<const LabelSequence> truth,
                           std::span<const LabelSequence> predicted,
                           std::span<const std::string> names,
                           RunReport& report);

}  // namespace maxmargin::learning
