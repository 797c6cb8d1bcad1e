// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/sdp/sdp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

auto place(const SdpEntry& entry) { return std::tie(entry.block, entry.row, entry.column); }

/// Sorts the entries from `begin` on, adds up those at one place and drops zeros.
void normalise(std::vector<SdpEntry>& entries, std::size_t begin) {
  const auto first = entries.begin() + static_cast<std::ptrdiff_t>(begin);
  // Stable: the order of the sums, and so their bits, are the caller's.
  std::stable_sort(first, entries.end(), [](const SdpEntry& a, const SdpEntry& b) {
    return place(a) < place(b);
  });
  std::size_t kept = begin;
  for (std::size_t i = begin; i < entries.size();) {
    SdpEntry sum = entries[i++];
    while (i < entries.size() && place(entries[i]) == place(sum)) sum.value += entries[i++].value;
    require_field(std::isfinite(sum.value), "SdpEntry.value: a sum", sum.value, "finite");
    if (sum.value != 0) entries[kept++] = sum;
  }
  entries.resize(kept);
}

SdpEntry lower(SdpEntry entry) {
  if (entry.row < entry.column) std::swap(entry.row, entry.column);
  return entry;
}

}  // namespace

std::size_t SdpProblem::order() const noexcept {
  std::size_t sum = 0;
  for (const SdpBlock& block : blocks_) sum += block.size;
  return sum;
}

std::size_t SdpProblem::point_numbers() const {
  std::size_t numbers = 0;
  for (const SdpBlock& block : blocks_) {
    const std::size_t rows = block.cone == SdpCone::semidefinite ? block.size : 1;
    numbers = checked_add(numbers, checked_multiply(rows, block.size));
  }
  return numbers;
}

BlockMatrix SdpProblem::zero_point() const {
  BlockMatrix point;
  require_memory(checked_multiply(point_numbers(), sizeof(double)),
                 "a point of the semidefinite program");
  for (const SdpBlock& block : blocks_) {
    const std::size_t rows = block.cone == SdpCone::semidefinite ? block.size : 1;
    point.emplace_back(rows, block.size);
  }
  return point;
}

void SdpProblem::check_point(const BlockMatrix& point, const char* who) const {
  require(point.size() == blocks_.size(),
          std::string(who) + ": there are " + std::to_string(point.size()) + " blocks for " +
              std::to_string(blocks_.size()) + " of the program");
  for (std::size_t k = 0; k < point.size(); ++k) {
    const std::size_t n = blocks_[k].size;
    const std::size_t rows = blocks_[k].cone == SdpCone::semidefinite ? n : 1;
    require(point[k].rows() == rows && point[k].cols() == n,
            std::string(who) + ": block " + std::to_string(k) + " is " +
                std::to_string(point[k].rows()) + " x " + std::to_string(point[k].cols()) +
                ", must be " + std::to_string(rows) + " x " + std::to_string(n));
    for (const double value : point[k].values()) {
      require_field(std::isfinite(value), std::string(who) + ": an entry", value, "finite");
    }
  }
}

std::size_t SdpBuilder::add_block(SdpCone cone, std::size_t size) {
  require_field(size <= std::numeric_limits<std::int32_t>::max(),
                "SdpBuilder: the size of a block",
                static_cast<double>(size),
                "below 2^31");
  require_field(problem_.blocks_.size() < std::numeric_limits<std::int32_t>::max(),
                "SdpBuilder: the number of blocks",
                static_cast<double>(problem_.blocks_.size()),
                "below 2^31");
  problem_.blocks_.push_back({cone, size});
  problem_.trace_bounds_.emplace_back(std::nullopt);
  return problem_.blocks_.size() - 1;
}

void SdpBuilder::check(const SdpEntry& entry) const {
  require_field(entry.block < problem_.blocks_.size(),
                "SdpEntry.block",
                static_cast<double>(entry.block),
                "below the number of blocks, " + std::to_string(problem_.blocks_.size()));
  const SdpBlock& block = problem_.blocks_[entry.block];
  for (const std::uint32_t index : {entry.row, entry.column}) {
    require_field(index < block.size,
                  "SdpEntry: row or column",
                  static_cast<double>(index),
                  "below the size of its block, " + std::to_string(block.size));
  }
  require_field(block.cone == SdpCone::semidefinite || entry.row == entry.column,
                "SdpEntry.column",
                static_cast<double>(entry.column),
                "the row, " + std::to_string(entry.row) + ", in a nonnegative block");
  require_field(std::isfinite(entry.value), "SdpEntry.value", entry.value, "finite");
}

void SdpBuilder::add_cost(SdpEntry entry) {
  check(entry);
  problem_.cost_.push_back(lower(entry));
}

std::size_t SdpBuilder::add_constraint(std::span<const SdpEntry> entries, double rhs) {
  require_field(std::isfinite(rhs), "SdpBuilder: a right-hand side", rhs, "finite");
  for (const SdpEntry& entry : entries) check(entry);
  for (const SdpEntry& entry : entries) problem_.entries_.push_back(lower(entry));
  normalise(problem_.entries_, problem_.offsets_.back());
  problem_.offsets_.push_back(problem_.entries_.size());
  problem_.rhs_.push_back(rhs);
  return problem_.rhs_.size() - 1;
}

std::size_t SdpBuilder::add_equality(std::span<const SdpEntry> entries, double rhs) {
  return add_constraint(entries, rhs);
}

std::size_t SdpBuilder::add_inequality(std::span<const SdpEntry> entries,
                                       SdpSense sense,
                                       double rhs) {
  const std::size_t i = add_constraint(entries, rhs);
  slacks_.emplace_back(i, sense == SdpSense::at_most ? 1.0 : -1.0);
  return i;
}

void SdpBuilder::bound_trace(std::size_t block, double bound) {
  require_field(block < problem_.blocks_.size(),
                "SdpBuilder::bound_trace: block",
                static_cast<double>(block),
                "below the number of blocks, " + std::to_string(problem_.blocks_.size()));
  require_field(std::isfinite(bound) && bound >= 0,
                "SdpBuilder::bound_trace: bound",
                bound,
                "finite and >= 0");
  problem_.trace_bounds_[block] = bound;
}

SdpProblem SdpBuilder::build() {
  if (!slacks_.empty()) {
    // The slack block is the last, so its entry comes last in every sorted row.
    const std::size_t block = add_block(SdpCone::nonnegative, slacks_.size());
    problem_.slack_block_ = block;
    std::vector<SdpEntry> entries;
    std::vector<std::size_t> offsets(1, 0);
    entries.reserve(problem_.entries_.size() + slacks_.size());
    std::size_t slack = 0;
    for (std::size_t i = 0; i < problem_.constraints(); ++i) {
      const std::span<const SdpEntry> row = problem_.constraint(i);
      entries.insert(entries.end(), row.begin(), row.end());
      if (slack < slacks_.size() && slacks_[slack].first == i) {
        const auto at = narrow<std::uint32_t>(slack);
        entries.push_back({narrow<std::uint32_t>(block), at, at, slacks_[slack].second});
        ++slack;
      }
      offsets.push_back(entries.size());
    }
    problem_.entries_ = std::move(entries);
    problem_.offsets_ = std::move(offsets);
  }
  normalise(problem_.cost_, 0);
  slacks_.clear();
  return std::exchange(problem_, SdpProblem());
}

}  // namespace maxmargin
