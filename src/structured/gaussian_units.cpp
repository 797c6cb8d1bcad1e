// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hmm.md, "Vectors"
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"
#include "structured/hmm_vectors.hpp"

namespace maxmargin {

double FeatureUnits::log_volume() const {
  double sum = 0;
  for (const double each : unit) sum += std::log(each);
  return sum;
}

namespace {

/// Variances in the units of the data, from the floor to that of one state on the farthest of all
/// positions, must be doubles that have all their digits.
void require_variances(double unit, double variance_floor, double positions, std::size_t feature) {
  const double square = unit * unit;
  require(square * variance_floor >= std::numeric_limits<double>::min() &&
              std::isfinite(square * positions),
          "feature " + std::to_string(feature + 1) +
              ": its values are too close together or too large for their variance (deviation " +
              format_number(unit) + "); give it in other units");
}

}  // namespace

FeatureUnits units_of(std::span<const VectorSequence> vectors, double variance_floor) {
  std::size_t positions = 0;
  std::size_t d = 0;
  for (const VectorSequence& each : vectors) {
    if (each.rows() > 0 && positions == 0) d = each.cols();
    require(each.rows() == 0 || each.cols() == d, "all vectors must have the same features");
    positions += each.rows();
    for (const double x : each.values()) {
      require_field(std::isfinite(x), "a feature", x, "a finite number");
    }
  }
  require(positions > 0 && d > 0, "there must be a position with a feature");
  FeatureUnits units{.zero = std::vector<double>(d), .unit = std::vector<double>(d)};
  const auto n = static_cast<double>(positions);
  for (std::size_t r = 0; r < d; ++r) {
    const auto over = [&](const auto& visit) {
      for (const VectorSequence& each : vectors) {
        for (std::size_t t = 0; t < each.rows(); ++t) visit(each(t, r));
      }
    };
    double low = 0;
    double high = 0;
    bool is_first = true;
    over([&](double x) {
      low = is_first ? x : std::min(low, x);
      high = is_first ? x : std::max(high, x);
      is_first = false;
    });
    if (low == high) {
      units.zero[r] = low;
      units.unit[r] = low == 0 ? 1 : std::abs(low);
      units.constant.push_back(r);
      require_variances(units.unit[r], variance_floor, n, r);
      continue;
    }
    // In units of a power of 2 near the largest value, so that no square is lost.
    const int exponent = std::ilogb(std::max(std::abs(low), std::abs(high)));
    double sum = 0;
    over([&](double x) { sum += std::scalbn(x, -exponent); });
    const double mean = sum / n;
    double squares = 0;
    over([&](double x) {
      const double difference = std::scalbn(x, -exponent) - mean;
      squares += difference * difference;
    });
    units.zero[r] = std::scalbn(mean, exponent);
    units.unit[r] = std::scalbn(std::sqrt(squares / n), exponent);
    require_variances(units.unit[r], variance_floor, n, r);
  }
  return units;
}

FeatureUnits units_of(const GaussianHmm& model) {
  const std::size_t d = model.features();
  FeatureUnits units{.zero = std::vector<double>(d), .unit = std::vector<double>(d)};
  for (std::size_t r = 0; r < d; ++r) {
    units.zero[r] = model.means(0, r);
    const double variance =
        model.covariance == HmmCovariance::full ? model.covariances(r, r) : model.covariances(0, r);
    units.unit[r] = std::sqrt(variance);
  }
  return units;
}

}  // namespace maxmargin
