// SPDX-License-Identifier: Apache-2.0
// As fast_exp.cpp, with less to do: arguments are at most 0, and results below the normal numbers
// become 0, so that 2^n is one factor and no argument needs clipping.
#include "kernel/tiles/decay.hpp"

#include <algorithm>
#include <array>

#include "kernel/tiles/exp_format.hpp"
#include "kernel/tiles/vector_levels.hpp"

namespace maxmargin {

namespace {

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

}  // namespace

void decay_in_place(double gamma, std::span<float> values) {
  decay(DecayWork<FloatFormat>{static_cast<float>(-gamma), values.data(), values.size()});
}
void decay_in_place(double gamma, std::span<double> values) {
  decay(DecayWork<DoubleFormat>{-gamma, values.data(), values.size()});
}

}  // namespace maxmargin
