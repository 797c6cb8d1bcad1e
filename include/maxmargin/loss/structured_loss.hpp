// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The two convex stand-ins for a task loss in structured prediction, for one rival output y':
///
///   loss       = Delta(y, y') >= 0, what predicting y' would cost;
///   difference = score(x, y') - score(x, y), how far the rival is ahead of the truth.
///
/// The loss of an example is the largest value over all y'. The truth itself (loss 0, difference 0)
/// gives 0, so no value is negative. Both are at least `loss` whenever the rival wins or ties
/// (difference >= 0): their maximum bounds the task loss of the prediction from above. For
/// loss 1 both are the hinge of the margin -difference. At the kink the subgradient is 0.
namespace maxmargin {

/// max(0, loss + difference): the margin asked for grows with the loss.
struct MarginRescaling {
  [[nodiscard]] constexpr double value(double loss, double difference) const noexcept {
    const double violation = loss + difference;
    return violation <= 0 ? 0 : violation;
  }
  /// Slope in `difference`: 1 where violated.
  [[nodiscard]] constexpr double subgradient(double loss, double difference) const noexcept {
    return loss + difference <= 0 ? 0 : 1;
  }
};

/// max(0, loss (1 + difference)): a margin of 1 for every rival, its violation priced by the loss.
/// A rival of loss 0 costs nothing however far it is ahead.
struct SlackRescaling {
  [[nodiscard]] constexpr double value(double loss, double difference) const noexcept {
    const double violation = loss * (1 + difference);
    return violation <= 0 ? 0 : violation;
  }
  /// Slope in `difference`: `loss` where violated.
  [[nodiscard]] constexpr double subgradient(double loss, double difference) const noexcept {
    return 1 + difference <= 0 ? 0 : loss;
  }
};

}  // namespace maxmargin
