// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/generators.hpp"

#include "data/generate/point_cloud.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin {

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
