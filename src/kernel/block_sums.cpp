// SPDX-License-Identifier: Apache-2.0
#include "kernel/block_sums.hpp"

#include "kernel/vector_levels.hpp"

namespace maxmargin {

namespace {

// What an entry v of the sparse example adds beyond term(v, 0) + term(0, b). Exchanging v and b
// must not change a bit, and b = 0 must add 0.

struct DotCorrection {
  template <class T, class Wide>
  MAXMARGIN_INLINE static void add(Wide& sum, T v, const Wide& b) {
    sum += v * b;
  }
};
/// |v - b| - |v| - |b|: minus twice the smaller magnitude where the signs agree.
struct AbsoluteCorrection {
  template <class T, class Wide>
  MAXMARGIN_INLINE static void add(Wide& sum, T v, const Wide& b) {
    const Wide along = v < 0 ? -b : b;
    const Wide shared = along < 0 ? Wide{} : along;
    const Wide own = (v < 0 ? -v : v) - Wide{};
    sum -= 2 * (own < shared ? own : shared);
  }
};
/// -4 v b / (v + b), written so that it does not overflow.
struct ChiSquareCorrection {
  template <class T, class Wide>
  MAXMARGIN_INLINE static void add(Wide& sum, T v, const Wide& b) {
    const Wide a = v - Wide{};
    const Wide low = a < b ? a : b;
    const Wide high = a < b ? b : a;
    sum -= 4 * low * (high / (a + b));
  }
};
struct MinimumCorrection {
  template <class T, class Wide>
  MAXMARGIN_INLINE static void add(Wide& sum, T v, const Wide& b) {
    const Wide a = v - Wide{};
    sum += a < b ? a : b;
  }
};

template <class Level, class T, class Correction>
MAXMARGIN_INLINE void all_examples(const BlockWork<T>& work) {
  using Wide = typename VectorTypes<T, Level::vector_bytes>::Wide;
  using Loose = typename VectorTypes<T, Level::vector_bytes>::Loose;
  constexpr std::size_t vectors = block_width * sizeof(T) / Level::vector_bytes;
  for (std::size_t s = 0; s < work.count; ++s) {
    Wide sums[vectors] = {};
    for (std::int64_t k = work.offsets[s]; k < work.offsets[s + 1]; ++k) {
      const auto line = static_cast<std::size_t>(work.lines[work.columns[k]]);
      const auto* b = reinterpret_cast<const Loose*>(work.block + line * block_width);
      const T value = work.values[k];
      for (std::size_t v = 0; v < vectors; ++v) {
        const Wide entry = b[v];
        Correction::add(sums[v], value, entry);
      }
    }
    auto* out = reinterpret_cast<Loose*>(work.sums + s * block_width);
    for (std::size_t v = 0; v < vectors; ++v) out[v] = sums[v];
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

/// `Side` lines of `Side` values each, exchanged in registers.
template <class T>
struct Square;
template <>
struct Square<float> {
  static constexpr std::size_t side = 4;
  MAXMARGIN_INLINE static void transpose(const float* source, float* const* targets) {
    using Vector = VectorTypes<float, 16>::Wide;
    using Loose = VectorTypes<float, 16>::Loose;
    Vector a[side];
    for (std::size_t i = 0; i < side; ++i) {
      a[i] = *reinterpret_cast<const Loose*>(source + i * block_width);
    }
    const Vector low_02 = __builtin_shufflevector(a[0], a[2], 0, 4, 1, 5);
    const Vector low_13 = __builtin_shufflevector(a[1], a[3], 0, 4, 1, 5);
    const Vector high_02 = __builtin_shufflevector(a[0], a[2], 2, 6, 3, 7);
    const Vector high_13 = __builtin_shufflevector(a[1], a[3], 2, 6, 3, 7);
    *reinterpret_cast<Loose*>(targets[0]) = __builtin_shufflevector(low_02, low_13, 0, 4, 1, 5);
    *reinterpret_cast<Loose*>(targets[1]) = __builtin_shufflevector(low_02, low_13, 2, 6, 3, 7);
    *reinterpret_cast<Loose*>(targets[2]) = __builtin_shufflevector(high_02, high_13, 0, 4, 1, 5);
    *reinterpret_cast<Loose*>(targets[3]) = __builtin_shufflevector(high_02, high_13, 2, 6, 3, 7);
  }
};
template <>
struct Square<double> {
  static constexpr std::size_t side = 2;
  MAXMARGIN_INLINE static void transpose(const double* source, double* const* targets) {
    using Vector = VectorTypes<double, 16>::Wide;
    using Loose = VectorTypes<double, 16>::Loose;
    const Vector a = *reinterpret_cast<const Loose*>(source);
    const Vector b = *reinterpret_cast<const Loose*>(source + block_width);
    *reinterpret_cast<Loose*>(targets[0]) = __builtin_shufflevector(a, b, 0, 2);
    *reinterpret_cast<Loose*>(targets[1]) = __builtin_shufflevector(a, b, 1, 3);
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
