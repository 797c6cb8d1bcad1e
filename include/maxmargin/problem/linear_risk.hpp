// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <variant>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// The problem behind all linear machines: docs/algorithms/dual-coordinate-descent.md.
namespace maxmargin {

/// A loss of the score s = w.x against the target y.
enum class LinearLoss {
  hinge,                       ///< max(0, 1 - y s), y = +1 or -1
  squared_hinge,               ///< max(0, 1 - y s)^2
  logistic,                    ///< log(1 + exp(-y s))
  epsilon_insensitive,         ///< max(0, |s - y| - epsilon), y any number
  squared_epsilon_insensitive  ///< max(0, |s - y| - epsilon)^2
};
template <>
inline constexpr auto names_of<LinearLoss> =
    name_table<LinearLoss>({{"hinge", LinearLoss::hinge},
                            {"squared-hinge", LinearLoss::squared_hinge},
                            {"logistic", LinearLoss::logistic},
                            {"epsilon", LinearLoss::epsilon_insensitive},
                            {"squared-epsilon", LinearLoss::squared_epsilon_insensitive}});
/// Whether targets are +1 and -1.
[[nodiscard]] MAXMARGIN_EXPORT bool is_classification(LinearLoss loss) noexcept;
/// Whether the loss has a slope everywhere (all but the two with corners).
[[nodiscard]] MAXMARGIN_EXPORT bool is_smooth(LinearLoss loss) noexcept;

/// What is paid for the size of w.
enum class LinearPenalty {
  l2,  ///< 1/2 |w|^2
  l1   ///< |w|_1, which leaves most weights at zero; squared hinge alone
};
template <>
inline constexpr auto names_of<LinearPenalty> =
    name_table<LinearPenalty>({{"l2", LinearPenalty::l2}, {"l1", LinearPenalty::l1}});

/// Minimise over w
///
///   P(w) = penalty(w) + sum_i C_i loss(w.x_i, y_i),    C_i = c weight_i.
///
/// With `bias` != 0 every example has one more feature of that value; its weight is the last
/// component of w and is part of the penalty. Rows of weight 0 are not there.
///
/// The dual is in one signed coefficient b_i a row; l2: maximise
///
///   D(b) = -1/2 |sum_i b_i x_i|^2 - sum_i C_i loss*(-b_i / C_i),
///
/// with loss* the conjugate in s, and w = sum_i b_i x_i at the optimum; l1: the first term is
/// replaced by the constraint that no component of sum_i b_i x_i is beyond [-1, 1].
///
/// Immutable; what it looks at must outlive it.
struct MAXMARGIN_EXPORT LinearRisk {
  std::variant<SparseView, DenseView> examples = SparseView{};
  /// One a row.
  std::span<const double> targets = {};
  /// One a row, finite and >= 0; empty: 1 each.
  std::span<const double> weights = {};
  double c = 1;  ///< finite and > 0
  LinearLoss loss = LinearLoss::hinge;
  LinearPenalty penalty = LinearPenalty::l2;
  double epsilon = 0.1;  ///< half the width of the tube, >= 0; read by the last two losses alone
  double bias = 0;       ///< finite; 0: no bias

  [[nodiscard]] std::size_t rows() const noexcept;
  /// Columns of the examples.
  [[nodiscard]] std::size_t cols() const noexcept;
  /// Components of w: columns, and one more with a bias.
  [[nodiscard]] std::size_t components() const noexcept { return cols() + (bias != 0 ? 1 : 0); }
  /// C_i.
  [[nodiscard]] double upper(std::size_t i) const noexcept {
    return weights.empty() ? c : c * weights[i];
  }
  /// Sizes must fit, numbers be in their ranges and examples finite. O(entries).
  void describe(OptionVisitor& visit);
};

/// A pair (w, b) measured from scratch.
struct MAXMARGIN_EXPORT LinearResiduals {
  double primal = 0;
  /// Minus infinity when b is outside the domain of the dual by more than rounding.
  double dual = 0;
  /// Largest distance of a coefficient from its domain; l1: also of sum_i b_i x_i from [-1, 1].
  double dual_violation = 0;
};

/// P(w) and D(b) by plain double loops over the rows; shares no code with any solver. O(entries).
/// Throws InvalidArgument when w or b has another length than components() or rows().
[[nodiscard]] MAXMARGIN_EXPORT LinearResiduals residuals(const LinearRisk& problem,
                                                         std::span<const double> w,
                                                         std::span<const double> b);

}  // namespace maxmargin
