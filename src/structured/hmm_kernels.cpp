// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hmm.md, "Scaled numbers"
#include "structured/hmm_kernels.hpp"

#include <algorithm>
#include <cstring>

#include "core/vector_clones.hpp"

namespace maxmargin {

namespace {

/// A group of states. Vectors are handed on by reference alone: how they are returned depends on
/// the processor that code is compiled for.
using Four = double __attribute__((vector_size(32)));
constexpr std::size_t four = 4;
/// Groups that are summed up in registers.
constexpr std::size_t most_groups = 4;

MAXMARGIN_INLINE void load(const double* from, Four& to) { std::memcpy(&to, from, sizeof(Four)); }
MAXMARGIN_INLINE void store(const Four& from, double* to) { std::memcpy(to, &from, sizeof(Four)); }
MAXMARGIN_INLINE double sum_of(const Four& x) { return (x[0] + x[1]) + (x[2] + x[3]); }

/// N groups of columns of in' table: even and odd rows apart, so that one addition need not wait
/// for the other.
template <std::size_t N>
MAXMARGIN_INLINE void product(
    const double* table, std::size_t stride, std::size_t k, const double* in, Four (&out)[N]) {
  Four odd[N];
  for (std::size_t n = 0; n < N; ++n) out[n] = odd[n] = Four{};
  Four row;
  std::size_t i = 0;
  for (; i + 1 < k; i += 2) {
    const double first = in[i];
    const double second = in[i + 1];
    const double* const rows = table + i * stride;
    for (std::size_t n = 0; n < N; ++n) {
      load(rows + n * four, row);
      out[n] += first * row;
      load(rows + stride + n * four, row);
      odd[n] += second * row;
    }
  }
  if (i < k) {
    for (std::size_t n = 0; n < N; ++n) {
      load(table + i * stride + n * four, row);
      out[n] += in[i] * row;
    }
  }
  for (std::size_t n = 0; n < N; ++n) out[n] += odd[n];
}

template <std::size_t N>
MAXMARGIN_INLINE void forward_groups(const double* table,
                                     std::size_t stride,
                                     std::size_t k,
                                     const double* in,
                                     const double* factors,
                                     double scale,
                                     double* out,
                                     Four& sum) {
  Four values[N];
  product<N>(table, stride, k, in, values);
  Four factor;
  for (std::size_t n = 0; n < N; ++n) {
    load(factors + n * four, factor);
    const Four value = values[n] * (factor * scale);
    store(value, out + n * four);
    sum += value;
  }
}

template <std::size_t N>
MAXMARGIN_INLINE void backward_groups(const double* table,
                                      std::size_t stride,
                                      std::size_t k,
                                      const double* in,
                                      const double* factors,
                                      double scale,
                                      double* backward,
                                      double* out,
                                      Four& sum) {
  Four values[N];
  product<N>(table, stride, k, in, values);
  Four factor;
  for (std::size_t n = 0; n < N; ++n) {
    load(factors + n * four, factor);
    const Four value = values[n] * scale;
    store(value, backward + n * four);
    store(value * factor, out + n * four);
    sum += value;
  }
}

/// All groups of a row, `most_groups` at a time: step(width as a constant, first column).
template <class Step>
MAXMARGIN_INLINE void over_groups(std::size_t stride, const Step& step) {
  std::size_t column = 0;
  for (; column + most_groups * four <= stride; column += most_groups * four) {
    step.template operator()<most_groups>(column);
  }
  switch ((stride - column) / four) {
    case 3:
      step.template operator()<3>(column);
      break;
    case 2:
      step.template operator()<2>(column);
      break;
    case 1:
      step.template operator()<1>(column);
      break;
    default:
      break;
  }
}

/// R rows of a table of products, kept in registers over all positions.
template <std::size_t R, std::size_t N>
MAXMARGIN_INLINE void add_tile(
    const double* left, const double* right, std::size_t stride, std::size_t count, double* table) {
  Four sums[R][N];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t n = 0; n < N; ++n) load(table + r * stride + n * four, sums[r][n]);
  }
  Four values[N];
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t n = 0; n < N; ++n) load(right + t * stride + n * four, values[n]);
    for (std::size_t r = 0; r < R; ++r) {
      const double factor = left[t * stride + r];
      for (std::size_t n = 0; n < N; ++n) sums[r][n] += factor * values[n];
    }
  }
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t n = 0; n < N; ++n) store(sums[r][n], table + r * stride + n * four);
  }
}

}  // namespace

MAXMARGIN_VECTOR_CLONES void hmm_forward_rows(const double* table,
                                              std::size_t states,
                                              const double* factors,
                                              std::size_t count,
                                              double* rows,
                                              double* sums) {
  const std::size_t stride = hmm_stride(states);
  for (std::size_t t = 1; t < count; ++t) {
    const double scale = 1 / sums[t - 1];
    const double* const in = rows + (t - 1) * stride;
    Four sum{};
    over_groups(
        stride, [&]<std::size_t N>(std::size_t column) __attribute__((always_inline)) {
          forward_groups<N>(table + column,
                            stride,
                            states,
                            in,
                            factors + t * stride + column,
                            scale,
                            rows + t * stride + column,
                            sum);
        });
    sums[t] = sum_of(sum);
  }
}

MAXMARGIN_VECTOR_CLONES void hmm_backward_rows(const double* table,
                                               std::size_t states,
                                               const double* factors,
                                               std::size_t count,
                                               double* backward,
                                               double* products,
                                               double* sums) {
  const std::size_t stride = hmm_stride(states);
  for (std::size_t t = count; t-- > 0;) {
    const double scale = 1 / sums[t + 1];
    const double* const in = products + (t + 1) * stride;
    Four sum{};
    over_groups(
        stride, [&]<std::size_t N>(std::size_t column) __attribute__((always_inline)) {
          const std::size_t at = t * stride + column;
          backward_groups<N>(table + column,
                             stride,
                             states,
                             in,
                             factors + at,
                             scale,
                             backward + at,
                             products + at,
                             sum);
        });
    sums[t] = sum_of(sum);
  }
}

MAXMARGIN_VECTOR_CLONES void hmm_add_products(
    const double* left, const double* right, std::size_t states, std::size_t count, double* table) {
  const std::size_t stride = hmm_stride(states);
  over_groups(
      stride, [&]<std::size_t N>(std::size_t column) __attribute__((always_inline)) {
        // Rows behind the last state are 0, so whole groups of them do no harm.
        for (std::size_t i = 0; i < stride; i += 2) {
          add_tile<2, N>(left + i, right + column, stride, count, table + i * stride + column);
        }
      });
}

MAXMARGIN_VECTOR_CLONES double hmm_posterior_rows(std::size_t states,
                                                  std::size_t count,
                                                  const double* forward_sums,
                                                  const double* backward_sums,
                                                  double* forward,
                                                  double* backward) {
  const std::size_t stride = hmm_stride(states);
  double least = 1;
  for (std::size_t t = 0; t < count; ++t) {
    double* const left = forward + t * stride;
    double* const right = backward + t * stride;
    Four sum{};
    Four a;
    Four b;
    for (std::size_t column = 0; column < stride; column += four) {
      load(left + column, a);
      load(right + column, b);
      b *= a;
      store(b, right + column);
      sum += b;
    }
    const double overlap = sum_of(sum);
    const double share = overlap / (forward_sums[t] * backward_sums[t]);
    // Not a number is no share either.
    least = std::min(least, share > 0 ? share : 0.0);
    const double scale = 1 / overlap;
    const double pair_scale = scale / backward_sums[t + 1];
    for (std::size_t column = 0; column < stride; column += four) {
      load(left + column, a);
      store(a * pair_scale, left + column);
      load(right + column, b);
      store(b * scale, right + column);
    }
  }
  return least;
}

}  // namespace maxmargin
