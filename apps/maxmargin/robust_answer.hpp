// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "learners.hpp"
#include "maxmargin/model/robust/robust.hpp"
#include "maxmargin/model/robust/robust_svc.hpp"

/// What robust machines say in reports and model files.
namespace maxmargin::tool {

/// The machine with its outliers and how the descent ended.
[[nodiscard]] TrainingAnswer robust_answer(TrainedRobustClassifier fit, ReportFields options);

/// The same with what the relaxation found; outliers have their relaxed weight, too, and with
/// --weights-output all rows. Says when the bound is weak, but not in every part of a larger run.
[[nodiscard]] TrainingAnswer relaxed_answer(TrainedRelaxedClassifier fit,
                                            ReportFields options,
                                            const Dataset& data,
                                            const TrainingInput& input);

}  // namespace maxmargin::tool
