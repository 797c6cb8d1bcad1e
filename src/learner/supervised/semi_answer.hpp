// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "learner/supervised/supervised.hpp"
#include "maxmargin/model/semi/semi_supervised.hpp"
#include "maxmargin/model/training.hpp"

/// What learners from unlabelled rows have in common.
namespace maxmargin::learning {

/// Option safe.
void describe_safe(OptionVisitor& visit, bool& safe);

using TrainSemi = std::function<TrainedSemiSupervised(const Dataset&, const TrainingControl&)>;

/// Trains, compares both machines by cross-validation unless this is part of a larger run, and
/// takes the one that `safe` asks for. The fact `machine` says which, `unlabelled_rows` what the
/// comparison says. `repeats` as in SemiComparisonOptions.
[[nodiscard]] Fit fit_semi(const Dataset& data,
                           const FitInput& input,
                           const TrainingControl& control,
                           bool safe,
                           std::size_t repeats,
                           const TrainSemi& train);

/// Is it the supervised machine, which `safe` may return?
[[nodiscard]] bool is_supervised(const Fit& fit);
[[nodiscard]] bool is_supervised(const KeptMachine& kept);

/// Files of format 1 leave out a balance that was not asked for.
template <class Options>
void read_kept_balance(const KeptMachine& kept, Options& options) {
  if (!kept.document.has("option.balance")) options.balance = std::nullopt;
}

}  // namespace maxmargin::learning
