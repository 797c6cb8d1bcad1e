// SPDX-License-Identifier: Apache-2.0
#include "kernel/tiles/finish.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernel/overloaded.hpp"
#include "kernel/tiles/exp_format.hpp"
#include "kernel/tiles/vector_levels.hpp"

namespace maxmargin {

namespace {

// As fast_exp.cpp, with less to do: arguments are at most 0, and results below the normal numbers
// become 0, so that 2^n is one factor and no argument needs clipping.

template <class Format>
struct DecayWork {
  typename Format::Value rate;
  typename Format::Value* values;
  std::size_t count;
};

template <class Level, class Format>
MAXMARGIN_INLINE void decay_vector(typename Format::Value rate, typename Format::Value* values) {
  using Value = typename Format::Value;
  using V = VectorTypes<Value, Level::vector_bytes>;
  using Wide = typename V::Wide;
  using WideBits = typename VectorTypes<typename Format::Bits, Level::vector_bytes>::Wide;
  // With the exponent's bias in it, the sum's low bits are 2^n's exponent field.
  constexpr Value rounder = Format::rounder + Value{Format::bias};
  Wide value;
  V::load(value, values);
  const Wide zero = {};
  // Comparisons in this direction keep NaN.
  const Wide x = rate * (value < zero ? zero : value);
  const Wide shifted = x * Format::inverse_ln2 + rounder;
  const Wide n = shifted - rounder;
  const Wide r = (x - n * Format::ln2_high) - n * Format::ln2_low;
  Wide polynomial = zero + Format::taylor[0];
  unrolled<std::size(Format::taylor) - 1>(
      [&](auto k) MAXMARGIN_INLINE_LAMBDA { polynomial = polynomial * r + Format::taylor[k + 1]; });
  const WideBits factor = __builtin_bit_cast(WideBits, shifted) << Format::mantissa;
  const Wide result = polynomial * __builtin_bit_cast(Wide, factor);
  const Wide normal = x < Format::lowest_normal ? zero : result;
  V::store(normal, values);
}

template <class Level, class Format>
MAXMARGIN_INLINE void decay_of(const DecayWork<Format>& work) {
  constexpr std::size_t width = Level::vector_bytes / sizeof(typename Format::Value);
  const std::size_t whole = work.count / width * width;
  for (std::size_t i = 0; i < whole; i += width) {
    decay_vector<Level, Format>(work.rate, work.values + i);
  }
  // The rest goes through a whole vector too: a value must not depend on its place.
  const std::size_t rest = work.count - whole;
  if (rest == 0) return;
  std::array<typename Format::Value, width> last = {};
  for (std::size_t i = 0; i < rest; ++i) last[i] = work.values[whole + i];
  decay_vector<Level, Format>(work.rate, last.data());
  for (std::size_t i = 0; i < rest; ++i) work.values[whole + i] = last[i];
}

MAXMARGIN_DEFINE_LEVELS(decay, DecayWork<FloatFormat>, decay_of)
MAXMARGIN_DEFINE_LEVELS(decay, DecayWork<DoubleFormat>, decay_of)

/// values = exp(-gamma max(values, 0)), with the accuracy of exp_in_place; but what would be below
/// the smallest normal number is 0. Requires gamma >= 0.
void decay_in_place(double gamma, std::span<float> values) {
  decay(DecayWork<FloatFormat>{static_cast<float>(-gamma), values.data(), values.size()});
}
void decay_in_place(double gamma, std::span<double> values) {
  decay(DecayWork<DoubleFormat>{-gamma, values.data(), values.size()});
}

template <class T>
void affine(double gamma, double coef0, std::span<T> values) {
  const auto slope = static_cast<T>(gamma);
  const auto offset = static_cast<T>(coef0);
  for (T& value : values) value = slope * value + offset;
}

template <class T>
void raise(int exponent, std::span<T> values) {
  if (exponent > 16) {
    for (T& value : values) value = std::pow(value, static_cast<T>(exponent));
    return;
  }
  // Chunk by chunk, so that the bases stay in cache while the products run in vector code.
  std::array<T, 256> bases;
  for (std::size_t begin = 0; begin < values.size(); begin += bases.size()) {
    const auto chunk = values.subspan(begin, std::min(bases.size(), values.size() - begin));
    std::ranges::copy(chunk, bases.begin());
    for (int k = 1; k < exponent; ++k) {
      for (std::size_t i = 0; i < chunk.size(); ++i) chunk[i] *= bases[i];
    }
  }
}

template <class T>
void finish_values(const Kernel& kernel, std::span<T> sums) {
  std::visit(
      Overloaded{
          [](const Linear&) {},
          [](const HistogramIntersection&) {},
          [&](const Polynomial& k) {
            affine(k.gamma, k.coef0, sums);
            raise(k.degree, sums);
          },
          [&](const Sigmoid& k) {
            affine(k.gamma, k.coef0, sums);
            for (T& value : sums) value = std::tanh(value);
          },
          [&](const Absdiff& k) {
            for (T& value : sums) value = std::sqrt(value < 0 ? T{0} : value);
            decay_in_place(k.gamma, sums);
          },
          [&](const Rbf& k) { decay_in_place(k.gamma, sums); },
          [&](const Laplace& k) { decay_in_place(k.gamma, sums); },
          [&](const Sentropic& k) { decay_in_place(k.gamma, sums); },
          [&](const ChiSquare& k) { decay_in_place(k.gamma, sums); },
          [](const auto&) { throw InternalError("finish: this kernel is no function of a sum"); },
      },
      kernel);
}

}  // namespace

void finish(const Kernel& kernel, std::span<float> sums) { finish_values(kernel, sums); }
void finish(const Kernel& kernel, std::span<double> sums) { finish_values(kernel, sums); }

void raise_to_power(int exponent, std::span<float> values) { raise(exponent, values); }
void raise_to_power(int exponent, std::span<double> values) { raise(exponent, values); }

}  // namespace maxmargin
