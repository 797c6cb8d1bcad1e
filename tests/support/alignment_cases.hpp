// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/alignment.hpp"
#include "maxmargin/structured/tasks/alignment.hpp"

namespace maxmargin {

inline std::string random_letters(std::string_view letters, std::size_t count, Rng& rng) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) text += letters[rng.index(letters.size())];
  return text;
}

/// A sequence with all tracks at random.
inline AnnotatedSequence random_sequence(std::size_t size, Rng& rng) {
  AnnotatedSequence sequence{.name = "random"};
  sequence.residues = random_letters("ACDEFGHIKLMNPQRSTVWYX", size, rng);
  sequence.structure = random_letters("HGIEBTSC-?", size, rng);
  sequence.surface = random_letters("0123456789?", size, rng);
  for (std::size_t k = 0; k < 20 * size; ++k) sequence.profile.push_back(rng.uniform());
  return sequence;
}

/// A global alignment by random steps, with a match where that is possible.
inline Alignment random_alignment(std::size_t m, std::size_t n, Rng& rng) {
  using enum AlignmentStep;
  Alignment alignment;
  for (std::size_t i = 0, j = 0; i < m || j < n;) {
    const bool last_chance = alignment.matches() == 0 && (i + 1 == m || j + 1 == n);
    const std::size_t kind = i == m ? 2 : j == n ? 1 : last_chance ? 0 : rng.index(3);
    alignment.steps.push_back(kind == 0 ? match : kind == 1 ? gap_in_known : gap_in_target);
    i += kind == 2 ? 0 : 1;
    j += kind == 1 ? 0 : 1;
  }
  return alignment;
}

inline double score_of(const AlignmentTask& task,
                       const SequencePair& x,
                       const Alignment& y,
                       std::span<const double> w) {
  FeatureVector psi;
  task.joint_features(x, y, psi);
  return psi.dot(w);
}

inline std::vector<double> random_weights(const AlignmentTask& task, Rng& rng) {
  std::vector<double> w(task.dimension());
  for (double& weight : w) weight = rng.normal();
  return w;
}

}  // namespace maxmargin
