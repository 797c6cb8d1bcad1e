// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "maxmargin/learner/learner.hpp"

/// Small data for every learner, in memory and as a file that the tool reads.
namespace maxmargin::walk {

/// Data that the learner can be trained on, whatever its kind.
[[nodiscard]] LearnerData data_for(const LearnerInfo& info);

/// Writes it in the format that the tool reads without being told more.
void write_file_of(const LearnerInfo& info, const LearnerData& data, const std::string& path);

/// What the learner must be told beside its data: the number of clusters.
[[nodiscard]] OptionTexts needed_options(const Learner& learner);

}  // namespace maxmargin::walk
