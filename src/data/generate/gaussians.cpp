// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/generate/gaussians.hpp"

#include "data/generate/point_cloud.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

PlanePoint mean_of_class(const GaussiansOptions& options, std::size_t c) {
  if (options.d > 1) return polygon_corner(options.k, c, options.separation);
  const double middle = static_cast<double>(options.k - 1) / 2;
  return {.x = (static_cast<double>(c) - middle) * options.separation};
}

}  // namespace

void GaussiansOptions::validate() const {
  require_field(k >= 1, "GaussiansOptions.k", "0", ">= 1");
  require_field(d >= 1, "GaussiansOptions.d", "0", ">= 1");
  check_row_count("GaussiansOptions", n, k);
  check_not_negative("GaussiansOptions.separation", separation);
}

Dataset generate_gaussians(const GaussiansOptions& options) {
  options.validate();
  Rng rng(options.seed, "gaussians");
  PointCloud cloud(options.d, options.n);
  std::vector<double> point(options.d);
  for (std::size_t c = 0; c < options.k; ++c) {
    const PlanePoint mean = mean_of_class(options, c);
    for (std::size_t i = 0; i < share_of_class(options.n, options.k, c); ++i) {
      for (double& coordinate : point) coordinate = rng.normal();
      point[0] += mean.x;
      if (options.d > 1) point[1] += mean.y;
      cloud.add(point, c);
    }
  }
  return cloud.shuffled(rng, "builtin:gaussians");
}

}  // namespace maxmargin
