// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "maxmargin/learner/learner.hpp"

/// Whether data that was made in memory is sound. What readers make is; learners index into it
/// without looking again, so that each family checks here once in training, prediction and
/// verification.
namespace maxmargin::learning {

/// Throws InvalidArgument, naming the data, when a part has another length than the rows, a weight
/// is negative or not finite, a feature is NaN or infinite, or a row is no row of its kernel
/// matrix.
void check_data(const TableData& table);
/// Throws InvalidArgument when indices, labels or lengths do not fit.
void check_data(const SequenceCollection& sequences);
void check_data(const PartitionCollection& partitions);
void check_data(const AlignmentData& pairs);
void check_data(const DnaData& sequences);

/// Throws InvalidArgument for a model of another learner.
void check_model(const Model& model, const LearnerInfo& info);

/// The table in the data, checked. Throws InvalidArgument when it is of another kind or not sound.
[[nodiscard]] const TableData& table_of(const LearnerData& data, const LearnerInfo& info);

/// Where a kernel matrix is not symmetric, in words; empty: nowhere, to rounding. Trainings read
/// one triangle alone, so that a difference would go unnoticed.
[[nodiscard]] std::string asymmetry_of(const DenseMatrix& kernel);
/// Throws InvalidArgument unless the kernel matrix that the table has, if any, can be trained on:
/// square, and symmetric to rounding.
void check_training_kernel(const TableData& table);
/// Throws InvalidArgument when the data has a kernel matrix that these options do not ask for:
/// another kernel would be computed from row numbers.
void refuse_unused_kernel(const TableData& table, bool is_precomputed);

/// Rows, sequences, documents or pairs.
[[nodiscard]] std::size_t examples_in(const LearnerData& data);
/// What is wrong with data of another number of examples than the model was trained on; empty:
/// nothing, or the model does not say.
[[nodiscard]] std::string other_count(const Model& model, const LearnerData& data);
/// The same of data with another number of features than the model's `features`. Strings have none
/// to count, nor have rows of a kernel matrix and text.
[[nodiscard]] std::string other_features(const LearnerData& data, std::size_t features);

}  // namespace maxmargin::learning
