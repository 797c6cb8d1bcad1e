// SPDX-License-Identifier: Apache-2.0
#include "solver/structural/compact_plane.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

bool is_single(double value) {
  return std::abs(value) <= std::numeric_limits<float>::max() &&
         static_cast<double>(static_cast<float>(value)) == value;
}

// Two sums, because one addition waits for the one before.
template <class Value>
double gathered_dot(std::span<const std::uint32_t> indices,
                    std::span<const Value> values,
                    std::span<const double> w) {
  double even = 0;
  double odd = 0;
  std::size_t k = 0;
  for (; k + 1 < indices.size(); k += 2) {
    even += static_cast<double>(values[k]) * w[indices[k]];
    odd += static_cast<double>(values[k + 1]) * w[indices[k + 1]];
  }
  if (k < indices.size()) even += static_cast<double>(values[k]) * w[indices[k]];
  return even + odd;
}

template <class Value>
void scatter_add(double factor,
                 std::span<const std::uint32_t> indices,
                 std::span<const Value> values,
                 std::span<double> w) {
  for (std::size_t k = 0; k < indices.size(); ++k) {
    w[indices[k]] += factor * static_cast<double>(values[k]);
  }
}

template <class First, class Second>
double merged_dot(std::span<const std::uint32_t> first,
                  std::span<const First> first_values,
                  std::span<const std::uint32_t> second,
                  std::span<const Second> second_values) {
  double sum = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < first.size() && j < second.size()) {
    // Both steps without a branch: which one comes next is not to be guessed.
    const std::uint32_t a = first[i];
    const std::uint32_t b = second[j];
    if (a == b) sum += static_cast<double>(first_values[i]) * static_cast<double>(second_values[j]);
    i += a <= b ? 1 : 0;
    j += b <= a ? 1 : 0;
  }
  return sum;
}

/// Numbers of the thread's dense vector: 2 MB, too little to count.
constexpr std::size_t largest_spread = std::size_t{1} << 18;

/// One more than the last index.
std::size_t extent(const CompactPlane& plane) {
  return plane.entries() == 0 ? 0 : std::size_t{plane.indices().back()} + 1;
}

/// All 0 but for the plane that is spread out, and of at least this size.
std::span<double> spread_of_thread(std::size_t size) {
  thread_local std::vector<double> spread;
  if (spread.size() < size) spread.resize(size, 0.0);
  return spread;
}

}  // namespace

CompactPlane::CompactPlane(const StructuralPlane& plane) : offset_(plane.offset) {
  const auto entries = plane.slope.entries();
  indices_.reserve(entries.size());
  bool single = true;
  for (const FeatureVector::Entry& entry : entries) {
    indices_.push_back(static_cast<std::uint32_t>(entry.index));
    single = single && is_single(entry.value);
  }
  if (single) {
    singles_.reserve(entries.size());
    for (const auto& entry : entries) singles_.push_back(static_cast<float>(entry.value));
  } else {
    doubles_.reserve(entries.size());
    for (const auto& entry : entries) doubles_.push_back(entry.value);
  }
}

CompactPlane::CompactPlane(double offset,
                           std::vector<std::uint32_t> indices,
                           const std::vector<double>& values)
    : offset_(offset), indices_(std::move(indices)) {
  set_values(values);
}

CompactPlane::CompactPlane(double offset, std::span<const double> slope) : offset_(offset) {
  const auto count = static_cast<std::size_t>(
      std::ranges::count_if(slope, [](double value) { return value != 0; }));
  std::vector<double> values;
  indices_.reserve(count);
  values.reserve(count);
  for (std::size_t j = 0; j < slope.size(); ++j) {
    if (slope[j] == 0) continue;
    indices_.push_back(static_cast<std::uint32_t>(j));
    values.push_back(slope[j]);
  }
  set_values(values);
}

CompactPlane CompactPlane::combine(double a,
                                   const CompactPlane& first,
                                   double b,
                                   const CompactPlane& second) {
  std::vector<std::uint32_t> indices;
  std::vector<double> values;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < first.entries() || j < second.entries()) {
    const bool from_first =
        i < first.entries() && (j == second.entries() || first.indices_[i] <= second.indices_[j]);
    const bool from_second =
        j < second.entries() && (i == first.entries() || second.indices_[j] <= first.indices_[i]);
    const std::uint32_t index = from_first ? first.indices_[i] : second.indices_[j];
    double value = 0;
    if (from_first) value += a * first.entry(i++);
    if (from_second) value += b * second.entry(j++);
    if (value == 0) continue;
    indices.push_back(index);
    values.push_back(value);
  }
  indices.shrink_to_fit();
  return {a * first.offset_ + b * second.offset_, std::move(indices), values};
}

void CompactPlane::set_values(std::span<const double> values) {
  if (std::ranges::all_of(values, is_single)) {
    singles_.reserve(values.size());
    for (const double value : values) singles_.push_back(static_cast<float>(value));
  } else {
    doubles_.assign(values.begin(), values.end());
  }
}

double CompactPlane::dot(std::span<const double> w) const {
  return doubles_.empty() ? gathered_dot<float>(indices_, singles_, w)
                          : gathered_dot<double>(indices_, doubles_, w);
}

double CompactPlane::dot(const CompactPlane& other) const {
  if (doubles_.empty()) {
    return other.doubles_.empty()
               ? merged_dot<float, float>(indices_, singles_, other.indices_, other.singles_)
               : merged_dot<float, double>(indices_, singles_, other.indices_, other.doubles_);
  }
  return other.doubles_.empty()
             ? merged_dot<double, float>(indices_, doubles_, other.indices_, other.singles_)
             : merged_dot<double, double>(indices_, doubles_, other.indices_, other.doubles_);
}

void CompactPlane::add_to(double factor, std::span<double> w) const {
  if (doubles_.empty()) {
    scatter_add<float>(factor, indices_, singles_, w);
  } else {
    scatter_add<double>(factor, indices_, doubles_, w);
  }
}

SpreadPlane::SpreadPlane(const CompactPlane& plane)
    : plane_(plane), is_spread_(extent(plane) <= largest_spread) {
  if (!is_spread_) return;
  plane.add_to(1, spread_of_thread(extent(plane)));
}

SpreadPlane::~SpreadPlane() {
  if (!is_spread_) return;
  const std::span<double> spread = spread_of_thread(0);
  for (const std::uint32_t index : plane_.indices()) spread[index] = 0;
}

double SpreadPlane::dot(const CompactPlane& other) const {
  if (!is_spread_ || extent(other) > largest_spread) return plane_.dot(other);
  return other.dot(spread_of_thread(extent(other)));
}

void require_small_dimension(const StructuralRisk& risk) {
  require(risk.dimension() <= std::numeric_limits<std::uint32_t>::max(),
          "a structural machine of " + std::to_string(risk.dimension()) +
              " weights is too large, must be below 2^32: use fewer features");
}

void append(PlaneTable& table,
            std::uint64_t owner,
            const CompactPlane& plane,
            double weight,
            std::uint64_t age) {
  table.owners.push_back(owner);
  table.offsets.push_back(plane.offset());
  table.weights.push_back(weight);
  table.ages.push_back(age);
  const auto indices = plane.indices();
  table.indices.insert(table.indices.end(), indices.begin(), indices.end());
  for (std::size_t k = 0; k < plane.entries(); ++k) table.values.push_back(plane.entry(k));
  table.begins.push_back(table.indices.size());
}

CompactPlane plane_of(const PlaneTable& table, std::size_t p) {
  const auto begin = static_cast<std::ptrdiff_t>(table.begins[p]);
  const auto end = static_cast<std::ptrdiff_t>(table.begins[p + 1]);
  return {table.offsets[p],
          std::vector<std::uint32_t>(table.indices.begin() + begin, table.indices.begin() + end),
          std::vector<double>(table.values.begin() + begin, table.values.begin() + end)};
}

void require_table(const PlaneTable& table, std::uint64_t examples, std::size_t dimension) {
  const std::size_t n = table.size();
  require(table.offsets.size() == n && table.weights.size() == n && table.ages.size() == n &&
              table.begins.size() == n + 1 && table.begins.front() == 0 &&
              table.begins.back() == table.indices.size() &&
              table.values.size() == table.indices.size(),
          "the checkpoint's planes: the arrays do not fit together");
  for (std::size_t p = 0; p < n; ++p) {
    require(table.owners[p] <= examples && table.weights[p] >= 0 &&
                std::isfinite(table.weights[p]) && std::isfinite(table.offsets[p]) &&
                table.begins[p] <= table.begins[p + 1] &&
                table.begins[p + 1] <= table.indices.size(),
            "the checkpoint's planes: a plane has a wrong owner, weight, offset or length");
    for (std::uint64_t k = table.begins[p]; k < table.begins[p + 1]; ++k) {
      require(table.indices[k] < dimension &&
                  (k == table.begins[p] || table.indices[k - 1] < table.indices[k]) &&
                  std::isfinite(table.values[k]),
              "the checkpoint's planes: indices must ascend below the dimension, values be finite");
    }
  }
}

}  // namespace maxmargin
