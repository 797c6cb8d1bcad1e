// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "machine_document.hpp"

/// LearnerSpec::verify_kept_dual of the robust learners: beside primal and dual a lower bound is
/// held to what the data and the kept dual points prove.
namespace maxmargin::tool {

[[nodiscard]] Certificate check_ramp_svc(const LoadedMachine& loaded,
                                         const Dataset& data,
                                         std::optional<std::size_t> threads);
[[nodiscard]] Certificate check_linear_ramp_svc(const LoadedMachine& loaded,
                                                const Dataset& data,
                                                std::optional<std::size_t> threads);
[[nodiscard]] Certificate check_trimmed_svc(const LoadedMachine& loaded,
                                            const Dataset& data,
                                            std::optional<std::size_t> threads);
[[nodiscard]] Certificate check_robust_svc(const LoadedMachine& loaded,
                                           const Dataset& data,
                                           std::optional<std::size_t> threads);
[[nodiscard]] Certificate check_outlier_svc(const LoadedMachine& loaded,
                                            const Dataset& data,
                                            std::optional<std::size_t> threads);
[[nodiscard]] Certificate check_centroid_svc(const LoadedMachine& loaded,
                                             const Dataset& data,
                                             std::optional<std::size_t> threads);
[[nodiscard]] Certificate check_loo_svc(const LoadedMachine& loaded,
                                        const Dataset& data,
                                        std::optional<std::size_t> threads);

}  // namespace maxmargin::tool
