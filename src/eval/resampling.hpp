// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "eval/distinct_rows.hpp"
#include "maxmargin/eval/stability.hpp"

/// The pieces of a stability measure, which choosing k runs as tasks of its own.
namespace maxmargin {

/// Data whose clusterings are compared; keeps references.
struct ResamplingSource {
  const Dataset& data;
  const DistinctRows& distinct;
  const ClusterFunction& cluster;
};

/// stability.hpp: agreement on pair number `pair` of subsamples. The rows depend on the seed and
/// the pair alone, so that every k is tried on the same ones.
[[nodiscard]] double pair_agreement(const ResamplingSource& source,
                                    std::size_t k,
                                    std::size_t pair,
                                    double share,
                                    std::uint64_t seed);

/// What `cluster` says of these rows, checked.
[[nodiscard]] std::vector<std::int32_t> checked_clusters(const ClusterFunction& cluster,
                                                         const Dataset& data,
                                                         std::size_t k,
                                                         std::uint64_t seed);

/// Mean of the values that are not NaN; NaN without any.
[[nodiscard]] double mean_of_defined(std::span<const double> values);

}  // namespace maxmargin
