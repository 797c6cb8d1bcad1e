// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/generators.hpp"

#include <cmath>
#include <numbers>

#include "data/generate/point_cloud.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin {

namespace {

struct Ring {
  CloudPoint centre = {};
  double radius = 1;
};

void add_ring(
    PointCloud& cloud, const Ring& ring, std::size_t count, std::size_t class_number, Rng& rng) {
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = rng.uniform(0, 2 * std::numbers::pi);
    cloud.add(ring.centre.x + ring.radius * std::cos(angle),
              ring.centre.y + ring.radius * std::sin(angle),
              class_number);
  }
}

}  // namespace

void CirclesOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "n", .help = "rows"}, n, {.least = 2});
  visit.number({.name = "inner", .help = "radius of class 1"}, inner, rules::positive);
  visit.number({.name = "outer", .help = "radius of class 2"}, outer, rules::positive);
  visit.number({.name = "shift", .help = "how far class 1 is to the right"}, shift, rules::finite);
  visit.number({.name = "noise", .help = "deviation of the noise"}, noise, rules::not_negative);
  visit.whole({.name = "seed", .help = "which random draw"}, seed);
  visit.rule(
      outer >= inner,
      "outer = " + format_number(outer) + ", must be at least inner = " + format_number(inner));
}

Dataset generate_circles(const CirclesOptions& options) {
  validate(options);
  Rng rng(options.seed, "circles");
  PointCloud cloud(2, options.n);
  add_ring(cloud,
           {.centre = {.x = options.shift}, .radius = options.inner},
           share_of_class(options.n, 2, 0),
           0,
           rng);
  add_ring(cloud, {.radius = options.outer}, share_of_class(options.n, 2, 1), 1, rng);
  cloud.jitter(options.noise, rng);
  return cloud.shuffled(rng, "builtin:circles");
}

void JoinedCirclesOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "n", .help = "rows"}, n, {.least = 1});
  visit.number({.name = "radius", .help = "radius of the rings"}, radius, rules::positive);
  visit.number({.name = "distance", .help = "between the centres of neighbours"},
               distance,
               rules::not_negative);
  visit.number({.name = "noise", .help = "deviation of the noise"}, noise, rules::not_negative);
  visit.whole({.name = "seed", .help = "which random draw"}, seed);
  visit.rule(circles >= 1, "circles = 0, must be at least 1");
  rule_of_rows(visit, n, circles);
}

Dataset generate_joined_circles(const JoinedCirclesOptions& options) {
  validate(options);
  Rng rng(options.seed, "joined circles");
  PointCloud cloud(2, options.n);
  for (std::size_t c = 0; c < options.circles; ++c) {
    const Ring ring = {.centre = polygon_corner(options.circles, c, options.distance),
                       .radius = options.radius};
    add_ring(cloud, ring, share_of_class(options.n, options.circles, c), c, rng);
  }
  cloud.jitter(options.noise, rng);
  return cloud.shuffled(rng, "builtin:joined-circles");
}

void CircleAndBallsOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "n", .help = "rows"}, n, {.least = 3});
  visit.number({.name = "radius", .help = "radius of the ring"}, radius, rules::positive);
  visit.number(
      {.name = "distance", .help = "between the balls' centres"}, distance, rules::not_negative);
  visit.number({.name = "ball", .help = "deviation of the balls"}, ball, rules::not_negative);
  visit.number(
      {.name = "noise", .help = "deviation of the ring's noise"}, noise, rules::not_negative);
  visit.whole({.name = "seed", .help = "which random draw"}, seed);
}

Dataset generate_circle_and_balls(const CircleAndBallsOptions& options) {
  validate(options);
  Rng rng(options.seed, "circle and balls");
  PointCloud cloud(2, options.n);
  add_ring(cloud, {.radius = options.radius}, share_of_class(options.n, 3, 0), 0, rng);
  cloud.jitter(options.noise, rng);
  for (const std::size_t c : {1u, 2u}) {
    const CloudPoint centre = polygon_corner(2, c - 1, options.distance);
    for (std::size_t i = 0; i < share_of_class(options.n, 3, c); ++i) {
      const double x = rng.normal(centre.x, options.ball);
      const double y = rng.normal(centre.y, options.ball);
      cloud.add(x, y, c);
    }
  }
  return cloud.shuffled(rng, "builtin:circle-and-balls");
}

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

void CheckersOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "n", .help = "rows"}, n, {.least = 2});
  visit.whole({.name = "cells", .help = "squares a side"}, cells, {.least = 2});
  visit.number({.name = "jitter", .help = "deviation of the noise"}, jitter, rules::not_negative);
  visit.whole({.name = "seed", .help = "which random draw"}, seed);
}

Dataset generate_checkers(const CheckersOptions& options) {
  validate(options);
  Rng rng(options.seed, "checkers");
  PointCloud cloud(2, options.n);
  for (const std::size_t colour : {0u, 1u}) {
    for (std::size_t i = 0; i < share_of_class(options.n, 2, colour); ++i) {
      // Squares of the other colour are drawn again.
      std::size_t column = 0;
      std::size_t row = 0;
      do {
        column = rng.index(options.cells);
        row = rng.index(options.cells);
      } while ((column + row) % 2 != colour);
      const double x = static_cast<double>(column) + rng.uniform();
      const double y = static_cast<double>(row) + rng.uniform();
      cloud.add(x, y, colour);
    }
  }
  cloud.jitter(options.jitter, rng);
  return cloud.shuffled(rng, "builtin:checkers");
}

}  // namespace maxmargin
