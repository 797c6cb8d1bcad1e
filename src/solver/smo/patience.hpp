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
  SmoPatience(std::optional<double> other, double tolerance)
      : other_(other), tolerance_(tolerance) {
    if (other_) next_look_ = first_look + *other_ * first_share;
  }

  void add(std::size_t operations) noexcept { operations_ += static_cast<double>(operations); }
  /// To be asked between working sets with the present relative gap.
  [[nodiscard]] bool ends(double gap);

 private:
  /// Work of a second or so, after which the first look is taken, and what is added to it: this
  /// share of the other method's work. That runs on matrix products, many times as fast.
  static constexpr double first_look = 0x1p30;
  static constexpr double first_share = 1.0 / 256;
  /// Beyond this share there are no further looks.
  static constexpr double last_share = 1.0 / 16;
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
