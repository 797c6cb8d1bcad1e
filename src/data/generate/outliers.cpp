// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/generate/outliers.hpp"

#include <cmath>
#include <numbers>

#include "data/generate/point_cloud.hpp"
#include "maxmargin/core/require.hpp"

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
void draw_direction(const PlanePoint& centre, double spread, Rng& rng, std::span<double> point) {
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

void SphereOptions::validate() const {
  require_field(classes >= 1, "SphereOptions.classes", "0", ">= 1");
  require_field(d >= 2, "SphereOptions.d", std::to_string(d), ">= 2");
  check_row_count("SphereOptions", n, classes);
  check_positive("SphereOptions.spread", spread);
  require_field(outliers <= n, "SphereOptions.outliers", std::to_string(outliers), "at most n");
  require_field(
      radius >= 1 && std::isfinite(radius), "SphereOptions.radius", radius, "finite and >= 1");
}

DataWithOutliers generate_sphere(const SphereOptions& options) {
  options.validate();
  Rng rng(options.seed, "sphere");
  PointCloud cloud(options.d, options.n);
  std::vector<bool> is_outlier;
  std::vector<double> point(options.d);
  // The polygon's corners lie on the unit circle when its side is that of the unit polygon.
  const double side = 2 * std::sin(std::numbers::pi / static_cast<double>(options.classes));
  for (std::size_t c = 0; c < options.classes; ++c) {
    const PlanePoint centre =
        options.classes == 1 ? PlanePoint{.x = 1} : polygon_corner(options.classes, c, side);
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

void RingOutliersOptions::validate() const {
  require_field(n >= 2 && outliers <= n - 2,
                "RingOutliersOptions.n",
                std::to_string(n),
                "at least outliers + 2, with outliers = " + std::to_string(outliers));
  check_not_negative("RingOutliersOptions.radius", radius);
  check_not_negative("RingOutliersOptions.width", width);
}

DataWithOutliers generate_ring_outliers(const RingOutliersOptions& options) {
  options.validate();
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
