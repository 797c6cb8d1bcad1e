// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "maxmargin/data/examples.hpp"
#include "maxmargin/model/machine.hpp"

/// What learners ask of machines of either kind.
namespace maxmargin::learning {

/// What a machine says about examples. One of the two parts is filled.
struct MachineAnswer {
  /// Of classifiers.
  ClassifierAnswer classes = {};
  /// Real predictions, or the values of a one-class machine.
  std::vector<double> values = {};
};
[[nodiscard]] MachineAnswer answer_of(const Machine& machine,
                                      const Examples& examples,
                                      const DecisionOptions& options = {});

/// Features of the examples it takes: of its scaler, else of its functions.
[[nodiscard]] std::size_t features_of(const Machine& machine);
[[nodiscard]] const std::vector<std::string>& feature_names_of(const Machine& machine);
/// Is its kernel one that was computed elsewhere?
[[nodiscard]] bool is_precomputed(const Machine& machine);

}  // namespace maxmargin::learning
