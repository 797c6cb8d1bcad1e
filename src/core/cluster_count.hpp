// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "maxmargin/core/option.hpp"

/// The number of clusters, as the options of all clustering methods describe it.
namespace maxmargin {

/// Option k (or clusters): a whole number >= 1. It has no default that fits all data, so 0 stands
/// for "not given" and is refused.
void describe_cluster_count(OptionVisitor& visit, std::size_t& k);

/// Throws InvalidArgument ("-k 5: must be ...") unless `holds`, for what data ask of the number.
void require_cluster_count(bool holds, std::size_t k, std::string_view rule);

/// Options restarts and max-iterations of methods that keep the best of several runs.
void describe_restarts(OptionVisitor& visit, std::size_t& restarts, std::size_t& max_iterations);

}  // namespace maxmargin
