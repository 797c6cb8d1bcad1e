// SPDX-License-Identifier: Apache-2.0
#include "kernel/panel_sums.hpp"

#include <algorithm>

#include "kernel/vector_levels.hpp"

namespace maxmargin {

namespace {

/// Features summed before the next panel: their lines of one panel stay in the innermost cache
/// while all rows pass by.
constexpr std::size_t piece = 128;

// A term adds its value for one feature (`step` numbers of the row and panel lines) to `sum`;
// `line` is the number of vectors in a panel line. Arguments are references: vectors must not be
// passed by value between functions whose register width may differ.

struct DotTerm {
  static constexpr std::size_t step = 1;
  template <std::size_t Line, class T, class Wide, class Loose>
  MAXMARGIN_INLINE static void add(Wide& sum, const T* x, const Loose* z) {
    sum += *x * *z;
  }
};

struct SquareTerm {
  static constexpr std::size_t step = 1;
  template <std::size_t Line, class T, class Wide, class Loose>
  MAXMARGIN_INLINE static void add(Wide& sum, const T* x, const Loose* z) {
    const Wide difference = *x - *z;
    sum += difference * difference;
  }
};

struct AbsoluteTerm {
  static constexpr std::size_t step = 1;
  template <std::size_t Line, class T, class Wide, class Loose>
  MAXMARGIN_INLINE static void add(Wide& sum, const T* x, const Loose* z) {
    const Wide difference = *x - *z;
    sum += difference < 0 ? -difference : difference;
  }
};

struct MinimumTerm {
  static constexpr std::size_t step = 1;
  template <std::size_t Line, class T, class Wide, class Loose>
  MAXMARGIN_INLINE static void add(Wide& sum, const T* x, const Loose* z) {
    const Wide a = *x - Wide{};
    const Wide b = *z;
    sum += a < b ? a : b;
  }
};

struct ChiSquareTerm {
  static constexpr std::size_t step = 1;
  template <std::size_t Line, class T, class Wide, class Loose>
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
  template <std::size_t Line, class T, class Wide, class Loose>
  MAXMARGIN_INLINE static void add(Wide& sum, const T* x, const Loose* z) {
    sum += (x[0] - z[0]) * (x[1] - z[Line]);
  }
};
static_assert(piece % SentropicTerm::step == 0);

/// Rows [row, row + Rows) against panels [panel, panel + Panels), features [begin, end).
template <class Level, class T, class Term, std::size_t Rows, std::size_t Panels>
MAXMARGIN_INLINE void add_block(const PanelWork<T>& work,
                                std::size_t row,
                                std::size_t panel,
                                std::size_t begin,
                                std::size_t end) {
  using Wide = typename VectorTypes<T, Level::vector_bytes>::Wide;
  using Loose = typename VectorTypes<T, Level::vector_bytes>::Loose;
  constexpr std::size_t line = panel_width<T> * sizeof(T) / Level::vector_bytes;
  Wide sums[Rows][Panels][line] = {};
  const auto place = [&](std::size_t r, std::size_t p) {
    return reinterpret_cast<Loose*>(work.out.row(row + r).data() + (panel + p) * panel_width<T>);
  };
  if (begin != 0) {
    for (std::size_t r = 0; r < Rows; ++r) {
      for (std::size_t p = 0; p < Panels; ++p) {
        for (std::size_t v = 0; v < line; ++v) sums[r][p][v] = place(r, p)[v];
      }
    }
  }
  const T* x = work.rows + row * work.features;
  const T* lines = work.panels + panel * work.features * panel_width<T>;
  for (std::size_t k = begin; k < end; k += Term::step) {
    for (std::size_t p = 0; p < Panels; ++p) {
      const auto* z =
          reinterpret_cast<const Loose*>(lines + (p * work.features + k) * panel_width<T>);
      for (std::size_t r = 0; r < Rows; ++r) {
        for (std::size_t v = 0; v < line; ++v) {
          Term::template add<line>(sums[r][p][v], x + r * work.features + k, z + v);
        }
      }
    }
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t p = 0; p < Panels; ++p) {
      for (std::size_t v = 0; v < line; ++v) place(r, p)[v] = sums[r][p][v];
    }
  }
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
