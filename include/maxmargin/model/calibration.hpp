// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "maxmargin/core/export.hpp"
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
struct MAXMARGIN_EXPORT IsotonicCurve {
  std::vector<double> scores = {};
  std::vector<double> probabilities = {};
};

using CalibrationCurve = std::variant<PlattCurve, IsotonicCurve>;
enum class CalibrationKind { platt, isotonic };
[[nodiscard]] MAXMARGIN_EXPORT std::string_view to_string(CalibrationKind kind) noexcept;

/// Maximum likelihood with Platt's smoothed targets; `weights` empty or one a score.
[[nodiscard]] MAXMARGIN_EXPORT PlattCurve fit_platt(std::span<const double> scores,
                                                    std::span<const std::int8_t> signs,
                                                    std::span<const double> weights = {});
/// Pool adjacent violators.
[[nodiscard]] MAXMARGIN_EXPORT IsotonicCurve fit_isotonic(std::span<const double> scores,
                                                          std::span<const std::int8_t> signs,
                                                          std::span<const double> weights = {});
[[nodiscard]] MAXMARGIN_EXPORT double probability(const CalibrationCurve& curve, double score);

/// One curve a function of the code.
struct MAXMARGIN_EXPORT Calibration {
  CalibrationKind kind = CalibrationKind::platt;
  std::vector<CalibrationCurve> curves = {};
};

/// Fits a curve for each function from held-out values (rows x functions) and true classes; a
/// function is fitted on the rows whose class it uses.
[[nodiscard]] MAXMARGIN_EXPORT Calibration fit_calibration(CalibrationKind kind,
                                                           const OutputCode& code,
                                                           DenseView held_out_values,
                                                           std::span<const std::int32_t> classes,
                                                           std::span<const double> weights = {});

/// Class probabilities, one row an example, rows sum to 1: directly for two classes, by pairwise
/// coupling for one-vs-one, by normalising for one-vs-rest and direct, by least squares over the
/// simplex for error-correcting codes.
[[nodiscard]] MAXMARGIN_EXPORT DenseMatrix class_probabilities(const Calibration& calibration,
                                                               const OutputCode& code,
                                                               DenseView values);

}  // namespace maxmargin
