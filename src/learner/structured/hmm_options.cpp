// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/hmm_options.hpp"

namespace maxmargin::learning {

void HmmChoice::describe(OptionVisitor& visit) {
  visit.name({.name = "solver",
              .help = "counts of known labels, or expectation and maximisation",
              .fallback = "counts where all labels are known, else baum-welch"},
             solver);
  visit.whole(
      {.name = "states", .help = "hidden states; more fit closer", .fallback = "the labels"},
      states,
      {.least = 1});
  visit.number({.name = "smoothing",
                .help = "added to every count; larger is nearer to uniform",
                .fallback = "0.1 with counts, 0 with baum-welch"},
               smoothing,
               rules::not_negative);
  visit.yes_no({.name = "with-end", .help = "let the model say where sequences end"}, with_end);
  visit.name({.name = "emissions",
              .help = "what states emit: symbols, or vectors by a normal density",
              .fallback = "discrete where positions have one feature of value 1"},
             kind);
  visit.name({.name = "covariance", .help = "shape of the covariance matrices of vectors"},
             covariance);
  // Rounding would fill in what is below.
  static constexpr NumberRule floor_rule{"a finite number >= 1e-12",
                                         {.least = 1e-12, .has_least = true}};
  visit.number({.name = "variance-floor",
                .help = "least variance of vectors, as a share of each feature's own",
                .value = "SHARE"},
               variance_floor,
               floor_rule);
  visit.whole({.name = "symbol-column", .help = "observed column of text that states emit"},
              symbol_column,
              {.least = 1});
  visit.whole({.name = "min-count",
               .help = "one symbol for all strings that occur less often, and for new ones"},
              minimum_count,
              {.least = 1});
  visit.whole({.name = "restarts", .help = "runs of baum-welch, of which the best is kept"},
              restarts,
              {.least = 1});
  visit.whole({.name = "max-iterations", .help = "steps of each run at most"},
              max_iterations,
              {.least = 1});
  visit.number({.name = "tolerance", .help = "relative gain of the objective at which a run ends"},
               tolerance,
               rules::not_negative);
}

void HmmPredictionChoice::describe(OptionVisitor& visit) {
  visit.name({.name = "decode",
              .help = "the most likely sequence of states, or the most likely state of each "
                      "position"},
             decode);
  visit.yes_no(
      {.name = "probabilities", .help = "write the probability of each state before the label"},
      probabilities);
}

}  // namespace maxmargin::learning
