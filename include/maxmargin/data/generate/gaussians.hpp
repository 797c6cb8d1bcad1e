// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/dataset.hpp"

namespace maxmargin {

/// Round Gaussian classes of variance 1.
struct MAXMARGIN_EXPORT GaussiansOptions {
  /// Number of rows, >= k.
  std::size_t n = 200;
  /// Number of classes, >= 1.
  std::size_t k = 2;
  /// Number of features, >= 1.
  std::size_t d = 2;
  /// Distance between the means of neighbours, >= 0. Two classes: means -1.7 e1 and 1.7 e1.
  double separation = 3.4;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Means are the corners of a regular polygon in the first two features, or evenly spaced on a line
/// when d = 1; they are centred on the origin. Two classes have Bayes error Phi(-separation / 2),
/// 4.46 % by default. Rows are in an order drawn with the seed; labels are 1, 2, ...; the classes
/// have equal sizes up to one, the first ones larger.
[[nodiscard]] MAXMARGIN_EXPORT Dataset generate_gaussians(const GaussiansOptions& options = {});

}  // namespace maxmargin
