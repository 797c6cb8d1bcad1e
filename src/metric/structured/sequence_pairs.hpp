// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/sequences.hpp"
#include "metric/check.hpp"

namespace maxmargin {

/// True and predicted sequences must be as many, and as long.
inline void check_sequence_pairs(std::string_view function,
                                 std::span<const LabelSequence> truth,
                                 std::span<const LabelSequence> predicted) {
  check_same_length(function, "predictions", predicted.size(), truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i].size() == predicted[i].size()) continue;
    throw InvalidArgument(std::string(function) + ": sequence " + std::to_string(i) + " has " +
                          std::to_string(truth[i].size()) + " true labels and " +
                          std::to_string(predicted[i].size()) + " predicted ones");
  }
}

}  // namespace maxmargin
