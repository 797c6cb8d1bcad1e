// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "maxmargin/data/examples.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/model/classifier.hpp"

/// Trained machines of either kind, seen as one.
namespace maxmargin::learning {

using Machine = std::variant<Classifier, Regressor>;

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

/// The functions underneath.
[[nodiscard]] const DecisionFunction& functions_of(const Machine& machine);
[[nodiscard]] DecisionFunction& functions_of(Machine& machine);
/// Features of the examples it takes: of its scaler, else of its functions.
[[nodiscard]] std::size_t features_of(const Machine& machine);
[[nodiscard]] const std::vector<std::string>& feature_names_of(const Machine& machine);
/// The kernel, of kernel machines; else nullptr.
[[nodiscard]] const Kernel* kernel_of(const Machine& machine);
/// Is its kernel one that was computed elsewhere?
[[nodiscard]] bool is_precomputed(const Machine& machine);

}  // namespace maxmargin::learning
