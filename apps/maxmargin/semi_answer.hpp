// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "learners.hpp"
#include "maxmargin/model/semi/semi_supervised.hpp"
#include "maxmargin/model/training.hpp"

/// What learners from unlabelled rows have in common.
namespace maxmargin::tool {

/// -C, 100 unless given.
[[nodiscard]] double cost_or_100(const TrainingInput& input);

/// --balance as reports show it.
[[nodiscard]] ReportValue shown_balance(std::optional<double> balance);

using TrainSemi = std::function<TrainedSemiSupervised(const Dataset&, const TrainingControl&)>;

/// Trains, compares both machines by cross-validation unless this is part of a larger run, and
/// takes the one that --safe asks for.
[[nodiscard]] TrainingAnswer run_semi(const Dataset& data,
                                      const TrainingInput& input,
                                      const TrainingControl& control,
                                      ReportFields fields,
                                      const TrainSemi& train);

}  // namespace maxmargin::tool
