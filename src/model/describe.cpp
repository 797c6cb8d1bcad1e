// SPDX-License-Identifier: Apache-2.0
#include "model/describe.hpp"

#include <string>

namespace maxmargin {

void describe_cost(OptionVisitor& visit, double& c, const NumberRule& rule) {
  visit.number({.name = "C",
                .help = "weight of the losses; larger fits the training rows closer",
                .alias = "c"},
               c,
               rule);
}

void describe_bias(OptionVisitor& visit, bool& bias) {
  visit.switched_off({.name = "no-bias", .help = "a machine through the origin"}, bias);
}

void describe_bias(OptionVisitor& visit, KernelBias& bias) {
  visit.name({.name = "bias",
              .help = "in place of a bias: center the kernel, add a constant feature, or none"},
             bias);
}

void describe_one_class(OptionVisitor& visit, bool& allow_one_class) {
  visit.yes_no({.name = "allow-one-class", .help = "train though all labels are the same"},
               allow_one_class);
}

void describe_semidefinite_kernel(OptionVisitor& visit,
                                  KernelChoice& kernel,
                                  std::string_view others) {
  kernel.describe(visit);
  visit.rule(!kernel.is_indefinite(),
             "--kernel " + kernel.indefinite_text() + ", the relaxation needs a kernel that is; " +
                 std::string(others) + " take it with --allow-indefinite");
}

void describe_descent(OptionVisitor& visit,
                      std::optional<std::size_t>& restarts,
                      std::size_t& max_rounds) {
  visit.whole({.name = "restarts",
               .help = "descents, all but one from random halves; the best is kept",
               .fallback = "10 up to 1000 rows, else 1"},
              restarts,
              {.least = 1});
  describe_rounds(visit, max_rounds);
}

void describe_roundings(OptionVisitor& visit, std::size_t& restarts) {
  visit.whole(
      {.name = "restarts", .help = "random roundings of the relaxation; the best answer is kept"},
      restarts,
      {.least = 1});
}

void describe_rounds(OptionVisitor& visit, std::size_t& max_rounds) {
  visit.whole({.name = "max-rounds", .help = "upper limit on the convex problems of one descent"},
              max_rounds,
              {.least = 1});
}

}  // namespace maxmargin
