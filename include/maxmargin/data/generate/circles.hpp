// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/dataset.hpp"

/// Rings and balls in the plane: classes that no straight line and no set of centres can part, but
/// a narrow radial kernel can. Rows are in an order drawn with the seed; labels are 1, 2, ...; the
/// classes have equal sizes up to one, the first ones larger.
namespace maxmargin {

/// Two rings, one around the other.
struct MAXMARGIN_EXPORT CirclesOptions {
  /// Number of rows, >= 2.
  std::size_t n = 200;
  /// Radius of class 1, > 0.
  double inner = 1;
  /// Radius of class 2, >= inner.
  double outer = 2;
  /// How far the centre of class 1 is to the right of the origin; near outer - inner the rings all
  /// but touch.
  double shift = 0;
  /// Deviation of the Gaussian noise in both coordinates, >= 0.
  double noise = 0.05;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Angles are drawn uniformly.
[[nodiscard]] MAXMARGIN_EXPORT Dataset generate_circles(const CirclesOptions& options = {});

/// Rings that cross each other: their centres are the corners of a regular polygon.
struct MAXMARGIN_EXPORT JoinedCirclesOptions {
  /// Number of rows, >= circles.
  std::size_t n = 200;
  /// Number of rings, one class each, >= 1. Two have their centres at (-distance/2, 0) and
  /// (distance/2, 0).
  std::size_t circles = 2;
  /// > 0.
  double radius = 1;
  /// Between the centres of neighbours, >= 0; below 2 radius the rings cross.
  double distance = 1.8;
  /// Deviation of the Gaussian noise in both coordinates, >= 0.
  double noise = 0.05;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Angles are drawn uniformly.
[[nodiscard]] MAXMARGIN_EXPORT Dataset
generate_joined_circles(const JoinedCirclesOptions& options = {});

/// A ring around the origin (class 1) with two Gaussian balls inside (classes 2 and 3).
struct MAXMARGIN_EXPORT CircleAndBallsOptions {
  /// Number of rows, >= 3.
  std::size_t n = 150;
  /// Of the ring, > 0.
  double radius = 3;
  /// Between the balls' centres (-distance/2, 0) and (distance/2, 0), >= 0.
  double distance = 2;
  /// Deviation of the balls, >= 0.
  double ball = 0.25;
  /// Deviation of the Gaussian noise of the ring in both coordinates, >= 0.
  double noise = 0.05;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Angles on the ring are drawn uniformly.
[[nodiscard]] MAXMARGIN_EXPORT Dataset
generate_circle_and_balls(const CircleAndBallsOptions& options = {});

}  // namespace maxmargin
