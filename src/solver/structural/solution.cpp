// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/structural/solution.hpp"

namespace maxmargin {

void StructuralOptions::describe(OptionVisitor& visit, std::string_view default_passes) {
  visit.number({.name = "C",
                .help = "weight of the losses: larger fits the training data closer",
                .value = "C",
                .alias = "c"},
               c,
               rules::positive);
  visit.number(
      {.name = "tolerance", .help = "relative duality gap at which a solve stops", .value = "GAP"},
      tolerance,
      rules::share_inside);
  visit.whole({.name = "max-iterations",
               .help = "upper limit on passes over the data",
               .fallback = default_passes},
              max_passes,
              {.least = 1});
  visit.threads(context.threads);
  visit.rule(idle_turns >= 1, "cuts must be kept for at least one turn without weight");
}

}  // namespace maxmargin
