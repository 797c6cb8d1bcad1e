// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "learner/supervised/supervised.hpp"
#include "maxmargin/io/model/model_file.hpp"

/// Supervised machines as model documents.
namespace maxmargin::learning {

/// The header, what prediction needs, and how the training on `data` ended. The machine is moved
/// out of the fit.
[[nodiscard]] ModelDocument document_of(const LearnerInfo& info,
                                        Fit& fit,
                                        const Dataset& data,
                                        std::uint64_t seed);

/// The machine again. Throws ModelFormatError when the document does not hold one for that task.
[[nodiscard]] Machine machine_of(const ModelDocument& document, Task task);

}  // namespace maxmargin::learning
