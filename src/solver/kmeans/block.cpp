// SPDX-License-Identifier: Apache-2.0
#include "solver/kmeans/block.hpp"

#include <cstring>
#include <iterator>
#include <limits>

#include "core/vector_clones.hpp"

#if defined(__x86_64__)
#define MAXMARGIN_HAS_AVX2_PATH 1
#define MAXMARGIN_AVX2 __attribute__((target("avx2")))
#endif

namespace maxmargin::kmeans {

namespace {

/// Four rows at a time; where the processor has only narrower vectors the compiler uses two.
using Lanes = double __attribute__((vector_size(32)));
constexpr std::size_t lane_count = sizeof(Lanes) / sizeof(double);
/// Rows whose minima stay in registers while all centres pass by.
constexpr std::size_t strip_lanes = 4;
constexpr std::size_t strip = strip_lanes * lane_count;

/// nearest_two for `strip` rows. Written with vector types, since the loop over rows carries three
/// running values and compilers turn the plain form into branches.
MAXMARGIN_INLINE void nearest_two_strip(const double* scores,
                                        std::size_t stride,
                                        std::span<const double> offsets,
                                        double* best_out,
                                        double* second_out,
                                        double* index_out) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Lanes best[strip_lanes];
  Lanes second[strip_lanes];
  Lanes index[strip_lanes];
  for (std::size_t v = 0; v < strip_lanes; ++v) {
    best[v] = second[v] = Lanes{} + infinity;
    index[v] = Lanes{};
  }
  Lanes here = {};
  for (std::size_t c = 0; c < offsets.size(); ++c) {
    for (std::size_t v = 0; v < strip_lanes; ++v) {
      Lanes value;
      std::memcpy(&value, scores + c * stride + v * lane_count, sizeof value);
      value += offsets[c];
      const auto nearer = value < best[v];
      const Lanes larger = nearer ? best[v] : value;
      second[v] = larger < second[v] ? larger : second[v];
      index[v] = nearer ? here : index[v];
      best[v] = nearer ? value : best[v];
    }
    here += 1.0;
  }
  std::memcpy(best_out, best, sizeof best);
  std::memcpy(second_out, second, sizeof second);
  std::memcpy(index_out, index, sizeof index);
}

/// nearest_two for one row.
MAXMARGIN_INLINE void nearest_two_single(const double* scores,
                                         std::size_t stride,
                                         std::span<const double> offsets,
                                         double& best,
                                         double& second,
                                         double& index) {
  best = second = std::numeric_limits<double>::infinity();
  index = 0;
  for (std::size_t c = 0; c < offsets.size(); ++c) {
    const double value = scores[c * stride] + offsets[c];
    if (value < best) {
      second = best;
      best = value;
      index = static_cast<double>(c);
    } else if (value < second) {
      second = value;
    }
  }
}

MAXMARGIN_INLINE void nearest_two_body(const double* scores,
                                       std::size_t stride,
                                       std::size_t count,
                                       std::span<const double> offsets,
                                       NearestTwo& result) {
  std::size_t r = 0;
  for (; r + strip <= count; r += strip) {
    nearest_two_strip(
        scores + r, stride, offsets, &result.best[r], &result.second[r], &result.index[r]);
  }
  for (; r < count; ++r) {
    nearest_two_single(
        scores + r, stride, offsets, result.best[r], result.second[r], result.index[r]);
  }
}

MAXMARGIN_INLINE void add_rows_body(DenseView rows,
                                    std::span<const std::int32_t> labels,
                                    std::span<const double> weights,
                                    double* sums) {
  const std::size_t d = rows.cols;
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const double* __restrict x = rows.data + r * rows.stride;
    double* __restrict sum = sums + static_cast<std::size_t>(labels[r]) * d;
    if (weights.empty()) {
      for (std::size_t j = 0; j < d; ++j) sum[j] += x[j];
    } else {
      const double weight = weights[r];
      for (std::size_t j = 0; j < d; ++j) sum[j] += weight * x[j];
    }
  }
}

#ifdef MAXMARGIN_HAS_AVX2_PATH
MAXMARGIN_AVX2 void nearest_two_avx2(const double* scores,
                                     std::size_t stride,
                                     std::size_t count,
                                     std::span<const double> offsets,
                                     NearestTwo& result) {
  nearest_two_body(scores, stride, count, offsets, result);
}

MAXMARGIN_AVX2 void add_rows_avx2(DenseView rows,
                                  std::span<const std::int32_t> labels,
                                  std::span<const double> weights,
                                  double* sums) {
  add_rows_body(rows, labels, weights, sums);
}

bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}
#endif

/// Eight centres side by side; narrower registers take them in parts.
using Eight = double __attribute__((vector_size(64)));
constexpr std::size_t eight = sizeof(Eight) / sizeof(double);

/// Rows [begin, begin + Rows) of multiply_few: their products with all centres stay in registers.
template <std::size_t Rows, std::size_t Groups>
MAXMARGIN_INLINE void multiply_rows(
    DenseView rows, std::size_t begin, std::size_t k, const double* centres, double* scores) {
  Eight sums[Rows][Groups] = {};
  const double* x = rows.data + begin * rows.stride;
  for (std::size_t j = 0; j < rows.cols; ++j) {
    for (std::size_t g = 0; g < Groups; ++g) {
      Eight centre;
      std::memcpy(&centre, centres + (j * Groups + g) * eight, sizeof centre);
      for (std::size_t r = 0; r < Rows; ++r) sums[r][g] += x[r * rows.stride + j] * centre;
    }
  }
  // By way of memory: an index that varies would keep the sums themselves out of the registers.
  double products[Rows][Groups * eight];
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t g = 0; g < Groups; ++g) {
      std::memcpy(&products[r][g * eight], &sums[r][g], sizeof(Eight));
    }
  }
  double* to = scores + begin;
  for (std::size_t c = 0; c < k; ++c) {
    for (std::size_t r = 0; r < Rows; ++r) to[c * block_rows + r] = -2.0 * products[r][c];
  }
}

template <std::size_t Rows, std::size_t Groups>
MAXMARGIN_INLINE void multiply_groups(DenseView rows,
                                      std::size_t k,
                                      const double* centres,
                                      double* scores) {
  std::size_t r = 0;
  for (; r + Rows <= rows.rows; r += Rows) {
    multiply_rows<Rows, Groups>(rows, r, k, centres, scores);
  }
  for (; r < rows.rows; ++r) multiply_rows<1, Groups>(rows, r, k, centres, scores);
}

MAXMARGIN_VECTOR_CLONES void multiply_8(DenseView rows,
                                        std::size_t k,
                                        const double* centres,
                                        double* scores) {
  multiply_groups<4, 1>(rows, k, centres, scores);
}
MAXMARGIN_VECTOR_CLONES void multiply_16(DenseView rows,
                                         std::size_t k,
                                         const double* centres,
                                         double* scores) {
  multiply_groups<2, 2>(rows, k, centres, scores);
}
MAXMARGIN_VECTOR_CLONES void multiply_24(DenseView rows,
                                         std::size_t k,
                                         const double* centres,
                                         double* scores) {
  multiply_groups<2, 3>(rows, k, centres, scores);
}
MAXMARGIN_VECTOR_CLONES void multiply_32(DenseView rows,
                                         std::size_t k,
                                         const double* centres,
                                         double* scores) {
  multiply_groups<1, 4>(rows, k, centres, scores);
}

}  // namespace

void multiply_few(DenseView rows, std::size_t k, const double* centres, double* scores) {
  constexpr decltype(&multiply_8) by_groups[] = {multiply_8, multiply_16, multiply_24, multiply_32};
  static_assert(few_centres == std::size(by_groups) * eight);
  by_groups[few_lanes(k) / eight - 1](rows, k, centres, scores);
}

void find_nearest_two(const double* scores,
                      std::size_t stride,
                      std::size_t count,
                      std::span<const double> offsets,
                      NearestTwo& result) {
#ifdef MAXMARGIN_HAS_AVX2_PATH
  if (has_avx2()) return nearest_two_avx2(scores, stride, count, offsets, result);
#endif
  nearest_two_body(scores, stride, count, offsets, result);
}

void add_dense_rows(DenseView rows,
                    std::span<const std::int32_t> labels,
                    std::span<const double> weights,
                    double* sums) {
#ifdef MAXMARGIN_HAS_AVX2_PATH
  if (has_avx2()) return add_rows_avx2(rows, labels, weights, sums);
#endif
  add_rows_body(rows, labels, weights, sums);
}

}  // namespace maxmargin::kmeans
