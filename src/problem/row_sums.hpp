// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace maxmargin {

/// sums += sum over e of values[e] (1 if `values` is empty) times row indices[e] of a table of
/// `rows` rows, each as long as `sums`; indices beyond the table are left out. Entry by entry.
void add_rows(const double* table,
              std::size_t rows,
              std::span<const std::uint32_t> indices,
              std::span<const double> values,
              std::span<double> sums);

}  // namespace maxmargin
