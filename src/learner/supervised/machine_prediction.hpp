// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "learner/supervised/machine.hpp"
#include "maxmargin/learner/learner.hpp"

namespace maxmargin::learning {

/// What a prediction may be asked for beside labels.
struct PredictionChoice {
  bool scores = false;
  bool probabilities = false;
  void describe(OptionVisitor& visit);
};

/// A machine, which must outlive this, and what is known of it, whether a model of this library
/// holds it or another's file.
struct PredictingMachine {
  std::string_view learner = {};
  Task task = Task::classify;
  const Machine& machine;
  /// Rows it was trained on, where that is known.
  std::optional<std::size_t> trained_on = std::nullopt;
};

/// The machine's answers, with measures where the truth is known.
[[nodiscard]] Prediction predict_by_machine(const PredictingMachine& of,
                                            const TableData& given,
                                            const PredictionChoice& choice,
                                            const Context& context);

}  // namespace maxmargin::learning
