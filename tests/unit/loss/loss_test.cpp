// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/loss/margin_loss.hpp"
#include "maxmargin/loss/residual_loss.hpp"

namespace maxmargin {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Arguments from -4 to 4 in steps of 1/16: exact in binary, and all the kinks are among them.
std::vector<double> arguments() {
  std::vector<double> points;
  for (int k = -64; k <= 64; ++k) points.push_back(k / 16.0);
  return points;
}

template <class Loss>
void expect_subgradient_inequality(const Loss& loss) {
  for (const double z : arguments()) {
    for (const double other : arguments()) {
      EXPECT_GE(loss.value(other),
                loss.value(z) + loss.subgradient(z) * (other - z) - 1e-14 * (1 + loss.value(z)))
          << "at " << z << " towards " << other;
    }
  }
}

/// Central differences with step h away from kinks; the grid above has every kink, so the points
/// between its points are smooth. Error of a smooth piece: h^2 |f'''| / 6, rounding 1e-16 f / h.
template <class Loss>
void expect_finite_differences(const Loss& loss) {
  const double h = 1e-5;
  for (const double grid : arguments()) {
    const double z = grid + 1.0 / 48;
    const double numeric = (loss.value(z + h) - loss.value(z - h)) / (2 * h);
    EXPECT_NEAR(loss.subgradient(z), numeric, 1e-9) << z;
  }
}

template <class Loss>
void expect_fenchel_young(const Loss& loss) {
  for (const double z : arguments()) {
    for (const double u : arguments()) {
      EXPECT_GE(loss.value(z) + loss.conjugate(u), z * u - 1e-13) << z << " " << u;
    }
    const double u = loss.subgradient(z);
    EXPECT_NEAR(loss.value(z) + loss.conjugate(u), z * u, 1e-13) << z;
  }
}

/// |f(a) - f(b)| <= L |a - b|, and L is reached.
template <class Loss>
void expect_lipschitz(const Loss& loss) {
  double steepest = 0;
  for (const double a : arguments()) {
    for (const double b : arguments()) {
      if (a == b) continue;
      steepest = std::max(steepest, std::abs(loss.value(a) - loss.value(b)) / std::abs(a - b));
    }
  }
  EXPECT_LE(steepest, loss.lipschitz() + 1e-13);
  EXPECT_GE(steepest, 0.95 * loss.lipschitz());
}

template <class Loss>
void expect_smooth(const Loss& loss) {
  for (const double a : arguments()) {
    for (const double b : arguments()) {
      EXPECT_LE(std::abs(loss.subgradient(a) - loss.subgradient(b)),
                loss.smoothness() * std::abs(a - b) + 1e-14);
    }
  }
}

TEST(Loss, ConvexOnesSatisfyTheSubgradientInequality) {
  expect_subgradient_inequality(Hinge{});
  expect_subgradient_inequality(SquaredHinge{});
  expect_subgradient_inequality(Logistic{});
  for (const double eta : {0.0, 0.3, 1.0}) expect_subgradient_inequality(EtaHinge{eta});
  for (const double epsilon : {0.0, 0.25, 1.0}) {
    expect_subgradient_inequality(EpsilonInsensitive{epsilon});
    expect_subgradient_inequality(SquaredEpsilonInsensitive{epsilon});
  }
}

TEST(Loss, SubgradientIsTheDerivativeOffKinks) {
  expect_finite_differences(Hinge{});
  expect_finite_differences(SquaredHinge{});
  expect_finite_differences(Logistic{});
  for (const double s : {-1.0, 0.0, 0.5}) expect_finite_differences(Ramp{s});
  expect_finite_differences(EtaHinge{0.25});
  expect_finite_differences(EpsilonInsensitive{0.25});
  expect_finite_differences(SquaredEpsilonInsensitive{0.25});
}

TEST(Loss, FenchelYoungHoldsWithEqualityAtSubgradients) {
  expect_fenchel_young(Hinge{});
  expect_fenchel_young(SquaredHinge{});
  expect_fenchel_young(Logistic{});
  for (const double eta : {0.0, 0.3, 1.0}) expect_fenchel_young(EtaHinge{eta});
  for (const double epsilon : {0.0, 0.25, 1.0}) {
    expect_fenchel_young(EpsilonInsensitive{epsilon});
    expect_fenchel_young(SquaredEpsilonInsensitive{epsilon});
  }
}

/// The conjugate by brute force over a fine grid of margins.
template <class Loss>
double conjugate_by_search(const Loss& loss, double u) {
  double best = -infinity;
  for (int k = -40000; k <= 40000; ++k) {
    const double z = k / 1000.0;
    best = std::max(best, u * z - loss.value(z));
  }
  return best;
}

TEST(Loss, ConjugateIsTheSupremumOverMargins) {
  for (const double u : {-0.875, -0.5, -0.0625}) {
    EXPECT_NEAR(Hinge{}.conjugate(u), conjugate_by_search(Hinge{}, u), 1e-12);
    EXPECT_NEAR(SquaredHinge{}.conjugate(u), conjugate_by_search(SquaredHinge{}, u), 1e-6);
    EXPECT_NEAR(Logistic{}.conjugate(u), conjugate_by_search(Logistic{}, u), 1e-6);
    EXPECT_NEAR(EtaHinge{0.9}.conjugate(u), conjugate_by_search(EtaHinge{0.9}, u), 1e-12);
    const EpsilonInsensitive tube{0.5};
    EXPECT_NEAR(tube.conjugate(u), conjugate_by_search(tube, u), 1e-12);
    EXPECT_NEAR(tube.conjugate(-u), conjugate_by_search(tube, -u), 1e-12);
    const SquaredEpsilonInsensitive square{0.5};
    EXPECT_NEAR(square.conjugate(u), conjugate_by_search(square, u), 1e-6);
  }
}

TEST(Loss, ConjugateIsInfiniteOutsideItsDomain) {
  EXPECT_EQ(Hinge{}.conjugate(0.01), infinity);
  EXPECT_EQ(Hinge{}.conjugate(-1.01), infinity);
  EXPECT_EQ(SquaredHinge{}.conjugate(0.01), infinity);
  EXPECT_EQ(Logistic{}.conjugate(0.01), infinity);
  EXPECT_EQ(Logistic{}.conjugate(-1.01), infinity);
  EXPECT_EQ(Logistic{}.conjugate(0), 0);
  EXPECT_EQ(Logistic{}.conjugate(-1), 0);
  EXPECT_EQ(EtaHinge{0.5}.conjugate(-0.51), infinity);
  EXPECT_EQ(EpsilonInsensitive{}.conjugate(1.01), infinity);
}

TEST(Loss, LipschitzAndSmoothnessConstantsAreRight) {
  expect_lipschitz(Hinge{});
  expect_lipschitz(Logistic{});
  expect_lipschitz(Ramp{-0.5});
  expect_lipschitz(EtaHinge{0.4});
  expect_lipschitz(EpsilonInsensitive{0.25});
  expect_smooth(SquaredHinge{});
  expect_smooth(Logistic{});
  expect_smooth(SquaredEpsilonInsensitive{0.25});
}

TEST(Ramp, IsTheHingeLessTheShiftedHinge) {
  for (const double s : {-2.0, -0.5, 0.0, 0.5}) {
    for (const double z : arguments()) {
      const double shifted = std::max(0.0, s - z);
      EXPECT_EQ(Ramp{s}.value(z), Hinge{}.value(z) - shifted);
      EXPECT_EQ(Ramp{s}.subgradient(z), Hinge{}.subgradient(z) - Ramp{s}.subtracted_slope(z));
    }
  }
}

// seed-xu 2.13: eta-hinge >= robust >= error, hinge >= robust, and the least eta-hinge is robust.
TEST(EtaHinge, LeastOverEtaIsTheRampWhichBoundsTheError) {
  const Ramp robust{0};
  for (const double z : arguments()) {
    EXPECT_GE(Hinge{}.value(z), robust.value(z));
    EXPECT_GE(robust.value(z), ZeroOne{}.value(z));
    double least = infinity;
    for (int k = 0; k <= 16; ++k) {
      const double value = EtaHinge{k / 16.0}.value(z);
      EXPECT_GE(value, robust.value(z));
      least = std::min(least, value);
    }
    EXPECT_EQ(least, robust.value(z));
    EXPECT_EQ(EtaHinge{EtaHinge::best_eta(z)}.value(z), robust.value(z));
  }
}

TEST(Loss, LimitsFarFromTheMargin) {
  EXPECT_EQ(Logistic{}.value(1e6), 0);
  EXPECT_EQ(Logistic{}.value(-1e6), 1e6);
  EXPECT_EQ(Logistic{}.subgradient(-1e6), -1);
  EXPECT_EQ(Logistic{}.subgradient(1e6), 0);
  EXPECT_DOUBLE_EQ(Logistic{}.value(0), std::log(2.0));
  EXPECT_DOUBLE_EQ(Logistic{}.value(40), std::exp(-40.0));  // no 1 + tiny = 1
  EXPECT_EQ(Ramp{-1}.value(-1e300), 2);
  EXPECT_EQ(Ramp{-1}.subgradient(-1e300), 0);
  EXPECT_EQ(Hinge{}.value(-1e300), 1e300);
  EXPECT_EQ(EpsilonInsensitive{0.5}.value(-1e300), 1e300);
}

TEST(Loss, RampReachesTheHingeAsItsFloorFalls) {
  for (const double z : arguments()) EXPECT_EQ(Ramp{-100}.value(z), Hinge{}.value(z));
  for (const double z : arguments()) EXPECT_EQ(EtaHinge{1}.value(z), Hinge{}.value(z));
}

TEST(Loss, KinksTakeTheFlatSideOrTheDerivativeFromTheRight) {
  EXPECT_EQ(Hinge{}.subgradient(1), 0);
  EXPECT_EQ(Ramp{}.subgradient(1), 0);
  EXPECT_EQ(Ramp{}.subgradient(0), -1);
  EXPECT_EQ(EpsilonInsensitive{0.5}.subgradient(0.5), 0);
  EXPECT_EQ(EpsilonInsensitive{0.5}.subgradient(-0.5), 0);
  EXPECT_EQ(EpsilonInsensitive{0}.subgradient(0), 0);
}

TEST(ZeroOne, SignOfZeroIsPlusOne) {
  EXPECT_EQ(ZeroOne::of_score(1, 0.0), 0);
  EXPECT_EQ(ZeroOne::of_score(-1, 0.0), 1);
  EXPECT_EQ(ZeroOne::of_score(-1, -0.0), 1);
  EXPECT_EQ(ZeroOne::of_score(-1, -1e-300), 0);
  EXPECT_EQ(ZeroOne{}.value(0), 0);
  EXPECT_EQ(ZeroOne{}.value(-1e-300), 1);
}

TEST(Loss, NanGoesInNanComesOut) {
  const double nan = std::nan("");
  EXPECT_TRUE(std::isnan(Hinge{}.value(nan)));
  EXPECT_TRUE(std::isnan(SquaredHinge{}.value(nan)));
  EXPECT_TRUE(std::isnan(Logistic{}.value(nan)));
  EXPECT_TRUE(std::isnan(EpsilonInsensitive{}.value(nan)));
  EXPECT_TRUE(std::isnan(EtaHinge{0.5}.value(nan)));
  EXPECT_TRUE(std::isnan(Ramp{}.value(nan)));
}

TEST(Loss, BadParametersAreNamed) {
  EXPECT_THROW(validate(Ramp{1}), InvalidArgument);
  EXPECT_THROW(validate(EtaHinge{1.5}), InvalidArgument);
  EXPECT_THROW(validate(EtaHinge{std::nan("")}), InvalidArgument);
  EXPECT_THROW(validate(SquaredEpsilonInsensitive{infinity}), InvalidArgument);
  try {
    validate(EpsilonInsensitive{-1});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "--epsilon -1: must be a finite number >= 0");
  }
  EXPECT_NO_THROW(validate(Ramp{-3}));
}

}  // namespace
}  // namespace maxmargin
