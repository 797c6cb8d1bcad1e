// SPDX-License-Identifier: Apache-2.0
#include "solver/sdp/face.hpp"

#include <algorithm>
#include <limits>

#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

double diagonal_of(const SdpBlock& block, const DenseMatrix& x, std::size_t i) {
  return x(block.cone == SdpCone::nonnegative ? 0 : i, i);
}

}  // namespace

Face::Face(const SdpProblem& problem, const BlockMatrix& x, double share) : whole_(&problem) {
  double largest = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    for (std::size_t i = 0; i < x[k].cols(); ++i) {
      largest = std::max(largest, diagonal_of(problem.blocks()[k], x[k], i));
    }
  }
  for (std::size_t k = 0; k < x.size(); ++k) {
    rows_.emplace_back();
    for (std::size_t i = 0; i < x[k].cols(); ++i) {
      const double value = diagonal_of(problem.blocks()[k], x[k], i);
      if (value > share * largest) rows_.back().push_back(i);
    }
    is_whole_ = is_whole_ && rows_.back().size() == x[k].cols();
  }
  build();
}

void Face::build() {
  SdpBuilder builder;
  std::vector<std::vector<std::size_t>> places;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const SdpBlock& block = whole_->blocks()[k];
    builder.add_block(block.cone, rows_[k].size());
    places.emplace_back(block.size, nowhere);
    for (std::size_t i = 0; i < rows_[k].size(); ++i) places[k][rows_[k][i]] = i;
  }
  const auto kept = [&](std::span<const SdpEntry> entries) {
    std::vector<SdpEntry> result;
    for (SdpEntry entry : entries) {
      const std::size_t row = places[entry.block][entry.row];
      const std::size_t column = places[entry.block][entry.column];
      if (row == nowhere || column == nowhere) continue;
      entry.row = narrow<std::uint32_t>(row);
      entry.column = narrow<std::uint32_t>(column);
      result.push_back(entry);
    }
    return result;
  };
  for (const SdpEntry& entry : kept(whole_->cost())) builder.add_cost(entry);
  for (std::size_t i = 0; i < whole_->constraints(); ++i) {
    builder.add_equality(kept(whole_->constraint(i)), 0);
  }
  program_ = builder.build();
}

BlockMatrix Face::part_of(const BlockMatrix& x) const {
  BlockMatrix part = program_.zero_point();
  for (std::size_t k = 0; k < part.size(); ++k) {
    const bool vector = whole_->blocks()[k].cone == SdpCone::nonnegative;
    for (std::size_t i = 0; i < part[k].rows(); ++i) {
      for (std::size_t j = 0; j < part[k].cols(); ++j) {
        part[k](i, j) = x[k](vector ? 0 : rows_[k][i], rows_[k][j]);
      }
    }
  }
  return part;
}

BlockMatrix Face::whole_of(const BlockMatrix& x) const {
  BlockMatrix whole = whole_->zero_point();
  for (std::size_t k = 0; k < x.size(); ++k) {
    const bool vector = whole_->blocks()[k].cone == SdpCone::nonnegative;
    for (std::size_t i = 0; i < x[k].rows(); ++i) {
      for (std::size_t j = 0; j < x[k].cols(); ++j) {
        whole[k](vector ? 0 : rows_[k][i], rows_[k][j]) = x[k](i, j);
      }
    }
  }
  return whole;
}

}  // namespace maxmargin
