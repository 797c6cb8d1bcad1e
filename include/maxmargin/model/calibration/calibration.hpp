// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/model/output_code.hpp"

/// Probabilities from scores: docs/algorithms/calibration.md. Scores come from the caller, who
/// makes them by cross-validation.
namespace maxmargin {

/// P(+1 | s) = 1 / (1 + exp(slope s + intercept)); slope is negative when scores rank well.
struct MAXMARGIN_EXPORT PlattCurve {
  double slope = -1;
  double intercept = 0;
};

/// A non-decreasing step-free curve: linear between (scores_i, probabilities_i), constant outside.
/// Scores strictly increase.
struct MAXMARGIN_EXPORT IsotonicCurve {
  std::vector<double> scores = {};
  std::vector<double> probabilities = {};
};

using CalibrationCurve = std::variant<PlattCurve, IsotonicCurve>;
enum class CalibrationKind { platt, isotonic };
template <>
inline constexpr auto names_of<CalibrationKind> = name_table<CalibrationKind>(
    {{"platt", CalibrationKind::platt}, {"isotonic", CalibrationKind::isotonic}});

/// Maximum likelihood with Platt's smoothed targets (n+ + 1)/(n+ + 2) and 1/(n- + 2), where n+ and
/// n- are the weights of the two sides; `weights` empty or one a score. The slope is 0 when all
/// scores or all signs are equal; without any weight the curve is 1/2. Throws InvalidArgument
/// unless scores are finite, signs are +1 or -1, and weights are finite and >= 0 with a finite sum.
[[nodiscard]] MAXMARGIN_EXPORT PlattCurve fit_platt(std::span<const double> scores,
                                                    std::span<const std::int8_t> signs,
                                                    std::span<const double> weights = {});
/// The non-decreasing function of least squared error against the signs (as 1 and 0), by pooling
/// adjacent violators; equal scores get one value. Without any weight the curve is 1/2. Throws like
/// fit_platt.
[[nodiscard]] MAXMARGIN_EXPORT IsotonicCurve fit_isotonic(std::span<const double> scores,
                                                          std::span<const std::int8_t> signs,
                                                          std::span<const double> weights = {});
/// In [0, 1]. Throws InvalidArgument for a score that is not a number and for a curve without
/// points.
[[nodiscard]] MAXMARGIN_EXPORT double probability(const CalibrationCurve& curve, double score);

/// One curve a function of the code.
struct MAXMARGIN_EXPORT Calibration {
  CalibrationKind kind = CalibrationKind::platt;
  std::vector<CalibrationCurve> curves = {};
  /// Throws InvalidArgument unless there is one curve of the kind a function and every curve is
  /// what it says: finite numbers, scores that increase, probabilities in [0, 1] that do not fall.
  void validate(const OutputCode& code) const;
};

/// Fits a curve for each function from held-out values (rows x functions) and true classes; a
/// function is fitted on the rows whose class it uses. The functions of a direct code are compared
/// with each other, so their curves read the value less the largest value of another class.
/// `weights` empty or one a row.
[[nodiscard]] MAXMARGIN_EXPORT Calibration fit_calibration(CalibrationKind kind,
                                                           const OutputCode& code,
                                                           DenseView held_out_values,
                                                           std::span<const std::int32_t> classes,
                                                           std::span<const double> weights = {});

/// Class probabilities, one row an example, rows sum to 1 up to rounding: directly for one
/// function, by pairwise coupling for one-vs-one, by normalising for one-vs-rest and direct (equal
/// when all are 0), by least squares over the simplex for error-correcting codes
/// (couple_probabilities).
[[nodiscard]] MAXMARGIN_EXPORT DenseMatrix
class_probabilities(const Calibration& calibration,
                    const OutputCode& code,
                    DenseView values,
                    std::optional<std::size_t> threads = std::nullopt);

/// Probabilities of classes and the proof that they are the wanted ones.
struct CoupledProbabilities {
  /// >= 0 with sum 1 up to rounding.
  std::vector<double> probabilities = {};
  /// The objective below at `probabilities` exceeds its minimum by at most this.
  double gap = 0;
};

/// The point p of the simplex that fits q_f = P(positive side of f | its two sides) best: it
/// minimises 1/2 sum_f ((1 - q_f) p(positive classes of f) - q_f p(negative classes of f))^2. For
/// one-vs-one this is the second method of Wu, Lin and Weng. Probabilities q are kept 1e-7 away
/// from 0 and 1. Throws InvalidArgument unless there is one q in [0, 1] a function.
[[nodiscard]] MAXMARGIN_EXPORT CoupledProbabilities
couple_probabilities(const OutputCode& code, std::span<const double> function_probabilities);

}  // namespace maxmargin
