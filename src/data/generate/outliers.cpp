// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/generators.hpp"

#include <cmath>
#include <numbers>

#include "data/generate/point_cloud.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin {

namespace {

/// The cloud in random order; is_outlier[p] says whether its point number p is an outlier.
DataWithOutliers shuffled_with_outliers(const PointCloud& cloud,
                                        const std::vector<bool>& is_outlier,
                                        Rng& rng,
                                        std::string source) {
  const std::vector<std::size_t> order = rng.permutation(cloud.size());
  DataWithOutliers result = {.data = cloud.in_order(order, std::move(source))};
  for (std::size_t row = 0; row < order.size(); ++row) {
    if (is_outlier[order[row]]) result.outliers.push_back(row);
  }
  return result;
}

/// Draws a point of the unit sphere around the direction `centre` of the first two features.
void draw_direction(const CloudPoint& centre, double spread, Rng& rng, std::span<double> point) {
  double norm = 0;
  while (!(norm > 0)) {
    for (double& coordinate : point) coordinate = spread * rng.normal();
    point[0] += centre.x;
    point[1] += centre.y;
    norm = 0;
    for (const double coordinate : point) norm = std::hypot(norm, coordinate);
  }
  for (double& coordinate : point) coordinate /= norm;
}

}  // namespace

void SphereOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "n", .help = "rows, outliers included"}, n, {.least = 1});
  visit.whole({.name = "classes", .help = "classes"}, classes, {.least = 1});
  visit.whole({.name = "d", .help = "features"}, d, {.least = 2});
  visit.number({.name = "spread", .help = "deviation around the class's direction"},
               spread,
               rules::positive);
  visit.whole({.name = "outliers", .help = "points moved outwards"}, outliers);
  visit.number({.name = "radius", .help = "the outliers' distance from the origin"},
               radius,
               NumberRule{"a finite number >= 1", {.least = 1, .has_least = true}});
  visit.whole({.name = "seed", .help = "which random draw"}, seed);
  rule_of_rows(visit, n, classes);
  visit.rule(
      outliers <= n,
      "outliers = " + std::to_string(outliers) + ", must be at most n = " + std::to_string(n));
}

DataWithOutliers generate_sphere(const SphereOptions& options) {
  validate(options);
  Rng rng(options.seed, "sphere");
  PointCloud cloud(options.d, options.n);
  std::vector<bool> is_outlier;
  std::vector<double> point(options.d);
  // The polygon's corners lie on the unit circle when its side is that of the unit polygon.
  const double side = 2 * std::sin(std::numbers::pi / static_cast<double>(options.classes));
  for (std::size_t c = 0; c < options.classes; ++c) {
    const CloudPoint centre =
        options.classes == 1 ? CloudPoint{.x = 1} : polygon_corner(options.classes, c, side);
    const std::size_t moved = share_of_class(options.outliers, options.classes, c);
    for (std::size_t i = 0; i < share_of_class(options.n, options.classes, c); ++i) {
      draw_direction(centre, options.spread, rng, point);
      is_outlier.push_back(i < moved);
      if (i < moved) {
        for (double& coordinate : point) coordinate *= options.radius;
      }
      cloud.add(point, c);
    }
  }
  return shuffled_with_outliers(cloud, is_outlier, rng, "builtin:sphere");
}

void RingOutliersOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "n", .help = "rows, outliers included"}, n, {.least = 2});
  visit.whole({.name = "outliers", .help = "points on the ring"}, outliers);
  visit.number({.name = "radius", .help = "inner radius of the ring"}, radius, rules::not_negative);
  visit.number({.name = "width", .help = "width of the ring"}, width, rules::not_negative);
  visit.whole({.name = "seed", .help = "which random draw"}, seed);
  visit.rule(n < 2 || outliers <= n - 2,
             "n = " + std::to_string(n) +
                 ", must be at least outliers + 2, with outliers = " + std::to_string(outliers));
}

DataWithOutliers generate_ring_outliers(const RingOutliersOptions& options) {
  validate(options);
  Rng rng(options.seed, "ring outliers");
  PointCloud cloud(2, options.n);
  const std::size_t clean = options.n - options.outliers;
  for (const std::size_t c : {0u, 1u}) {
    const double mean = c == 0 ? -3 : 3;
    for (std::size_t i = 0; i < share_of_class(clean, 2, c); ++i) {
      // The covariance has variance 36 along (1, 1) and 4 along (1, -1).
      const double along = 6 * rng.normal() / std::numbers::sqrt2;
      const double across = 2 * rng.normal() / std::numbers::sqrt2;
      cloud.add(mean + along + across, -mean + along - across, c);
    }
  }
  for (std::size_t i = 0; i < options.outliers; ++i) {
    const double angle = rng.uniform(0, 2 * std::numbers::pi);
    const double radius = rng.uniform(options.radius, options.radius + options.width);
    const std::size_t c = rng.bernoulli(0.5) ? 1 : 0;
    cloud.add(radius * std::cos(angle), radius * std::sin(angle), c);
  }
  std::vector<bool> is_outlier(clean, false);
  is_outlier.resize(options.n, true);
  return shuffled_with_outliers(cloud, is_outlier, rng, "builtin:ring-outliers");
}

}  // namespace maxmargin
