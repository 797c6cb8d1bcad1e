// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

namespace maxmargin {

/// Whether a run of SMO should leave a problem to another method
/// (docs/algorithms/interior-point.md, "When it takes over"). It counts operations and looks at the
/// gap when their number has doubled; clocks have no say.
class SmoPatience {
 public:
  /// `other`: multiplications and additions of the other method; none: endless patience.
  SmoPatience(std::optional<double> other, double tolerance);

  void add(std::size_t operations) noexcept { operations_ += static_cast<double>(operations); }
  /// To be asked between working sets with the present relative gap.
  [[nodiscard]] bool ends(double gap);

 private:
  /// The share of the other method's work that takes this one as long: that runs on matrix
  /// products.
  static constexpr double time_share = 1.0 / 4;
  /// Work of a second or so, and of a twentieth of one, between which the first look is taken; what
  /// is added to it is a share of the other method's work.
  static constexpr double first_look = 0x1p30;
  static constexpr double earliest_look = 0x1p26;
  static constexpr double first_share = 1.0 / 256;
  /// Beyond this share there are no further looks.
  static constexpr double last_share = 1.0 / 32;
  /// Doublings of the work in which the gap must be expected to close.
  static constexpr double doublings = 2;

  std::optional<double> other_;
  double tolerance_;
  double operations_ = 0;
  double next_look_ = 0;
  double least_gap_ = 1;         ///< so far
  double least_gap_before_ = 1;  ///< with half of the work of the next look done
};

}  // namespace maxmargin
