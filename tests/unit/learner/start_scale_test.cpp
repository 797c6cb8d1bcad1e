// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/start_scale.hpp"

#include <gtest/gtest.h>

#include <array>

#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {
namespace {

constexpr std::size_t features = 3;
using Rows = std::array<std::array<double, features>, 4>;

DenseMatrix matrix_of(const Rows& rows) {
  DenseMatrix matrix(rows.size(), features);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < features; ++j) matrix(i, j) = rows[i][j];
  }
  return matrix;
}

std::optional<Scaler> scaler_of(const Rows& rows, const char* text) {
  const ScalingOptions options = parse_scaling(text);
  if (options.kind == ScalingKind::none) return std::nullopt;
  return fit_scaler(Examples(matrix_of(rows)), options);
}

double value(std::span<const double> weights, const std::optional<Scaler>& scaler, const auto& x) {
  double sum = 0;
  for (std::size_t j = 0; j < features; ++j) {
    sum += weights[j] * (scaler ? scaler->scaled(j, x[j]) : x[j]);
  }
  return sum;
}

// The last feature is constant where the function goes, and another one where it comes from.
constexpr Rows theirs = {{{1, 2, 3}, {-1, 2, 9}, {4, 2, 5}, {0, 2, 4}}};
constexpr Rows own = {{{100, 2, 7}, {300, 2, 7}, {-50, 2, 7}, {20, 2, 7}}};
constexpr std::array<double, features> weights = {0.75, -2, 1.5};

TEST(StartScale, TheFunctionIsTheSameInEveryScaling) {
  for (const char* const from : {"none", "standard", "range", "range:0,1"}) {
    for (const char* const to : {"none", "standard", "range", "range:0,1"}) {
      SCOPED_TRACE(std::string(from) + " to " + to);
      const std::optional<Scaler> before = scaler_of(theirs, from);
      const std::optional<Scaler> here = scaler_of(own, to);
      const learning::ScaledFunction function = learning::rescaled(weights, before, here);
      for (const auto& x : own) {
        EXPECT_NEAR(
            value(function.weights, here, x) + function.constant, value(weights, before, x), 1e-11);
      }
    }
  }
}

TEST(StartScale, TheSameScalingKeepsTheBits) {
  for (const char* const scaling : {"none", "standard", "range:0,1"}) {
    const std::optional<Scaler> both =
        scaler_of({{{1, 2, 3}, {-1, 5, 9}, {4, 7, 5}, {0, 1, 4}}}, scaling);
    const learning::ScaledFunction function = learning::rescaled(weights, both, both);
    EXPECT_EQ(function.weights, std::vector<double>(weights.begin(), weights.end()));
    EXPECT_EQ(function.constant, 0);
  }
}

}  // namespace
}  // namespace maxmargin
