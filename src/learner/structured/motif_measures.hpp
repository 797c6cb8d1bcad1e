// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "maxmargin/data/dna.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/model/structured/motif.hpp"

namespace maxmargin::learning {

/// What was said of sequences whose truth is known: accuracy, error, precision, recall and F1 of
/// the positives. Labels are 1 and -1; sequences with 0 are left out.
void add_motif_measures(std::span<const std::int8_t> truth,
                        std::span<const std::int8_t> predicted,
                        RunReport& report);
/// The same with the area under the ROC curve of the scores.
void add_motif_measures(std::span<const std::int8_t> truth,
                        std::span<const MotifFinding> findings,
                        RunReport& report);

/// name,label,score,start,end,strand,site: a line a sequence, places counted from 1, forwards; no
/// place for a sequence without a motif.
[[nodiscard]] std::string position_lines(const MotifFinder& finder,
                                         const DnaData& data,
                                         std::span<const MotifFinding> findings);

}  // namespace maxmargin::learning
