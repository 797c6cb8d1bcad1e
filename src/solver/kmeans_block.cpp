// SPDX-License-Identifier: Apache-2.0
#include "solver/kmeans_block.hpp"

#include <algorithm>
#include <limits>

#if defined(__x86_64__)
#define MAXMARGIN_HAS_AVX2_PATH 1
#define MAXMARGIN_AVX2 __attribute__((target("avx2")))
#endif
#define MAXMARGIN_INLINE __attribute__((always_inline)) inline

namespace maxmargin::kmeans {

namespace {

/// Rows whose minima stay in registers while all centres pass by.
constexpr std::size_t strip = 16;

template <std::size_t width>
MAXMARGIN_INLINE void nearest_two_strip(const double* __restrict scores,
                                        std::size_t stride,
                                        std::span<const double> offsets,
                                        double* __restrict best_out,
                                        double* __restrict second_out,
                                        double* __restrict index_out) {
  double best[width];
  double second[width];
  double index[width];
  for (std::size_t r = 0; r < width; ++r) {
    best[r] = second[r] = std::numeric_limits<double>::infinity();
    index[r] = 0;
  }
  for (std::size_t c = 0; c < offsets.size(); ++c) {
    const double* score = scores + c * stride;
    const double offset = offsets[c];
    const auto here = static_cast<double>(c);
    for (std::size_t r = 0; r < width; ++r) {
      const double value = score[r] + offset;
      const double larger = value < best[r] ? best[r] : value;
      second[r] = larger < second[r] ? larger : second[r];
      index[r] = value < best[r] ? here : index[r];
      best[r] = value < best[r] ? value : best[r];
    }
  }
  for (std::size_t r = 0; r < width; ++r) {
    best_out[r] = best[r];
    second_out[r] = second[r];
    index_out[r] = index[r];
  }
}

MAXMARGIN_INLINE void nearest_two_body(const double* scores,
                                       std::size_t stride,
                                       std::size_t count,
                                       std::span<const double> offsets,
                                       NearestTwo& result) {
  std::size_t r = 0;
  for (; r + strip <= count; r += strip) {
    nearest_two_strip<strip>(
        scores + r, stride, offsets, &result.best[r], &result.second[r], &result.index[r]);
  }
  for (; r < count; ++r) {
    nearest_two_strip<1>(
        scores + r, stride, offsets, &result.best[r], &result.second[r], &result.index[r]);
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

}  // namespace

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
