// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/problem/structural/risk.hpp"
#include "maxmargin/solver/structural/solution.hpp"

namespace maxmargin {

/// A plane in few bytes: indices of 32 bits, and values of 32 bits where that loses nothing, as it
/// does not for counts. Solvers keep many of them.
class CompactPlane {
 public:
  CompactPlane() = default;
  /// Indices must be below 2^32.
  explicit CompactPlane(const StructuralPlane& plane);
  /// `indices` ascending.
  CompactPlane(double offset,
               std::vector<std::uint32_t> indices,
               const std::vector<double>& values);
  /// The entries of a dense vector that are not 0.
  CompactPlane(double offset, std::span<const double> slope);
  /// a first + b second.
  [[nodiscard]] static CompactPlane combine(double a,
                                            const CompactPlane& first,
                                            double b,
                                            const CompactPlane& second);

  [[nodiscard]] double offset() const { return offset_; }
  [[nodiscard]] std::size_t entries() const { return indices_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> indices() const { return indices_; }
  [[nodiscard]] double entry(std::size_t k) const {
    return doubles_.empty() ? static_cast<double>(singles_[k]) : doubles_[k];
  }
  /// The plane of the truth.
  [[nodiscard]] bool is_zero() const { return offset_ == 0 && indices_.empty(); }
  /// slope.w
  [[nodiscard]] double dot(std::span<const double> w) const;
  /// Product of the slopes; the same bits either way.
  [[nodiscard]] double dot(const CompactPlane& other) const;
  [[nodiscard]] double value(std::span<const double> w) const { return offset_ - dot(w); }
  void add_to(double factor, std::span<double> w) const;
  [[nodiscard]] std::size_t bytes() const {
    return sizeof(*this) + 4 * (indices_.size() + singles_.size()) + 8 * doubles_.size();
  }
  [[nodiscard]] bool operator==(const CompactPlane&) const = default;

 private:
  void set_values(std::span<const double> values);

  double offset_ = 0;
  std::vector<std::uint32_t> indices_;
  /// The values are in one of them.
  std::vector<float> singles_;
  std::vector<double> doubles_;
};

/// One plane whose products with many others are wanted: it lies in a dense vector of the thread
/// while this lives, one at a time, so that a product reads the other plane alone. Planes with
/// indices for which that vector would be large are merged instead.
class SpreadPlane {
 public:
  explicit SpreadPlane(const CompactPlane& plane);
  ~SpreadPlane();
  SpreadPlane(const SpreadPlane&) = delete;
  SpreadPlane& operator=(const SpreadPlane&) = delete;

  /// Product of the slopes.
  [[nodiscard]] double dot(const CompactPlane& other) const;

 private:
  const CompactPlane& plane_;
  bool is_spread_;
};

/// Throws InvalidArgument when a vector of the dimension has too many numbers for 32-bit indices.
void require_small_dimension(const StructuralRisk& risk);

/// To and from the table of a state.
void append(PlaneTable& table,
            std::uint64_t owner,
            const CompactPlane& plane,
            double weight,
            std::uint64_t age);
[[nodiscard]] CompactPlane plane_of(const PlaneTable& table, std::size_t p);
/// Throws InvalidArgument unless the arrays fit together, owners are at most `examples`, indices
/// ascend below `dimension` and weights are >= 0.
void require_table(const PlaneTable& table, std::uint64_t examples, std::size_t dimension);

}  // namespace maxmargin
