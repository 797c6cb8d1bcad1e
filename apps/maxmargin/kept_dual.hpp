// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "machine_document.hpp"

/// Certificates of learners whose model does not hold the dual point. `train --verify` keeps it in
/// the document, beside the options as used.
namespace maxmargin::tool {

/// A field of the document, or what stands for it in one that has none.
[[nodiscard]] double number_or(const ModelDocument& document,
                               const std::string& name,
                               double fallback);
/// --class-weight, as the document says.
[[nodiscard]] ClassWeights class_weights_of(const ModelDocument& document);

/// The dual point that the document holds: `points` vectors a function, as long as the data. Throws
/// UsageError when it holds none.
[[nodiscard]] DualPoint dual_of(const LoadedMachine& loaded,
                                const Dataset& data,
                                std::size_t points = 1);

/// LearnerSpec::verify_kept_dual of these learners. Require a document; throw UsageError when it
/// does not hold the dual point.
[[nodiscard]] Certificate check_linear_svc(const LoadedMachine& loaded,
                                           const Dataset& data,
                                           std::optional<std::size_t> threads);
[[nodiscard]] Certificate check_linear_svr(const LoadedMachine& loaded,
                                           const Dataset& data,
                                           std::optional<std::size_t> threads);
[[nodiscard]] Certificate check_cs_svc(const LoadedMachine& loaded,
                                       const Dataset& data,
                                       std::optional<std::size_t> threads);
[[nodiscard]] Certificate check_lp_svc(const LoadedMachine& loaded,
                                       const Dataset& data,
                                       std::optional<std::size_t> threads);

[[nodiscard]] Certificate check_s3vm(const LoadedMachine& loaded,
                                     const Dataset& data,
                                     std::optional<std::size_t> threads);
[[nodiscard]] Certificate check_tsvm(const LoadedMachine& loaded,
                                     const Dataset& data,
                                     std::optional<std::size_t> threads);
[[nodiscard]] Certificate check_s3vm_cccp(const LoadedMachine& loaded,
                                          const Dataset& data,
                                          std::optional<std::size_t> threads);

}  // namespace maxmargin::tool
