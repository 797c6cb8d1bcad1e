// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/saddle.md, "Options and defaults"
#include "solver/saddle/options.hpp"

#include "maxmargin/core/options.hpp"

namespace maxmargin {

void SaddleOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "tolerance", .help = "relative gap of value and bound at which it stops"},
               tolerance,
               rules::share_inside);
  visit.whole({.name = "columns",
               .help = "columns of the factor; fewer are faster and may end in local minima"},
              columns,
              {.least = 1});
  visit.whole(
      {.name = "max-iterations", .help = "Newton steps at most"}, max_iterations, {.least = 1});
  visit.threads(context.threads);
}

void SmoothSaddleOptions::describe(OptionVisitor& visit) {
  visit.number(
      {.name = "barrier", .help = "weight of the barriers; smaller is nearer to the problem"},
      barrier,
      rules::positive);
  visit.number({.name = "penalty", .help = "weight of the squared excesses of the constraints"},
               penalty,
               rules::positive);
  visit.threads(context.threads);
}

}  // namespace maxmargin
