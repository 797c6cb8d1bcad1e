// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "learner/structured/hmm_data.hpp"
#include "maxmargin/io/run_report.hpp"

namespace maxmargin::learning {

/// How well states agree with labels whatever they are called: the share of positions that is wrong
/// under the best one-to-one matching, and when each state is named by its most frequent label.
void add_matching_measures(std::span<const LabelSequence> truth,
                           std::span<const LabelSequence> states,
                           RunReport& report);

/// Positions whose label is known, of every sequence.
struct KnownPositions {
  std::vector<LabelSequence> truth = {};
  std::vector<LabelSequence> states = {};
};
[[nodiscard]] KnownPositions known_positions(std::span<const LabelSequence> known,
                                             std::span<const LabelSequence> states);

/// Where labels are known: those above where states have none, else the measures of labels. `known`
/// has unknown_state where a label is not known, and `label_names` the names of all of its numbers.
void add_hmm_measures(std::span<const LabelSequence> known,
                      std::span<const LabelSequence> states,
                      const HmmNames& names,
                      std::span<const std::string> label_names,
                      RunReport& report);

}  // namespace maxmargin::learning
