// SPDX-License-Identifier: Apache-2.0
#include "problem/row_sums.hpp"

#include "core/vector_clones.hpp"

namespace maxmargin {

namespace {

// One clone for the whole loop: a call for every row would cost as much as its sum.
MAXMARGIN_VECTOR_CLONES void add_all(const double* __restrict__ table,
                                     std::size_t rows,
                                     const std::uint32_t* indices,
                                     const double* values,
                                     std::size_t count,
                                     double* __restrict__ sums,
                                     std::size_t length) {
  for (std::size_t e = 0; e < count; ++e) {
    if (indices[e] >= rows) continue;
    const double factor = values != nullptr ? values[e] : 1.0;
    const double* row = table + indices[e] * length;
    for (std::size_t j = 0; j < length; ++j) sums[j] += factor * row[j];
  }
}

}  // namespace

void add_rows(const double* table,
              std::size_t rows,
              std::span<const std::uint32_t> indices,
              std::span<const double> values,
              std::span<double> sums) {
  add_all(table,
          rows,
          indices.data(),
          values.empty() ? nullptr : values.data(),
          indices.size(),
          sums.data(),
          sums.size());
}

}  // namespace maxmargin
