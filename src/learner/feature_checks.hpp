// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/learner/learner.hpp"

/// Whether data is what a learner or model takes.
namespace maxmargin::learning {

/// The table in the data. Throws InvalidArgument when it is of another kind.
[[nodiscard]] const TableData& table_of(const LearnerData& data, const LearnerInfo& info);

/// Sparse data may have more or fewer features than the model: say so once. Dense data may not:
/// throws FileError.
void check_features(const Dataset& data, std::size_t features, std::vector<std::string>& warnings);
/// The same of other sparse data.
void check_features(const std::string& source,
                    std::size_t found,
                    std::size_t features,
                    std::vector<std::string>& warnings);
/// Where both name their features, the names must be the same in the same order; throws FileError.
void check_names(const Dataset& data, const std::vector<std::string>& names);

}  // namespace maxmargin::learning
