// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "maxmargin/data/dataset.hpp"

/// Whether new data has the features of a model. Throw FileError when it cannot be used.
namespace maxmargin::tool {

/// Sparse data may have more or fewer features than the model: say so once. Dense data may not.
void check_features(const Dataset& data, std::size_t features, std::vector<std::string>& warnings);
/// The same of other sparse data.
void check_features(const std::string& source,
                    std::size_t found,
                    std::size_t features,
                    std::vector<std::string>& warnings);
/// Where both name their features, the names must be the same in the same order.
void check_names(const Dataset& data, const std::vector<std::string>& names);

}  // namespace maxmargin::tool
