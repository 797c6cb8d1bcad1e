// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/hmm_measures.hpp"

#include <cstdint>
#include <vector>

#include "learner/defined.hpp"
#include "learner/structured/sequence_measures.hpp"
#include "maxmargin/metric/cluster/clustering.hpp"

namespace maxmargin::learning {

void add_matching_measures(std::span<const LabelSequence> truth,
                           std::span<const LabelSequence> states,
                           RunReport& report) {
  std::vector<std::int32_t> classes;
  std::vector<std::int32_t> clusters;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    for (std::size_t t = 0; t < truth[i].size(); ++t) {
      if (truth[i][t] == unknown_state) continue;
      classes.push_back(static_cast<std::int32_t>(truth[i][t]));
      clusters.push_back(static_cast<std::int32_t>(states[i][t]));
    }
  }
  const Contingency table(classes, clusters);
  report.metrics.emplace_back("misassignment", defined(misassignment(table)));
  report.metrics.emplace_back("majority_error", defined(majority_error(table)));
}

KnownPositions known_positions(std::span<const LabelSequence> known,
                               std::span<const LabelSequence> states) {
  KnownPositions positions;
  for (std::size_t i = 0; i < known.size(); ++i) {
    LabelSequence& truth = positions.truth.emplace_back();
    LabelSequence& found = positions.states.emplace_back();
    for (std::size_t t = 0; t < known[i].size(); ++t) {
      if (known[i][t] == unknown_state) continue;
      truth.push_back(known[i][t]);
      found.push_back(states[i][t]);
    }
  }
  return positions;
}

void add_hmm_measures(std::span<const LabelSequence> known,
                      std::span<const LabelSequence> states,
                      const HmmNames& names,
                      std::span<const std::string> label_names,
                      RunReport& report) {
  if (names.labels < names.states.size()) add_matching_measures(known, states, report);
  if (names.labels == 0) return;
  const KnownPositions positions = known_positions(known, states);
  add_sequence_measures(positions.truth, positions.states, label_names, report);
}

}  // namespace maxmargin::learning
