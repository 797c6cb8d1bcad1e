// SPDX-License-Identifier: Apache-2.0
#include "kernel/pair_sums.hpp"

#include <algorithm>

#include "maxmargin/core/vector_clones.hpp"

namespace maxmargin {

namespace {

/// 64 bytes of T that are added and multiplied together. Where the processor's registers are
/// narrower the compiler uses several.
template <class T>
struct VectorTypes;
template <>
struct VectorTypes<float> {
  using Wide = float __attribute__((vector_size(64)));
  /// The same in memory: at any address.
  using Loose = float __attribute__((vector_size(64), aligned(4), may_alias));
};
template <>
struct VectorTypes<double> {
  using Wide = double __attribute__((vector_size(64)));
  using Loose = double __attribute__((vector_size(64), aligned(8), may_alias));
};

/// Vectors of a panel line, which is 128 bytes.
constexpr std::size_t line_vectors = 2;

// A term adds its value for one feature (`step` numbers of the row and panel lines) to `sum`.
// Arguments are references: vectors must not be passed by value between functions whose register
// width may differ.

struct DotTerm {
  static constexpr std::size_t step = 1;
  template <class T, class Wide, class Loose>
  MAXMARGIN_INLINE static void add(Wide& sum, const T* x, const Loose* z) {
    sum += *x * *z;
  }
};

struct AbsoluteTerm {
  static constexpr std::size_t step = 1;
  template <class T, class Wide, class Loose>
  MAXMARGIN_INLINE static void add(Wide& sum, const T* x, const Loose* z) {
    const Wide difference = *x - *z;
    sum += difference < 0 ? -difference : difference;
  }
};

struct MinimumTerm {
  static constexpr std::size_t step = 1;
  template <class T, class Wide, class Loose>
  MAXMARGIN_INLINE static void add(Wide& sum, const T* x, const Loose* z) {
    const Wide a = *x - Wide{};
    const Wide b = *z;
    sum += a < b ? a : b;
  }
};

struct ChiSquareTerm {
  static constexpr std::size_t step = 1;
  template <class T, class Wide, class Loose>
  MAXMARGIN_INLINE static void add(Wide& sum, const T* x, const Loose* z) {
    const Wide difference = *x - *z;
    const Wide total = *x + *z;
    const Wide one = Wide{} + T{1};
    // Both entries 0: 0 / 1.
    const Wide divisor = total == 0 ? one : total;
    sum += difference / divisor * difference;
  }
};

struct SentropicTerm {
  static constexpr std::size_t step = 2;
  template <class T, class Wide, class Loose>
  MAXMARGIN_INLINE static void add(Wide& sum, const T* x, const Loose* z) {
    sum += (x[0] - z[0]) * (x[1] - z[line_vectors]);
  }
};

/// Rows [row, row + Rows) against one panel.
template <class T, class Term, std::size_t Rows>
MAXMARGIN_INLINE void panel_block(const PanelWork<T>& work, std::size_t row, std::size_t panel) {
  using Wide = typename VectorTypes<T>::Wide;
  using Loose = typename VectorTypes<T>::Loose;
  Wide sums[Rows][line_vectors] = {};
  const T* x = work.rows + row * work.features;
  const T* lines = work.panels + panel * work.features * panel_width<T>;
  for (std::size_t k = 0; k < work.features; k += Term::step) {
    const auto* z = reinterpret_cast<const Loose*>(lines + k * panel_width<T>);
    for (std::size_t r = 0; r < Rows; ++r) {
      for (std::size_t v = 0; v < line_vectors; ++v) {
        Term::add(sums[r][v], x + r * work.features + k, z + v);
      }
    }
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    auto* out = reinterpret_cast<Loose*>(work.out.row(row + r).data() + panel * panel_width<T>);
    for (std::size_t v = 0; v < line_vectors; ++v) out[v] = sums[r][v];
  }
}

template <class T, class Term>
MAXMARGIN_INLINE void all_panels(const PanelWork<T>& work) {
  // Four rows share every load of the panel, whose lines stay in the innermost cache meanwhile.
  for (std::size_t panel = 0; panel < work.panel_count; ++panel) {
    std::size_t row = 0;
    for (; row + 4 <= work.out.rows(); row += 4) panel_block<T, Term, 4>(work, row, panel);
    for (; row < work.out.rows(); ++row) panel_block<T, Term, 1>(work, row, panel);
  }
}

template <class T>
MAXMARGIN_INLINE void panel_sums_of(const PanelWork<T>& work) {
  switch (work.pairing) {
    case Pairing::dot:
    case Pairing::squared_distance:
      return all_panels<T, DotTerm>(work);
    case Pairing::absolute:
      return all_panels<T, AbsoluteTerm>(work);
    case Pairing::minimum:
      return all_panels<T, MinimumTerm>(work);
    case Pairing::chi_square:
      return all_panels<T, ChiSquareTerm>(work);
    case Pairing::sentropic:
      return all_panels<T, SentropicTerm>(work);
  }
}

MAXMARGIN_VECTOR_CLONES void panel_sums_float(const PanelWork<float>& work) { panel_sums_of(work); }
MAXMARGIN_VECTOR_CLONES void panel_sums_double(const PanelWork<double>& work) {
  panel_sums_of(work);
}

// What an entry v of the sparse row adds beyond term(v, 0) + term(0, b).

struct DotCorrection {
  template <class Wide>
  MAXMARGIN_INLINE static void add(Wide& sum, double v, const Wide& b) {
    sum += v * b;
  }
};
/// |v - b| - |v| - |b|: minus twice the smaller magnitude where the signs agree.
struct AbsoluteCorrection {
  template <class Wide>
  MAXMARGIN_INLINE static void add(Wide& sum, double v, const Wide& b) {
    const Wide along = v < 0 ? -b : b;
    const Wide shared = along < 0 ? Wide{} : along;
    const Wide own = (v < 0 ? -v : v) - Wide{};
    sum -= 2 * (own < shared ? own : shared);
  }
};
/// -4 v b / (v + b), which must not overflow and must be the same with v and b exchanged.
struct ChiSquareCorrection {
  template <class Wide>
  MAXMARGIN_INLINE static void add(Wide& sum, double v, const Wide& b) {
    const Wide a = v - Wide{};
    const Wide low = a < b ? a : b;
    const Wide high = a < b ? b : a;
    sum -= 4 * low * (high / (a + b));
  }
};
struct MinimumCorrection {
  template <class Wide>
  MAXMARGIN_INLINE static void add(Wide& sum, double v, const Wide& b) {
    const Wide a = v - Wide{};
    sum += a < b ? a : b;
  }
};

template <class Correction>
MAXMARGIN_INLINE void whole_block(const BlockWork& work) {
  using Wide = VectorTypes<double>::Wide;
  using Loose = VectorTypes<double>::Loose;
  constexpr std::size_t vectors = block_width / 8;
  Wide sums[vectors] = {};
  for (std::size_t k = 0; k < work.count; ++k) {
    const auto column = static_cast<std::size_t>(work.columns[k]);
    if (column >= work.slot_columns) break;
    const std::int32_t slot = work.slots[column];
    if (slot < 0) continue;
    const auto* b =
        reinterpret_cast<const Loose*>(work.block + static_cast<std::size_t>(slot) * block_width);
    for (std::size_t v = 0; v < vectors; ++v) {
      const Wide entry = b[v];
      Correction::add(sums[v], work.values[k], entry);
    }
  }
  auto* out = reinterpret_cast<Loose*>(work.sums);
  for (std::size_t v = 0; v < vectors; ++v) out[v] = sums[v];
}

MAXMARGIN_VECTOR_CLONES void block_sums_double(const BlockWork& work) {
  switch (work.pairing) {
    case Pairing::dot:
    case Pairing::squared_distance:
      return whole_block<DotCorrection>(work);
    case Pairing::absolute:
      return whole_block<AbsoluteCorrection>(work);
    case Pairing::chi_square:
      return whole_block<ChiSquareCorrection>(work);
    case Pairing::minimum:
      return whole_block<MinimumCorrection>(work);
    case Pairing::sentropic:
      return;  // has no value at 0; such data is never kept sparse
  }
}

template <class T>
MAXMARGIN_INLINE bool distances_of(
    T norm, const T* norms, T closeness, T* values, std::size_t count) {
  int close = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const T total = norm + norms[j];
    const T distance = total - 2 * values[j];
    values[j] = distance;
    close |= distance >= closeness * total ? 0 : 1;
  }
  return close != 0;
}

MAXMARGIN_VECTOR_CLONES bool distances_float(
    float norm, const float* norms, float closeness, float* values, std::size_t count) {
  return distances_of(norm, norms, closeness, values, count);
}
MAXMARGIN_VECTOR_CLONES bool distances_double(
    double norm, const double* norms, double closeness, double* values, std::size_t count) {
  return distances_of(norm, norms, closeness, values, count);
}

}  // namespace

void panel_sums(const PanelWork<float>& work) { panel_sums_float(work); }
void panel_sums(const PanelWork<double>& work) { panel_sums_double(work); }
void block_sums(const BlockWork& work) { block_sums_double(work); }

bool squared_distances(
    float norm, const float* norms, float closeness, float* values, std::size_t count) {
  return distances_float(norm, norms, closeness, values, count);
}
bool squared_distances(
    double norm, const double* norms, double closeness, double* values, std::size_t count) {
  return distances_double(norm, norms, closeness, values, count);
}

}  // namespace maxmargin
