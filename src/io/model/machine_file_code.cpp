// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <utility>

#include "io/model/machine_file_parts.hpp"

/// Output codes and calibrations in model files.
namespace maxmargin {

namespace {

void demand_curve(const ModelDocument& document, const IsotonicCurve& curve) {
  constexpr std::string_view name = "calibration.points";
  const auto& scores = curve.scores;
  demand(std::ranges::adjacent_find(scores, std::greater_equal<>()) == scores.end(),
         document,
         name,
         "must have increasing scores");
  demand(std::ranges::is_sorted(curve.probabilities),
         document,
         name,
         "must have probabilities that do not decrease");
  demand(curve.probabilities.front() >= 0 && curve.probabilities.back() <= 1,
         document,
         name,
         "must have probabilities between 0 and 1");
}

}  // namespace

void store_code(ModelDocument& document, const OutputCode& code) {
  document.set_string("code.kind", std::string(to_string(code.kind)));
  document.set_string("code.decoding", std::string(to_string(code.decoding)));
  DenseMatrix signs(code.classes, code.functions);
  std::ranges::copy(code.signs, signs.values().begin());
  store_matrix(document, "code.signs", std::move(signs));
}

OutputCode load_code(ModelDocument& document, std::size_t classes, std::size_t functions) {
  OutputCode code{.classes = classes, .functions = functions};
  checked_by_library(document, "code.kind", [&] {
    code.kind = parse_name<MulticlassKind>(document.string("code.kind"), "multi-class method");
  });
  checked_by_library(document, "code.decoding", [&] {
    code.decoding = parse_name<Decoding>(document.string("code.decoding"), "decoding");
  });
  const DenseMatrix signs = load_matrix(document, "code.signs", classes, functions);
  code.signs.reserve(signs.values().size());
  for (const double sign : signs.values()) {
    demand(sign == -1 || sign == 0 || sign == 1, document, "code.signs", "must hold -1, 0 and 1");
    code.signs.push_back(static_cast<std::int8_t>(sign));
  }
  checked_by_library(document, "code.signs", [&] { code.validate(); });
  return code;
}

void store_calibration(ModelDocument& document, const Calibration& calibration) {
  document.set_string("calibration.kind", std::string(to_string(calibration.kind)));
  if (calibration.kind == CalibrationKind::platt) {
    DenseMatrix curves(calibration.curves.size(), 2);
    for (std::size_t f = 0; f < curves.rows(); ++f) {
      const auto& curve = std::get<PlattCurve>(calibration.curves[f]);
      curves(f, 0) = curve.slope;
      curves(f, 1) = curve.intercept;
    }
    document.set_dense("calibration.curves", std::move(curves));
    return;
  }
  // All curves below each other; the counts tell where one ends.
  std::vector<double> counts;
  Buffer<double> points;
  for (const CalibrationCurve& any : calibration.curves) {
    const auto& curve = std::get<IsotonicCurve>(any);
    counts.push_back(static_cast<double>(curve.scores.size()));
    for (std::size_t i = 0; i < curve.scores.size(); ++i) {
      points.push_back(curve.scores[i]);
      points.push_back(curve.probabilities[i]);
    }
  }
  const std::size_t rows = points.size() / 2;
  document.set_numbers("calibration.counts", std::move(counts));
  document.set_dense("calibration.points", DenseMatrix(rows, 2, std::move(points)));
}

Calibration load_calibration(ModelDocument& document, std::size_t functions) {
  Calibration calibration;
  checked_by_library(document, "calibration.kind", [&] {
    calibration.kind =
        parse_name<CalibrationKind>(document.string("calibration.kind"), "calibration");
  });
  if (calibration.kind == CalibrationKind::platt) {
    const DenseMatrix curves = load_matrix(document, "calibration.curves", functions, 2);
    for (std::size_t f = 0; f < functions; ++f) {
      calibration.curves.emplace_back(PlattCurve{curves(f, 0), curves(f, 1)});
    }
    return calibration;
  }
  const std::vector<double>& counts = document.numbers("calibration.counts");
  demand(counts.size() == functions,
         document,
         "calibration.counts",
         "must have one number for each function");
  const DenseMatrix& points = document.dense("calibration.points");
  demand(points.cols() == 2, document, "calibration.points", "must have two columns");
  demand_finite(document, "calibration.points", points.values());
  std::size_t next = 0;
  for (const double count : counts) {
    demand(is_whole(count) && count >= 1 && count <= static_cast<double>(points.rows() - next),
           document,
           "calibration.counts",
           "must be whole numbers from 1 that add up to the rows of calibration.points");
    IsotonicCurve curve;
    for (const std::size_t end = next + static_cast<std::size_t>(count); next < end; ++next) {
      curve.scores.push_back(points(next, 0));
      curve.probabilities.push_back(points(next, 1));
    }
    demand_curve(document, curve);
    calibration.curves.emplace_back(std::move(curve));
  }
  demand(next == points.rows(),
         document,
         "calibration.counts",
         "must add up to the rows of calibration.points");
  return calibration;
}

}  // namespace maxmargin
