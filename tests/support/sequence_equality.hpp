// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/data/sequences.hpp"

namespace maxmargin {

/// Equal but for where they came from.
inline bool same_sequences(const SequenceData& a, const SequenceData& b) {
  if (a.size() != b.size() || a.labels != b.labels || a.label_names != b.label_names ||
      a.features != b.features || a.step_features != b.step_features) {
    return false;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Sequence& x = a.inputs[i];
    const Sequence& y = b.inputs[i];
    if (x.begins != y.begins || x.indices != y.indices || x.values != y.values ||
        x.step_begins != y.step_begins || x.step_indices != y.step_indices) {
      return false;
    }
  }
  return true;
}

}  // namespace maxmargin
