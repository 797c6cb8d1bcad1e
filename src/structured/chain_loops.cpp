// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/chain.md: e_t and step 1.
#include "structured/chain_loops.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/vector_clones.hpp"

namespace maxmargin::chain {

namespace {

/// As wide as the widest registers; processors with smaller ones use several.
using Wide [[gnu::vector_size(lanes * sizeof(double))]] = double;

/// Registers that hold sums or maxima while all rows pass by.
constexpr std::size_t most_registers = 4;

MAXMARGIN_INLINE void load(Wide& vector, const double* from) {
  __builtin_memcpy(&vector, from, sizeof(Wide));
}
MAXMARGIN_INLINE void store(const Wide& vector, double* to) {
  __builtin_memcpy(to, &vector, sizeof(Wide));
}

MAXMARGIN_INLINE void add(Wide& sum, const double* row) {
  Wide weights;
  load(weights, row);
  sum += weights;
}
MAXMARGIN_INLINE void add(Wide& sum, double value, const double* row) {
  Wide weights;
  load(weights, row);
  sum += value * weights;
}
MAXMARGIN_INLINE void lift(Wide& best, double before, const double* row) {
  Wide scores;
  load(scores, row);
  const Wide reached = before + scores;
  best = reached > best ? reached : best;
}

/// Some columns of sum_rows, held in registers: their indices are constants.
template <std::size_t... I>
MAXMARGIN_INLINE void sum_columns(std::index_sequence<I...> /*registers*/,
                                  const FeatureRows& rows,
                                  std::span<const std::uint32_t> entries,
                                  const double* values,
                                  std::size_t column,
                                  double* sums) {
  constexpr std::size_t width = sizeof...(I) * lanes;
  Wide sum[] = {(static_cast<void>(I), Wide{})...};
  const std::size_t weights = rows.w.size();
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (entries[e] >= rows.features) continue;
    const std::size_t begin = entries[e] * rows.labels + column;
    const double* row = rows.w.data() + begin;
    // Registers read on into the next row. Behind the last weight there is nothing to read.
    std::array<double, width> tail;
    if (begin + width > weights) [[unlikely]] {
      tail.fill(0);
      std::copy(row, rows.w.data() + weights, tail.data());
      row = tail.data();
    }
    if (values == nullptr) {
      (add(sum[I], row + I * lanes), ...);
    } else {
      (add(sum[I], values[e], row + I * lanes), ...);
    }
  }
  (store(sum[I], sums + column + I * lanes), ...);
}

/// Some columns of max_plus.
template <std::size_t... I>
MAXMARGIN_INLINE void max_columns(std::index_sequence<I...> /*registers*/,
                                  const MaxPlus& table,
                                  std::size_t column,
                                  double* best) {
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  Wide largest[] = {(static_cast<void>(I), Wide{} + nothing)...};
  const double* row = table.scores + column;
  for (std::size_t r = 0; r < table.rows; ++r, row += table.row_stride) {
    const double before = table.before[r * table.stride];
    (lift(largest[I], before, row + I * lanes), ...);
  }
  (store(largest[I], best + column + I * lanes), ...);
}

/// body(registers, column) for groups of columns that cover `padded`.
template <class Body>
MAXMARGIN_INLINE void for_columns(std::size_t padded, const Body& body) {
  static_assert(most_registers == 4);
  std::size_t column = 0;
  for (; column + 4 * lanes <= padded; column += 4 * lanes) {
    body(std::make_index_sequence<4>{}, column);
  }
  switch ((padded - column) / lanes) {
    case 3:
      body(std::make_index_sequence<3>{}, column);
      break;
    case 2:
      body(std::make_index_sequence<2>{}, column);
      break;
    case 1:
      body(std::make_index_sequence<1>{}, column);
      break;
    default:
      break;
  }
}

struct SumBody {
  const FeatureRows& rows;
  std::span<const std::uint32_t> entries;
  const double* values;
  double* sums;
  template <class Registers>
  MAXMARGIN_INLINE void operator()(Registers registers, std::size_t column) const {
    sum_columns(registers, rows, entries, values, column, sums);
  }
};

struct MaxBody {
  const MaxPlus& table;
  double* best;
  template <class Registers>
  MAXMARGIN_INLINE void operator()(Registers registers, std::size_t column) const {
    max_columns(registers, table, column, best);
  }
};

MAXMARGIN_VECTOR_CLONES void sum_all(const SumBody& body, std::size_t padded) {
  for_columns(padded, body);
}
MAXMARGIN_VECTOR_CLONES void max_all(const MaxBody& body, std::size_t padded) {
  for_columns(padded, body);
}

}  // namespace

void sum_rows(const FeatureRows& rows,
              std::span<const std::uint32_t> entries,
              const double* values,
              double* sums) {
  sum_all({.rows = rows, .entries = entries, .values = values, .sums = sums},
          padded_labels(rows.labels));
}

void max_plus(const MaxPlus& table, std::size_t padded, double* best) {
  max_all({.table = table, .best = best}, padded);
}

}  // namespace maxmargin::chain
