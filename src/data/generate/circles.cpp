// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/generate/circles.hpp"

#include <cmath>
#include <numbers>

#include "data/generate/point_cloud.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

struct Ring {
  PlanePoint centre = {};
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

void CirclesOptions::validate() const {
  check_row_count("CirclesOptions", n, 2);
  check_positive("CirclesOptions.inner", inner);
  require_field(outer >= inner && std::isfinite(outer),
                "CirclesOptions.outer",
                outer,
                "finite and >= inner = " + format_number(inner));
  require_field(std::isfinite(shift), "CirclesOptions.shift", shift, "finite");
  check_not_negative("CirclesOptions.noise", noise);
}

Dataset generate_circles(const CirclesOptions& options) {
  options.validate();
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

void JoinedCirclesOptions::validate() const {
  require_field(circles >= 1, "JoinedCirclesOptions.circles", "0", ">= 1");
  check_row_count("JoinedCirclesOptions", n, circles);
  check_positive("JoinedCirclesOptions.radius", radius);
  check_not_negative("JoinedCirclesOptions.distance", distance);
  check_not_negative("JoinedCirclesOptions.noise", noise);
}

Dataset generate_joined_circles(const JoinedCirclesOptions& options) {
  options.validate();
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

void CircleAndBallsOptions::validate() const {
  check_row_count("CircleAndBallsOptions", n, 3);
  check_positive("CircleAndBallsOptions.radius", radius);
  check_not_negative("CircleAndBallsOptions.distance", distance);
  check_not_negative("CircleAndBallsOptions.ball", ball);
  check_not_negative("CircleAndBallsOptions.noise", noise);
}

Dataset generate_circle_and_balls(const CircleAndBallsOptions& options) {
  options.validate();
  Rng rng(options.seed, "circle and balls");
  PointCloud cloud(2, options.n);
  add_ring(cloud, {.radius = options.radius}, share_of_class(options.n, 3, 0), 0, rng);
  cloud.jitter(options.noise, rng);
  for (const std::size_t c : {1u, 2u}) {
    const PlanePoint centre = polygon_corner(2, c - 1, options.distance);
    for (std::size_t i = 0; i < share_of_class(options.n, 3, c); ++i) {
      const double x = rng.normal(centre.x, options.ball);
      const double y = rng.normal(centre.y, options.ball);
      cloud.add(x, y, c);
    }
  }
  return cloud.shuffled(rng, "builtin:circle-and-balls");
}

}  // namespace maxmargin
