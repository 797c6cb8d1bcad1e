// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "maxmargin/core/report.hpp"

/// What a relaxation of two labels and the search for labels give: docs/algorithms/mmc.md.
namespace maxmargin {

/// Labels +1 and -1.
using Signs = std::vector<std::int8_t>;

/// A labelling and where it comes from, such as "eigenvector 1".
struct LabelCandidate {
  std::string origin = {};
  Signs signs = {};
};

/// What a relaxation and the search say, in units of 1/2 |w|^2 + C sum of hinges.
struct LabelRelaxation {
  /// Of the relaxed label matrix.
  double value = 0;
  /// No allowed labelling has a smaller objective.
  double lower_bound = 0;
  /// (value - lower_bound) / value: how well the relaxation is solved.
  double relative_gap = 0;
  /// Of the relaxed label matrix.
  std::size_t rank = 0;
  /// Different labellings tried, and where the best one came from.
  std::size_t roundings = 0;
  std::string winner = {};
  /// How the relaxation itself ended, whatever came of the search that it begins.
  Status status = Status::solved;
};

}  // namespace maxmargin
