// SPDX-License-Identifier: Apache-2.0
#include "kernel/tiles/block_sums.hpp"

#include "kernel/tiles/vector_levels.hpp"

namespace maxmargin {

namespace {

// What an entry v of the sparse example adds beyond term(v, 0) + term(0, b). Exchanging v and b
// must not change a bit, and b = 0 must add 0.

struct DotCorrection {
  template <class V, class T>
  MAXMARGIN_INLINE static void add(typename V::Wide& sum, T v, const typename V::Wide& b) {
    sum += v * b;
  }
};
/// |v - b| - |v| - |b|: minus twice the smaller magnitude where the signs agree.
struct AbsoluteCorrection {
  template <class V, class T>
  MAXMARGIN_INLINE static void add(typename V::Wide& sum, T v, const typename V::Wide& b) {
    const typename V::Wide along = v < 0 ? -b : b;
    const typename V::Wide shared = along < 0 ? typename V::Wide{} : along;
    const typename V::Wide own = (v < 0 ? -v : v) - typename V::Wide{};
    sum -= 2 * (own < shared ? own : shared);
  }
};
/// -4 v b / (v + b), written so that it does not overflow.
struct ChiSquareCorrection {
  template <class V, class T>
  MAXMARGIN_INLINE static void add(typename V::Wide& sum, T v, const typename V::Wide& b) {
    const typename V::Wide a = v - typename V::Wide{};
    const typename V::Wide low = a < b ? a : b;
    const typename V::Wide high = a < b ? b : a;
    sum -= 4 * low * (high / (a + b));
  }
};
struct MinimumCorrection {
  template <class V, class T>
  MAXMARGIN_INLINE static void add(typename V::Wide& sum, T v, const typename V::Wide& b) {
    const typename V::Wide a = v - typename V::Wide{};
    sum += a < b ? a : b;
  }
};

template <class Level, class T, class Correction>
MAXMARGIN_INLINE void all_examples(const BlockWork<T>& work) {
  using V = VectorTypes<T, Level::vector_bytes>;
  constexpr std::size_t width = Level::vector_bytes / sizeof(T);
  constexpr std::size_t vectors = block_width / width;
  for (std::size_t s = 0; s < work.count; ++s) {
    typename V::Wide sums[vectors] = {};
    for (std::int64_t k = work.offsets[s]; k < work.offsets[s + 1]; ++k) {
      const auto line = static_cast<std::size_t>(work.lines[work.columns[k]]);
      const T* b = work.block + line * block_width;
      const T value = work.values[k];
      unrolled<vectors>([&](auto v) MAXMARGIN_INLINE_LAMBDA {
        typename V::Wide entry;
        V::load(entry, b + v * width);
        Correction::template add<V>(sums[v], value, entry);
      });
    }
    T* out = work.sums + s * block_width;
    unrolled<vectors>([&](auto v) MAXMARGIN_INLINE_LAMBDA { V::store(sums[v], out + v * width); });
  }
}

template <class Level, class T>
MAXMARGIN_INLINE void block_sums_of(const BlockWork<T>& work) {
  switch (work.pairing) {
    case Pairing::dot:
    case Pairing::squared_distance:
      return all_examples<Level, T, DotCorrection>(work);
    case Pairing::absolute:
      return all_examples<Level, T, AbsoluteCorrection>(work);
    case Pairing::chi_square:
      return all_examples<Level, T, ChiSquareCorrection>(work);
    case Pairing::minimum:
      return all_examples<Level, T, MinimumCorrection>(work);
    case Pairing::sentropic:
      return;  // has no value at 0; such data is never kept sparse
  }
}

/// `side` lines of `side` values each, exchanged in registers.
template <class T>
struct Square;
template <>
struct Square<float> {
  static constexpr std::size_t side = 4;
  MAXMARGIN_INLINE static void transpose(const float* source, float* const* targets) {
    using V = VectorTypes<float, 16>;
    V::Wide a;
    V::Wide b;
    V::Wide c;
    V::Wide d;
    V::load(a, source);
    V::load(b, source + block_width);
    V::load(c, source + 2 * block_width);
    V::load(d, source + 3 * block_width);
    const V::Wide low_ac = __builtin_shufflevector(a, c, 0, 4, 1, 5);
    const V::Wide low_bd = __builtin_shufflevector(b, d, 0, 4, 1, 5);
    const V::Wide high_ac = __builtin_shufflevector(a, c, 2, 6, 3, 7);
    const V::Wide high_bd = __builtin_shufflevector(b, d, 2, 6, 3, 7);
    V::store(__builtin_shufflevector(low_ac, low_bd, 0, 4, 1, 5), targets[0]);
    V::store(__builtin_shufflevector(low_ac, low_bd, 2, 6, 3, 7), targets[1]);
    V::store(__builtin_shufflevector(high_ac, high_bd, 0, 4, 1, 5), targets[2]);
    V::store(__builtin_shufflevector(high_ac, high_bd, 2, 6, 3, 7), targets[3]);
  }
};
template <>
struct Square<double> {
  static constexpr std::size_t side = 2;
  MAXMARGIN_INLINE static void transpose(const double* source, double* const* targets) {
    using V = VectorTypes<double, 16>;
    V::Wide a;
    V::Wide b;
    V::load(a, source);
    V::load(b, source + block_width);
    V::store(__builtin_shufflevector(a, b, 0, 2), targets[0]);
    V::store(__builtin_shufflevector(a, b, 1, 3), targets[1]);
  }
};

template <class T>
void store_transposed_of(const T* sums, std::size_t begin, std::size_t count, TileRows<T> out) {
  constexpr std::size_t side = Square<T>::side;
  const std::size_t whole_rows = out.rows() / side * side;
  const std::size_t whole_count = count / side * side;
  for (std::size_t c = 0; c < whole_rows; c += side) {
    T* targets[side];
    for (std::size_t r = 0; r < side; ++r) targets[r] = out.row(c + r).data() + begin;
    for (std::size_t s = 0; s < whole_count; s += side) {
      Square<T>::transpose(sums + s * block_width + c, targets);
      for (T*& target : targets) target += side;
    }
  }
  for (std::size_t c = 0; c < out.rows(); ++c) {
    T* target = out.row(c).data() + begin;
    const std::size_t first = c < whole_rows ? whole_count : 0;
    for (std::size_t s = first; s < count; ++s) target[s] = sums[s * block_width + c];
  }
}

}  // namespace

MAXMARGIN_DEFINE_LEVELS(block_sums, BlockWork<float>, block_sums_of)
MAXMARGIN_DEFINE_LEVELS(block_sums, BlockWork<double>, block_sums_of)

void store_transposed(const float* sums,
                      std::size_t begin,
                      std::size_t count,
                      TileRows<float> out) {
  store_transposed_of(sums, begin, count, out);
}
void store_transposed(const double* sums,
                      std::size_t begin,
                      std::size_t count,
                      TileRows<double> out) {
  store_transposed_of(sums, begin, count, out);
}

}  // namespace maxmargin
