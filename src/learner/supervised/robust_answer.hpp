// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "learner/supervised/supervised.hpp"
#include "maxmargin/model/robust/robust.hpp"
#include "maxmargin/model/robust/robust_svc.hpp"

/// What robust machines say in reports and model files.
namespace maxmargin::learning {

/// The machine with its outliers and how the descent ended.
[[nodiscard]] Fit robust_fit(TrainedRobustClassifier trained);

/// The same with what the relaxation found; outliers have their relaxed weight, too. Says when the
/// bound is weak and keeps the weights of all rows, but not in every part of a larger run.
[[nodiscard]] Fit relaxed_fit(TrainedRelaxedClassifier trained,
                              const Dataset& data,
                              const FitInput& input);

}  // namespace maxmargin::learning
