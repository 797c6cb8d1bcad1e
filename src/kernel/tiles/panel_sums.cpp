// SPDX-License-Identifier: Apache-2.0
#include "kernel/tiles/panel_sums.hpp"

#include <algorithm>

#include "kernel/tiles/vector_levels.hpp"

namespace maxmargin {

namespace {

/// Features summed before the next panel: their lines of one panel stay in the innermost cache
/// while all rows pass by.
constexpr std::size_t piece = 128;

// A term adds its value for one feature to `sum`: x is the row's number and z a vector of the
// panel's line. A sentropic feature takes two of both. V are the vector types.

template <class V>
using Wide = typename V::Wide;

struct DotTerm {
  template <class V, class T>
  MAXMARGIN_INLINE static void add(Wide<V>& sum, T x, const Wide<V>& z) {
    sum += x * z;
  }
};

struct SquareTerm {
  template <class V, class T>
  MAXMARGIN_INLINE static void add(Wide<V>& sum, T x, const Wide<V>& z) {
    const Wide<V> difference = x - z;
    sum += difference * difference;
  }
};

struct AbsoluteTerm {
  template <class V, class T>
  MAXMARGIN_INLINE static void add(Wide<V>& sum, T x, const Wide<V>& z) {
    const Wide<V> difference = x - z;
    sum += difference < 0 ? -difference : difference;
  }
};

struct MinimumTerm {
  template <class V, class T>
  MAXMARGIN_INLINE static void add(Wide<V>& sum, T x, const Wide<V>& z) {
    const Wide<V> a = x - Wide<V>{};
    sum += a < z ? a : z;
  }
};

struct ChiSquareTerm {
  template <class V, class T>
  MAXMARGIN_INLINE static void add(Wide<V>& sum, T x, const Wide<V>& z) {
    const Wide<V> difference = x - z;
    const Wide<V> total = x + z;
    const Wide<V> one = Wide<V>{} + T{1};
    // Both entries 0: 0 / 1.
    const Wide<V> divisor = total == 0 ? one : total;
    sum += difference / divisor * difference;
  }
};

struct SentropicTerm {
  template <class V, class T>
  MAXMARGIN_INLINE static void add(
      Wide<V>& sum, T x, const Wide<V>& z, T log_x, const Wide<V>& log_z) {
    sum += (x - z) * (log_x - log_z);
  }
};

template <class Term>
inline constexpr std::size_t step = std::is_same_v<Term, SentropicTerm> ? 2 : 1;
static_assert(piece % step<SentropicTerm> == 0);

/// Rows [row, row + Rows) against panels [panel, panel + Panels), features [begin, end).
template <class Level, class T, class Term, std::size_t Rows, std::size_t Panels>
MAXMARGIN_INLINE void add_block(const PanelWork<T>& work,
                                std::size_t row,
                                std::size_t panel,
                                std::size_t begin,
                                std::size_t end) {
  using V = VectorTypes<T, Level::vector_bytes>;
  constexpr std::size_t width = Level::vector_bytes / sizeof(T);
  // Of each row, the vectors of all panels one after the other.
  constexpr std::size_t vectors = Panels * panel_width<T> / width;
  const T* x = work.rows + row * work.features;
  const T* lines = work.panels + panel * work.features * panel_width<T>;
  T* places[Rows];
  unrolled<Rows>([&](auto r) MAXMARGIN_INLINE_LAMBDA {
    places[r] = work.out.row(row + r).data() + panel * panel_width<T>;
  });
  Wide<V> sums[Rows * vectors] = {};
  if (begin != 0) {
    unrolled<Rows * vectors>([&](auto i) MAXMARGIN_INLINE_LAMBDA {
      V::load(sums[i], places[i / vectors] + i % vectors * width);
    });
  }
  for (std::size_t k = begin; k < end; k += step<Term>) {
    unrolled<Rows * vectors>([&](auto i) MAXMARGIN_INLINE_LAMBDA {
      constexpr std::size_t column = i % vectors * width;
      constexpr std::size_t p = column / panel_width<T>;
      const T* a = x + i / vectors * work.features + k;
      const T* line = lines + (p * work.features + k) * panel_width<T> + column % panel_width<T>;
      Wide<V> z;
      V::load(z, line);
      if constexpr (step<Term> == 2) {
        Wide<V> log_z;
        V::load(log_z, line + panel_width<T>);
        Term::template add<V>(sums[i], a[0], z, a[1], log_z);
      } else {
        Term::template add<V>(sums[i], a[0], z);
      }
    });
  }
  unrolled<Rows * vectors>([&](auto i) MAXMARGIN_INLINE_LAMBDA {
    V::store(sums[i], places[i / vectors] + i % vectors * width);
  });
}

/// The sums of several rows share every load of the panel and hide each other's latency; a single
/// row takes several panels for the latter.
template <class Level, class T, class Term>
MAXMARGIN_INLINE void all_panels(const PanelWork<T>& work) {
  constexpr std::size_t line = panel_width<T> * sizeof(T) / Level::vector_bytes;
  constexpr std::size_t most_rows = std::max<std::size_t>(1, Level::registers * 3 / 4 / line);
  constexpr std::size_t block_rows = most_rows >= 8 ? 8 : most_rows;
  constexpr std::size_t block_panels = std::max<std::size_t>(1, 8 / line);
  const std::size_t rows = work.out.rows();
  // Without features the sums are 0.
  for (std::size_t begin = 0; begin == 0 || begin < work.features; begin += piece) {
    const std::size_t end = std::min(begin + piece, work.features);
    const std::size_t together = rows / block_rows * block_rows;
    for (std::size_t panel = 0; together != 0 && panel < work.panel_count; ++panel) {
      for (std::size_t row = 0; row < together; row += block_rows) {
        add_block<Level, T, Term, block_rows, 1>(work, row, panel, begin, end);
      }
    }
    for (std::size_t row = together; row < rows; ++row) {
      std::size_t panel = 0;
      for (; panel + block_panels <= work.panel_count; panel += block_panels) {
        add_block<Level, T, Term, 1, block_panels>(work, row, panel, begin, end);
      }
      for (; panel < work.panel_count; ++panel) {
        add_block<Level, T, Term, 1, 1>(work, row, panel, begin, end);
      }
    }
  }
}

template <class Level, class T>
MAXMARGIN_INLINE void panel_sums_of(const PanelWork<T>& work) {
  switch (work.pairing) {
    case Pairing::dot:
      return all_panels<Level, T, DotTerm>(work);
    case Pairing::squared_distance:
      return all_panels<Level, T, SquareTerm>(work);
    case Pairing::absolute:
      return all_panels<Level, T, AbsoluteTerm>(work);
    case Pairing::minimum:
      return all_panels<Level, T, MinimumTerm>(work);
    case Pairing::chi_square:
      return all_panels<Level, T, ChiSquareTerm>(work);
    case Pairing::sentropic:
      return all_panels<Level, T, SentropicTerm>(work);
  }
}

}  // namespace

MAXMARGIN_DEFINE_LEVELS(panel_sums, PanelWork<float>, panel_sums_of)
MAXMARGIN_DEFINE_LEVELS(panel_sums, PanelWork<double>, panel_sums_of)

}  // namespace maxmargin
