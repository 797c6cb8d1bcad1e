// SPDX-License-Identifier: Apache-2.0
#include "eval/resampling.hpp"

#include <bit>
#include <cstdint>
#include <unordered_map>

namespace maxmargin {

namespace {

/// Of the entries that are not 0, so that dense and sparse rows, 0 and -0 hash alike.
std::uint64_t hash_of(const Row& row) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  const auto mix = [&hash](std::uint64_t word) {
    hash ^= word;
    hash *= 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  };
  row.for_each([&](std::size_t j, double value) {
    if (value == 0) return;
    mix(j);
    mix(std::bit_cast<std::uint64_t>(value));
  });
  return hash;
}

bool are_equal(const Row& a, const Row& b) {
  bool equal = true;
  for_each_pair(a, b, [&](double x, double z) { equal = equal && x == z; });
  return equal;
}

}  // namespace

DistinctRows::DistinctRows(const Dataset& data) : point_of_row_(data.size()) {
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  // Rows of equal hash form a chain: the first is in the map, the others follow by `next`.
  std::unordered_map<std::uint64_t, std::size_t> first_of_hash;
  std::vector<std::size_t> next(data.size(), none);
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!data.weights.empty() && data.weights[i] == 0) {
      point_of_row_[i] = none;
      continue;
    }
    const Row row = data.examples.row(i);
    const auto [place, is_new] = first_of_hash.try_emplace(hash_of(row), i);
    std::size_t other = place->second;
    if (!is_new) {
      while (!are_equal(row, data.examples.row(other)) && next[other] != none) other = next[other];
      if (are_equal(row, data.examples.row(other))) {
        point_of_row_[i] = point_of_row_[other];
        continue;
      }
      next[other] = i;
    }
    point_of_row_[i] = count_++;
  }
  for (std::size_t& point : point_of_row_) {
    if (point == none) point = count_;
  }
}

std::size_t DistinctRows::count_among(std::span<const std::size_t> rows) const {
  std::vector<char> seen(count_ + 1, 0);
  for (const std::size_t row : rows) seen[point_of_row_[row]] = 1;
  std::size_t found = 0;
  for (std::size_t point = 0; point < count_; ++point) found += seen[point] != 0 ? 1u : 0u;
  return found;
}

}  // namespace maxmargin
