// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hmm.md, "Known states"
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/structured/hmm.hpp"
#include "structured/hmm_fit.hpp"
#include "structured/hmm_tables.hpp"

namespace maxmargin {

namespace {

/// One state, or unknown_state, for every symbol.
void require_pairs(std::span<const SymbolSequence> symbols,
                   std::span<const LabelSequence> states,
                   std::size_t k) {
  require(symbols.size() == states.size(),
          "there must be one sequence of states for every one of symbols");
  std::vector<std::size_t> lengths;
  for (const SymbolSequence& each : symbols) lengths.push_back(each.size());
  require_known(states, lengths, k);
}

}  // namespace

void HmmCountOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "states", .help = "states that can occur", .fallback = "those of the data"},
              states,
              {.least = 1});
  visit.whole(
      {.name = "symbols", .help = "symbols that can occur", .fallback = "those of the data"},
      symbols,
      {.least = 1});
  visit.number({.name = "smoothing", .help = "added to every count; larger is nearer to uniform"},
               smoothing,
               rules::not_negative);
  visit.yes_no({.name = "with-end", .help = "let the model say where sequences end"}, with_end);
}

Hmm estimate_hmm(std::span<const SymbolSequence> symbols,
                 std::span<const LabelSequence> states,
                 const HmmCountOptions& options) {
  validate(options);
  const std::size_t k = hmm_states_in(states, options.states);
  const std::size_t v = hmm_symbols_in(symbols, options.symbols);
  // Counts, the uniform model with its counts, and the answer.
  require_hmm_room(4, k, v, options.context.memory_limit);
  require_pairs(symbols, states, k);
  HmmChain chain = chain_of_counts(count_known(states, k, options.with_end),
                                   options.smoothing,
                                   uniform_chain(k, options.with_end));
  return hmm_of_parts(std::move(chain),
                      counted_hmm_emissions(symbols, states, k, v, options.smoothing));
}

double hmm_log_prior(const Hmm& model, double smoothing) {
  if (smoothing == 0) return 0;
  double logs = 0;
  for (const std::span<const double> table : {std::span<const double>(model.start),
                                              model.transitions.values(),
                                              model.emissions.values(),
                                              std::span<const double>(model.end)}) {
    for (const double x : table) logs += std::log(x);
  }
  return smoothing * logs;
}

double hmm_count_objective(const Hmm& model,
                           std::span<const SymbolSequence> symbols,
                           std::span<const LabelSequence> states,
                           double smoothing) {
  model.require_sizes();
  require_pairs(symbols, states, model.states());
  // A symbol beyond the model's has no count to have a share in.
  (void)hmm_symbols_in(symbols, model.symbols());
  double sum = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const LabelSequence& y = states[i];
    for (std::size_t t = 0; t < y.size(); ++t) {
      if (y[t] == unknown_state) continue;
      sum += std::log(model.emissions(y[t], symbols[i][t]));
      if (t == 0) sum += std::log(model.start[y[t]]);
      if (t > 0 && y[t - 1] != unknown_state) sum += std::log(model.transitions(y[t - 1], y[t]));
      if (t + 1 == y.size() && !model.end.empty()) sum += std::log(model.end[y[t]]);
    }
  }
  return sum + hmm_log_prior(model, smoothing);
}

double hmm_count_bound(std::span<const SymbolSequence> symbols,
                       std::span<const LabelSequence> states,
                       const HmmCountOptions& options) {
  validate(options);
  const std::size_t k = hmm_states_in(states, options.states);
  const std::size_t v = hmm_symbols_in(symbols, options.symbols);
  require_pairs(symbols, states, k);
  const HmmChain chain = count_known(states, k, options.with_end);
  const DenseMatrix emissions = hmm_emission_counts(symbols, states, k, v);
  double bound = 0;
  const auto add = [&](std::vector<double> counts) {
    for (double& n : counts) n += options.smoothing;
    const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
    for (const double n : counts) {
      if (n > 0) bound += n * std::log(n / all);
    }
  };
  add(chain.start);
  for (std::size_t i = 0; i < k; ++i) {
    const auto row = chain.transitions.row(i);
    std::vector<double> next(row.begin(), row.end());
    if (options.with_end) next.push_back(chain.end[i]);
    add(std::move(next));
    add({emissions.row(i).begin(), emissions.row(i).end()});
  }
  return bound;
}

}  // namespace maxmargin
