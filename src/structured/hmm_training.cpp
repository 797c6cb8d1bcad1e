// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hmm.md
#include "maxmargin/structured/hmm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "structured/hmm_emissions.hpp"
#include "structured/hmm_expectation.hpp"
#include "structured/hmm_fit.hpp"
#include "structured/hmm_shares.hpp"
#include "structured/hmm_tables.hpp"

namespace maxmargin {

namespace {

/// What is added to the counts of known states where a run begins with them: nothing is forbidden.
constexpr double known_smoothing = 1;

DenseMatrix drawn_emissions(std::size_t k, std::size_t v, Rng& rng) {
  DenseMatrix shares(k, v);
  for (double& x : shares.values()) x = rng.exponential();
  for (std::size_t i = 0; i < k; ++i) {
    const std::vector<double> row(shares.row(i).begin(), shares.row(i).end());
    to_shares(row, nullptr, 0, shares.row(i), nullptr);
  }
  return shares;
}

std::vector<double> values_of(const DenseMatrix& matrix) {
  return {matrix.values().begin(), matrix.values().end()};
}

}  // namespace

void BaumWelchOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "states", .help = "hidden states; more fit the sequences closer"},
              states,
              {.least = 1});
  visit.whole(
      {.name = "symbols", .help = "symbols that can occur", .fallback = "those of the data"},
      symbols);
  visit.yes_no({.name = "with-end", .help = "let the model say where sequences end"}, with_end);
  visit.whole({.name = "restarts", .help = "runs from random models, of which the best is kept"},
              restarts,
              {.least = 1});
  visit.whole({.name = "max-iterations", .help = "steps of each run at most"},
              max_iterations,
              {.least = 1});
  visit.number({.name = "tolerance", .help = "relative gain of the objective at which a run ends"},
               tolerance,
               rules::not_negative);
  visit.number(
      {.name = "smoothing", .help = "added to every expected count; larger is nearer to uniform"},
      smoothing,
      rules::not_negative);
  visit.check([this] {
    if (start) start->validate();
  });
}

BaumWelchResult train_baum_welch(std::span<const SymbolSequence> symbols,
                                 const BaumWelchOptions& options) {
  validate(options);
  const std::size_t v = hmm_symbols_in(
      symbols, options.start ? std::optional(options.start->symbols()) : options.symbols);
  const std::size_t k = options.start ? options.start->states() : options.states;
  const bool with_end = options.start ? !options.start->end.empty() : options.with_end;
  // Those of the expected counts, their sum and their start, the logs, three models and the best.
  require_hmm_room(HmmExpectation::most_parts + 7, k, v, options.context.memory_limit);
  std::vector<std::size_t> lengths;
  for (const SymbolSequence& each : symbols) lengths.push_back(each.size());
  require_known(options.known, lengths, k);
  if (options.start) {
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      require(log_likelihood(*options.start, symbols[i]) > -std::numeric_limits<double>::infinity(),
              "the start forbids sequence " + std::to_string(i + 1));
    }
  }
  const bool begins_with_counts = has_known(options.known);
  const auto start_of_run = [&](std::size_t r) -> HmmStart {
    if (options.start) {
      const Hmm& given = *options.start;
      return {.chain = {.start = given.start, .transitions = given.transitions, .end = given.end},
              .emissions = values_of(given.emissions)};
    }
    if (r == 0 && begins_with_counts) {
      return {
          .chain = chain_of_counts(
              count_known(options.known, k, with_end), known_smoothing, uniform_chain(k, with_end)),
          .emissions =
              values_of(counted_hmm_emissions(symbols, options.known, k, v, known_smoothing))};
    }
    Rng rng(options.context.seed, "Baum-Welch", r);
    HmmChain chain = drawn_chain(k, with_end, rng);
    return {.chain = std::move(chain), .emissions = values_of(drawn_emissions(k, v, rng))};
  };
  HmmSymbols emissions(symbols, DenseMatrix(k, v));
  HmmFit fit = fit_hidden_chain(emissions,
                                start_of_run,
                                {.restarts = options.start ? 1 : options.restarts,
                                 .max_iterations = options.max_iterations,
                                 .tolerance = options.tolerance,
                                 .smoothing = options.smoothing,
                                 .known = options.known,
                                 .context = options.context});
  emissions.set_parameters(std::move(fit.emissions));
  return {.model = hmm_of_parts(std::move(fit.chain), emissions.emissions()),
          .log_likelihood = fit.log_likelihood,
          .trace = std::move(fit.trace),
          .best_restart = fit.best_restart,
          .restarts = std::move(fit.restarts),
          .report = std::move(fit.report)};
}

}  // namespace maxmargin
