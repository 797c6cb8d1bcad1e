// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/sdp/solution.hpp"

#include <variant>

#include "maxmargin/core/options.hpp"
#include "solver/sdp/admm.hpp"
#include "solver/sdp/interior_point.hpp"
#include "solver/sdp/low_rank.hpp"

namespace maxmargin {

namespace {

using MethodOptions = std::variant<SdpInteriorPointOptions, SdpAdmmOptions, SdpLowRankOptions>;

/// The options of the method alone, with what the choice says of them.
MethodOptions options_of(const SdpChoice& choice) {
  MethodOptions chosen = SdpInteriorPointOptions{};
  if (choice.method == SdpMethod::admm) chosen = SdpAdmmOptions{};
  if (choice.method == SdpMethod::low_rank) {
    chosen = SdpLowRankOptions{.context = {.seed = choice.seed.value_or(0)}};
  }
  std::visit(
      [&](auto& own) {
        own.tolerance = choice.tolerance.value_or(own.tolerance);
        own.max_iterations = choice.max_iterations.value_or(own.max_iterations);
      },
      chosen);
  return chosen;
}

SdpSolution run(const SdpProblem& problem, const SdpInteriorPointOptions& options) {
  return solve_sdp_interior_point(problem, options);
}
SdpSolution run(const SdpProblem& problem, const SdpAdmmOptions& options) {
  return solve_sdp_admm(problem, options);
}
SdpSolution run(const SdpProblem& problem, const SdpLowRankOptions& options) {
  return solve_sdp_low_rank(problem, options);
}

}  // namespace

void SdpChoice::describe(OptionVisitor& visit) {
  visit.name({.name = "method", .help = "how it is solved"}, method);
  visit.number({.name = "tolerance",
                .help = "relative gap and infeasibility at which it stops",
                .value = "GAP",
                .fallback = "1e-8, least 1e-12; admm 1e-6, 1e-10; low-rank 1e-6, 1e-9"},
               tolerance,
               rules::positive);
  visit.whole({.name = "max-iterations",
               .help = "upper limit on the iterations",
               .fallback = "by the method"},
              max_iterations,
              {.least = 1});
  visit.whole({.name = "seed", .help = "seed of the first point of low-rank", .fallback = "0"},
              seed);
  visit.rule(!seed || method == SdpMethod::low_rank, "--seed belongs to --method low-rank");
  // The method's own limits.
  visit.check([this] { std::visit([](const auto& own) { validate(own); }, options_of(*this)); });
}

SdpChoice SdpChoice::resolved() const {
  SdpChoice chosen = *this;
  chosen.tolerance = std::visit([](const auto& own) { return own.tolerance; }, options_of(*this));
  if (method == SdpMethod::low_rank) chosen.seed = seed.value_or(0);
  return chosen;
}

SdpSolution solve_sdp(const SdpProblem& problem, const SdpChoice& choice, const Context& context) {
  validate(choice);
  return std::visit(
      [&](auto own) {
        own.context = context.with_seed(own.context.seed);
        return run(problem, own);
      },
      options_of(choice));
}

}  // namespace maxmargin
