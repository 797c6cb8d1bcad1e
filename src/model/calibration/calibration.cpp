// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/calibration/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/parallel.hpp"
#include "core/weights.hpp"
#include "maxmargin/core/require.hpp"
#include "model/calibration/input.hpp"

namespace maxmargin {

namespace {

double value_of(const PlattCurve& curve, double score) {
  const double z = curve.slope * score + curve.intercept;
  if (z >= 0) {
    const double e = std::exp(-z);
    return e / (1 + e);
  }
  return 1 / (1 + std::exp(z));
}

double value_of(const IsotonicCurve& curve, double score) {
  const auto above = std::ranges::lower_bound(curve.scores, score);
  if (above == curve.scores.begin()) return curve.probabilities.front();
  if (above == curve.scores.end()) return curve.probabilities.back();
  const auto i = static_cast<std::size_t>(above - curve.scores.begin());
  const double low = curve.scores[i - 1];
  const double high = curve.scores[i];
  double share = (score - low) / (high - low);
  if (!std::isfinite(high - low)) share = (score / 2 - low / 2) / (high / 2 - low / 2);
  const double p = curve.probabilities[i - 1];
  // Clamped so that rounding cannot make the curve fall.
  return std::clamp(p + share * (curve.probabilities[i] - p), p, curve.probabilities[i]);
}

bool is_two_class(const OutputCode& code) { return code.classes == 2 && code.functions == 1; }

/// What the curve of function `f` reads: its value, or for direct codes its lead.
double score_of(const OutputCode& code, std::span<const double> values, std::size_t f) {
  if (code.kind != MulticlassKind::direct || values.size() < 2) return values[f];
  double rival = -std::numeric_limits<double>::infinity();
  for (std::size_t g = 0; g < values.size(); ++g) {
    if (g != f) rival = std::max(rival, values[g]);
  }
  return values[f] - rival;
}

/// +1, -1 or 0 of a class for function `f`. Each function of a direct code stands for its class.
std::int8_t sign_of(const OutputCode& code, std::size_t cls, std::size_t f) {
  if (code.kind != MulticlassKind::direct || is_two_class(code)) return code.sign(cls, f);
  return static_cast<std::int8_t>(cls == f ? 1 : -1);
}

CalibrationCurve fit_curve(CalibrationKind kind,
                           std::span<const double> scores,
                           std::span<const std::int8_t> signs,
                           std::span<const double> weights) {
  if (kind == CalibrationKind::platt) return fit_platt(scores, signs, weights);
  return fit_isotonic(scores, signs, weights);
}

void normalise(std::span<double> row) {
  double sum = 0;
  for (const double p : row) sum += p;
  for (double& p : row) p = sum > 0 ? p / sum : 1 / static_cast<double>(row.size());
}

/// The probabilities of one example; `p` holds one entry a function.
void write_row(const OutputCode& code, std::span<const double> p, std::span<double> row) {
  if (code.classes == 1) {
    row[0] = 1;
  } else if (is_two_class(code)) {
    const std::size_t positive = code.sign(1, 0) > 0 ? 1 : 0;
    row[positive] = p[0];
    row[1 - positive] = 1 - p[0];
  } else if (code.kind == MulticlassKind::one_vs_rest || code.kind == MulticlassKind::direct) {
    std::ranges::copy(p, row.begin());
    normalise(row);
  } else {
    std::ranges::copy(couple_probabilities(code, p).probabilities, row.begin());
  }
}

void check_values(const OutputCode& code, DenseView values) {
  require(values.cols == code.functions,
          "there are " + std::to_string(values.cols) + " values a row for the " +
              std::to_string(code.functions) + " functions of the code");
}

void check_curve(const CalibrationCurve& curve) {
  if (const auto* platt = std::get_if<PlattCurve>(&curve)) {
    require_field(
        std::isfinite(platt->slope), "the slope of the calibration", platt->slope, "finite");
    require_field(std::isfinite(platt->intercept),
                  "the intercept of the calibration",
                  platt->intercept,
                  "finite");
    return;
  }
  const auto& isotonic = std::get<IsotonicCurve>(curve);
  require(!isotonic.scores.empty() && isotonic.scores.size() == isotonic.probabilities.size(),
          "scores and probabilities must be as many, and at least one");
  for (std::size_t i = 0; i < isotonic.scores.size(); ++i) {
    const double score = isotonic.scores[i];
    const double p = isotonic.probabilities[i];
    require_field(std::isfinite(score) && (i == 0 || score > isotonic.scores[i - 1]),
                  "a score of the calibration",
                  score,
                  "finite and above the one before");
    require_field(p >= 0 && p <= 1 && (i == 0 || p >= isotonic.probabilities[i - 1]),
                  "a probability of the calibration",
                  p,
                  "in [0, 1] and not below the one before");
  }
}

}  // namespace

SideWeights check_scores(std::span<const double> scores,
                         std::span<const std::int8_t> signs,
                         std::span<const double> weights) {
  require(scores.size() == signs.size(),
          "there are " + std::to_string(scores.size()) + " scores and " +
              std::to_string(signs.size()) + " signs");
  require(weights.empty() || weights.size() == scores.size(),
          "there are " + std::to_string(scores.size()) + " scores and " +
              std::to_string(weights.size()) + " weights");
  SideWeights sides;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    require_field(std::isfinite(scores[i]), "a score", scores[i], "finite");
    require_field(signs[i] == 1 || signs[i] == -1, "a sign", signs[i], "+1 or -1");
    const double weight = weight_of(weights, i);
    require_field(std::isfinite(weight) && weight >= 0, "a weight", weight, "finite and >= 0");
    (signs[i] > 0 ? sides.positive : sides.negative) += weight;
  }
  require(std::isfinite(sides.positive + sides.negative), "the weights add up to infinity");
  return sides;
}

double probability(const CalibrationCurve& curve, double score) {
  require_field(!std::isnan(score), "probability: the score", score, "a number");
  if (const auto* platt = std::get_if<PlattCurve>(&curve)) return value_of(*platt, score);
  const auto& isotonic = std::get<IsotonicCurve>(curve);
  require(!isotonic.scores.empty() && isotonic.scores.size() == isotonic.probabilities.size(),
          "probability: the curve has no points");
  return value_of(isotonic, score);
}

void Calibration::validate(const OutputCode& code) const {
  require(curves.size() == code.functions,
          "Calibration: there are " + std::to_string(curves.size()) + " curves for the " +
              std::to_string(code.functions) + " functions of the code");
  for (const CalibrationCurve& curve : curves) {
    require(std::holds_alternative<PlattCurve>(curve) == (kind == CalibrationKind::platt),
            "Calibration: every curve must be of the kind " + std::string(to_string(kind)));
    check_curve(curve);
  }
}

Calibration fit_calibration(CalibrationKind kind,
                            const OutputCode& code,
                            DenseView held_out_values,
                            std::span<const std::int32_t> classes,
                            std::span<const double> weights) {
  check_values(code, held_out_values);
  const std::size_t n = held_out_values.rows;
  require(classes.size() == n && (weights.empty() || weights.size() == n),
          "there must be one class and one weight (or none) a row");
  for (const std::int32_t cls : classes) {
    require_field(cls >= 0 && static_cast<std::size_t>(cls) < code.classes,
                  "a class",
                  cls,
                  "an index below the number of classes");
  }
  Calibration calibration{.kind = kind};
  for (std::size_t f = 0; f < code.functions; ++f) {
    std::vector<double> scores;
    std::vector<std::int8_t> signs;
    std::vector<double> used_weights;
    for (std::size_t i = 0; i < n; ++i) {
      const std::int8_t sign = sign_of(code, static_cast<std::size_t>(classes[i]), f);
      if (sign == 0) continue;
      scores.push_back(score_of(code, held_out_values.row(i), f));
      signs.push_back(sign);
      if (!weights.empty()) used_weights.push_back(weights[i]);
    }
    calibration.curves.push_back(fit_curve(kind, scores, signs, used_weights));
  }
  return calibration;
}

DenseMatrix class_probabilities(const Calibration& calibration,
                                const OutputCode& code,
                                DenseView values,
                                std::optional<std::size_t> threads) {
  check_values(code, values);
  calibration.validate(code);
  DenseMatrix answer = DenseMatrix::uninitialized(values.rows, code.classes);
  constexpr std::size_t chunk = 128;
  parallel_chunks(thread_count(threads),
                  values.rows,
                  chunk,
                  [&](std::size_t, std::size_t begin, std::size_t end) {
                    std::vector<double> p(code.functions);
                    for (std::size_t i = begin; i < end; ++i) {
                      for (std::size_t f = 0; f < code.functions; ++f) {
                        p[f] = probability(calibration.curves[f], score_of(code, values.row(i), f));
                      }
                      write_row(code, p, answer.row(i));
                    }
                  });
  return answer;
}

}  // namespace maxmargin
