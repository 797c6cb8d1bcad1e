// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "learner/supervised/supervised.hpp"
#include "maxmargin/io/model/model_file.hpp"

/// Supervised machines as model documents.
namespace maxmargin::learning {

/// The header, what prediction needs, and how the training on `data` ended. The machine is moved
/// out of the fit.
[[nodiscard]] ModelDocument document_of(const Learner& learner,
                                        Fit& fit,
                                        const Dataset& data,
                                        std::uint64_t seed);

/// The machine that the model keeps. Throws ModelFormatError when it is none for that task.
[[nodiscard]] const Machine& machine_of(const Model& model, Task task);

}  // namespace maxmargin::learning
