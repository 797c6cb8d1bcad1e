// SPDX-License-Identifier: Apache-2.0
#include "model/kernel/sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "kernel/gram/cross_blocks.hpp"
#include "linalg/blas.hpp"

namespace maxmargin {

namespace {

/// Finds which numbers belong together (union by lowest number, path halving).
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  [[nodiscard]] std::size_t of(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = of(a);
    b = of(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

/// A function's positive side is number 2 f, its negative side 2 f + 1.
std::size_t side(std::size_t function, double coefficient) {
  return 2 * function + (coefficient < 0 ? 1 : 0);
}

/// The group of every vector. Two vectors on the same side of a function are in one group: with
/// one-vs-one that makes the groups the classes.
std::vector<std::size_t> groups_of(DenseView coefficients) {
  Groups groups(2 * coefficients.cols);
  std::vector<std::size_t> first_side(coefficients.rows, 0);
  for (std::size_t i = 0; i < coefficients.rows; ++i) {
    bool found = false;
    for (std::size_t f = 0; f < coefficients.cols; ++f) {
      const double value = coefficients(i, f);
      if (value == 0) continue;
      if (found) {
        groups.join(first_side[i], side(f, value));
      } else {
        first_side[i] = side(f, value);
        found = true;
      }
    }
  }
  for (std::size_t& group : first_side) group = groups.of(group);
  return first_side;
}

float rounded_up(double value) {
  const auto rounded = static_cast<float>(value);
  return rounded < value ? std::nextafter(rounded, std::numeric_limits<float>::infinity())
                         : rounded;
}

/// Whatever the precision of the block, its columns [begin, end) in double.
DenseView in_double(const CrossBlock<double>& block,
                    std::size_t begin,
                    std::size_t end,
                    Buffer<double>& /*buffer*/) {
  return {block.values.data + begin, block.values.rows, end - begin, block.values.stride};
}

DenseView in_double(const CrossBlock<float>& block,
                    std::size_t begin,
                    std::size_t end,
                    Buffer<double>& buffer) {
  const std::size_t width = end - begin;
  buffer.resize(block.values.rows * width);
  for (std::size_t i = 0; i < block.values.rows; ++i) {
    const float* source = block.values.row(i).data() + begin;
    double* target = buffer.data() + i * width;
    for (std::size_t j = 0; j < width; ++j) target[j] = static_cast<double>(source[j]);
  }
  return {buffer.data(), block.values.rows, width, width};
}

}  // namespace

KernelSums::KernelSums(const KernelExpansion& expansion) : kernel_(expansion.kernel) {
  const DenseView coefficients = expansion.coefficients.view();
  const std::size_t n = coefficients.rows;
  const std::vector<std::size_t> group = groups_of(coefficients);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return group[i]; });
  vectors_ = expansion.vectors.select(order);
  std::size_t begin = 0;
  while (begin < n) {
    if (begin % cross_block_cols == 0) first_segment_.push_back(segments_.size());
    Segment segment{.begin = begin, .end = begin + 1};
    const std::size_t border = std::min(n, (begin / cross_block_cols + 1) * cross_block_cols);
    while (segment.end < border && group[order[segment.end]] == group[order[begin]]) ++segment.end;
    const auto members =
        std::span<const std::size_t>(order).subspan(begin, segment.end - segment.begin);
    std::vector<bool> is_used(coefficients.cols, false);
    for (const std::size_t i : members) {
      for (std::size_t f = 0; f < coefficients.cols; ++f) {
        if (coefficients(i, f) != 0) is_used[f] = true;
      }
    }
    for (std::size_t f = 0; f < coefficients.cols; ++f) {
      if (is_used[f]) segment.functions.push_back(f);
    }
    segment.coefficients = DenseMatrix(members.size(), segment.functions.size());
    segment.magnitudes.resize(members.size());
    for (std::size_t m = 0; m < members.size(); ++m) {
      double largest = 0;
      for (std::size_t f = 0; f < segment.functions.size(); ++f) {
        const double value = coefficients(members[m], segment.functions[f]);
        segment.coefficients(m, f) = value;
        largest = std::max(largest, std::abs(value));
      }
      segment.magnitudes[m] = rounded_up(largest);
    }
    begin = segment.end;
    segments_.push_back(std::move(segment));
  }
  first_segment_.push_back(segments_.size());
  coefficient_sums_.assign(coefficients.cols, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t f = 0; f < coefficients.cols; ++f) {
      coefficient_sums_[f] += std::abs(coefficients(i, f));
    }
  }
}

std::span<const KernelSums::Segment> KernelSums::segments_at(std::size_t col_begin) const {
  const std::size_t block = col_begin / cross_block_cols;
  return std::span<const Segment>(segments_).subspan(
      first_segment_[block], first_segment_[block + 1] - first_segment_[block]);
}

/// Adds the products of a block to the rows of `values`, and for a float block to those of `sizes`
/// a bound on sum_i |coefficient_i| K_i.
template <class Block>
void KernelSums::add_block(const Block& block,
                           MutableDenseView values,
                           MutableDenseView sizes) const {
  const std::size_t rows = block.values.rows;
  Buffer<double> converted;
  Buffer<double> products;
  Buffer<float> magnitudes(rows);
  for (const Segment& segment : segments_at(block.col_begin)) {
    const std::size_t begin = segment.begin - block.col_begin;
    const std::size_t end = segment.end - block.col_begin;
    const std::size_t count = segment.functions.size();
    if (count == 0) continue;
    const DenseView kernel = in_double(block, begin, end, converted);
    products.resize(rows * count);
    const MutableDenseView sums{products.data(), rows, count, count};
    if (count == 1) {
      gemv(Transpose::no, 1.0, kernel, segment.coefficients.values(), 0.0, products.span());
    } else {
      gemm(Transpose::no, Transpose::no, 1.0, kernel, segment.coefficients.view(), 0.0, sums);
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const std::span<double> row = values.row(block.row_begin + i);
      for (std::size_t f = 0; f < count; ++f) row[segment.functions[f]] += sums(i, f);
    }
    if constexpr (std::is_same_v<Block, CrossBlock<float>>) {
      const FloatView part{block.values.data + begin, rows, end - begin, block.values.stride};
      gemv(Transpose::no, 1.0F, part, segment.magnitudes, 0.0F, magnitudes.span());
      for (std::size_t i = 0; i < rows; ++i) {
        const std::span<double> row = sizes.row(block.row_begin + i);
        for (const std::size_t f : segment.functions) row[f] += double{magnitudes[i]};
      }
    }
  }
}

void KernelSums::exact(const Examples& examples,
                       std::size_t threads,
                       MutableDenseView values) const {
  visit_cross_blocks(kernel_, examples, vectors_, threads, [&](const CrossBlock<double>& block) {
    add_block(block, values, {});
  });
}

bool KernelSums::fast(const Examples& examples,
                      std::size_t threads,
                      MutableDenseView values,
                      MutableDenseView errors) const {
  const auto kernel_errors = float_errors(kernel_, examples, vectors_, threads);
  if (!kernel_errors) return false;
  visit_cross_blocks_float(
      kernel_, examples, vectors_, threads, [&](const CrossBlock<float>& block) {
        add_block(block, values, errors);
      });
  // The sums themselves are rounded n times in double; their sizes were added in float.
  const double sum_rounding = 0x1p-52 * static_cast<double>(vectors_.rows());
  constexpr double size_slack = 1.001;
  for (std::size_t i = 0; i < errors.rows; ++i) {
    const FloatError error = (*kernel_errors)[i];
    const std::span<double> row = errors.row(i);
    for (std::size_t f = 0; f < row.size(); ++f) {
      row[f] = size_slack * (error.relative + sum_rounding) * row[f] +
               error.absolute * coefficient_sums_[f];
    }
  }
  return true;
}

}  // namespace maxmargin
