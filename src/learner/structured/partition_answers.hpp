// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "learner/structured/sources_text.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/learner/learner.hpp"

/// What learners of partitions say of files: answers as `predict` writes them, and `eval`.
namespace maxmargin::learning {

/// The clusters of every input.
using PartitionAnswer = std::function<std::vector<Partition>(std::span<const PartitionInput>)>;

/// Of a model of so many features of pairs: answers, lines of the format that was given, warnings,
/// and measures where clusters are known.
[[nodiscard]] Prediction partition_prediction(const ModelDocument& model,
                                              std::size_t features,
                                              const PartitionCollection& given,
                                              PhaseTimer& timer,
                                              const PartitionAnswer& answer);

/// Measures of one file against another.
[[nodiscard]] RunReport evaluate_partitions(const std::string& truth_path,
                                            const std::string& path,
                                            const PartitionSourceOptions& options,
                                            const Context& context);

}  // namespace maxmargin::learning
