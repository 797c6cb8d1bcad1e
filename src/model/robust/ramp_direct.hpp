// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/model/robust/ramp_svc.hpp"

namespace maxmargin {

/// train_ramp_svc with MulticlassKind::direct: the loss of Crammer and Singer, capped at 1 - s.
/// `kernel` is that of the options, its width found.
[[nodiscard]] TrainedRobustClassifier train_direct_ramp(const Dataset& data,
                                                        const ClassificationTask& task,
                                                        const Kernel& kernel,
                                                        const RampSvcOptions& options);

}  // namespace maxmargin
