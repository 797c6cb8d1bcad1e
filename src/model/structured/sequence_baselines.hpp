// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/model/structured/sequence_tagger.hpp"
#include "maxmargin/solver/structural/solution.hpp"

/// Ways to the weights of a chain that are no structural machine.
namespace maxmargin {

/// Solutions whose w lies as the task's weights do.
[[nodiscard]] StructuralSolution train_chain_crf(const ChainTask& task,
                                                 const SequenceData& data,
                                                 const StructuralOptions& options);
[[nodiscard]] StructuralSolution train_chain_perceptron(const ChainTask& task,
                                                        const SequenceData& data,
                                                        const StructuralOptions& options);

/// The CRF's objective at weights that lie as the task's do.
[[nodiscard]] double plain_crf_objective(const ChainTask& task,
                                         const SequenceData& data,
                                         double c,
                                         std::span<const double> weights);

}  // namespace maxmargin
