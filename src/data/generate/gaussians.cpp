// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/generators.hpp"

#include "data/generate/point_cloud.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin {

namespace {

CloudPoint mean_of_class(const GaussiansOptions& options, std::size_t c) {
  if (options.d > 1) return polygon_corner(options.k, c, options.separation);
  const double middle = static_cast<double>(options.k - 1) / 2;
  return {.x = (static_cast<double>(c) - middle) * options.separation};
}

}  // namespace

void GaussiansOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "n", .help = "rows"}, n, {.least = 1});
  visit.whole({.name = "k", .help = "classes"}, k, {.least = 1});
  visit.whole({.name = "d", .help = "features"}, d, {.least = 1});
  visit.number({.name = "separation", .help = "between the means of neighbours"},
               separation,
               rules::not_negative);
  visit.whole({.name = "seed", .help = "which random draw"}, seed);
  rule_of_rows(visit, n, k);
}

Dataset generate_gaussians(const GaussiansOptions& options) {
  validate(options);
  Rng rng(options.seed, "gaussians");
  PointCloud cloud(options.d, options.n);
  std::vector<double> point(options.d);
  for (std::size_t c = 0; c < options.k; ++c) {
    const CloudPoint mean = mean_of_class(options, c);
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
