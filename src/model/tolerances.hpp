// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "maxmargin/core/option.hpp"
#include "maxmargin/model/training.hpp"

namespace maxmargin {

/// Where a KKT tolerance is set, the gap that would end a solve otherwise must not be.
inline void refuse_both_tolerances(OptionVisitor& visit,
                                   const TrainingControl& control,
                                   const std::optional<double>& kkt_tolerance) {
  visit.rule(!kkt_tolerance || control.tolerance == TrainingControl{}.tolerance,
             "--tolerance and --kkt-tolerance exclude each other: one of them ends a solve");
}

}  // namespace maxmargin
