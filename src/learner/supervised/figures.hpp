// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/learner/learner.hpp"

namespace maxmargin::learning {

/// What `info` shows of a model that is a machine: its classes, kernel, support vectors, margin and
/// bounds, the options of its training and the features that weigh most.
[[nodiscard]] ModelFigures machine_figures(const Model& model);

}  // namespace maxmargin::learning
