// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/eval/stability.hpp"

/// The pieces of a stability measure, which choosing k runs as tasks of its own.
namespace maxmargin {

/// Tells how many different points a sample of rows holds: clustering into more is impossible.
class DistinctRows {
 public:
  /// Rows of weight 0 are no points. O(entries) on average.
  explicit DistinctRows(const Dataset& data);

  /// Different points of all rows.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// Different points among the given rows.
  [[nodiscard]] std::size_t count_among(std::span<const std::size_t> rows) const;

 private:
  /// Equal for equal rows, below count_; count_ itself for a row of weight 0.
  std::vector<std::size_t> point_of_row_;
  std::size_t count_ = 0;
};

/// Data whose clusterings are compared; keeps references.
struct ResamplingSource {
  const Dataset& data;
  const DistinctRows& distinct;
  const ClusterFunction& cluster;
};

/// What `cluster` says of some rows.
struct SampleClusters {
  std::vector<std::int32_t> labels = {};
  /// It was ended before its end; there are no labels.
  bool stopped = false;
  /// Why it refused the rows; then there are no labels either.
  std::string refusal = {};

  [[nodiscard]] bool known() const noexcept { return !stopped && refusal.empty(); }
};

/// Throws InvalidArgument for labels of another length than the data.
[[nodiscard]] SampleClusters try_clusters(const ClusterFunction& cluster,
                                          const Dataset& data,
                                          std::size_t k,
                                          std::uint64_t seed);

/// What a sample was made for: an agreement, a sum. NaN: undefined.
struct SampleValue {
  double value = std::numeric_limits<double>::quiet_NaN();
  bool stopped = false;
  std::string refusal = {};

  [[nodiscard]] static SampleValue of(double value) { return {.value = value}; }
  /// Of clusters that are not known.
  [[nodiscard]] static SampleValue undefined(SampleClusters unknown) {
    return {.stopped = unknown.stopped, .refusal = std::move(unknown.refusal)};
  }
};

/// Samples that a method refused, from several threads.
class Refusals {
 public:
  /// An empty reason is no refusal.
  void add(const std::string& reason);

  /// "`what`: `reason`", with a reason that does not depend on which thread came first; none
  /// without a refusal.
  void warn(std::string_view what, std::vector<std::string>& warnings) const;

 private:
  std::mutex mutex_;
  std::string reason_;
};

/// stability.hpp: agreement on pair number `pair` of subsamples. The rows depend on the seed and
/// the pair alone, so that every k is tried on the same ones.
[[nodiscard]] SampleValue pair_agreement(const ResamplingSource& source,
                                         std::size_t k,
                                         std::size_t pair,
                                         double share,
                                         std::uint64_t seed);

/// Mean of the values that are not NaN; NaN without any.
[[nodiscard]] double mean_of_defined(std::span<const double> values);

}  // namespace maxmargin
