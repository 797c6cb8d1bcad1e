// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/dataset.hpp"

namespace maxmargin {

/// A checkerboard of unit squares.
struct MAXMARGIN_EXPORT CheckersOptions {
  /// Number of rows, >= 2.
  std::size_t n = 1000;
  /// Squares a side, >= 2.
  std::size_t cells = 4;
  /// Deviation of the Gaussian noise that is added to both coordinates after the class is set, >=
  /// 0.
  double jitter = 0.02;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Points uniform on the squares of [0, cells)^2. Class 1 has the squares whose numbers add up to
/// an even number, class 2 the others; half of the rows each, class 1 gets the odd one. The jitter
/// carries about 1.6 jitter (cells - 1) / cells of the points over a border: by default the Bayes
/// error is near 2.4 %. Rows are in an order drawn with the seed.
[[nodiscard]] MAXMARGIN_EXPORT Dataset generate_checkers(const CheckersOptions& options = {});

}  // namespace maxmargin
