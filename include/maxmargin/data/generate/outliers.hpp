// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/dataset.hpp"

/// Classes with outliers, and which rows these are. Rows are in an order drawn with the seed;
/// labels are 1, 2, ...
namespace maxmargin {

struct DataWithOutliers {
  Dataset data = {};
  /// Rows that are outliers, in increasing order.
  std::vector<std::size_t> outliers = {};
};

/// Directions in classes, with a few points moved away from the sphere.
struct MAXMARGIN_EXPORT SphereOptions {
  /// Number of rows, outliers included, >= classes.
  std::size_t n = 40;
  /// >= 1.
  std::size_t classes = 2;
  /// Number of features, >= 2.
  std::size_t d = 2;
  /// Deviation of the points around their class's direction before they are put on the sphere, > 0.
  double spread = 0.3;
  /// How many points are moved outwards, taken from the classes in turn; <= n.
  std::size_t outliers = 1;
  /// Distance of the outliers from the origin, >= 1.
  double radius = 10;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Class c is spread around the direction at angle pi/2 + 2 pi c / classes in the first two
/// features (two classes: -e1 and e1); every point is divided by its norm, and the outliers are
/// multiplied by `radius` after that. Classes have equal sizes up to one.
[[nodiscard]] MAXMARGIN_EXPORT DataWithOutliers generate_sphere(const SphereOptions& options = {});

/// Two long Gaussian classes with points of random label on a ring far out.
struct MAXMARGIN_EXPORT RingOutliersOptions {
  /// Number of rows, outliers included, >= outliers + 2.
  std::size_t n = 50;
  /// Rows on the ring. With 0 this is the clean test set.
  std::size_t outliers = 10;
  /// Inner radius of the ring, >= 0.
  double radius = 15;
  /// Outer minus inner radius, >= 0.
  double width = 1;
  std::uint64_t seed = 0;

  void describe(OptionVisitor& visit);
};

/// Class 1 is N((-3, 3), S), class 2 is N((3, -3), S) with S = [[20, 16], [16, 20]], half of the
/// clean rows each (class 1 gets the odd one). Ring points have a uniform angle, a uniform radius
/// and either label with probability 1/2. Without outliers the best rule is class 2 where x1 > x2,
/// with error Phi(-sqrt(18)/2) = 1.69 %.
[[nodiscard]] MAXMARGIN_EXPORT DataWithOutliers
generate_ring_outliers(const RingOutliersOptions& options = {});

}  // namespace maxmargin
