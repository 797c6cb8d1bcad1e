// SPDX-License-Identifier: Apache-2.0
#include "structured/hmm_tables.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/memory_limit.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "structured/hmm_shares.hpp"

namespace maxmargin {

void require_hmm_room(std::size_t tables,
                      std::size_t states,
                      std::size_t symbols,
                      std::optional<std::size_t> memory_limit) {
  const std::size_t numbers = checked_multiply(states, checked_add(states, symbols));
  require_within_limit(
      checked_multiply(tables * sizeof(double), numbers),
      memory_limit,
      "an HMM of " + std::to_string(states) + " states and " + std::to_string(symbols) + " symbols",
      "use fewer states, or one symbol for all that are rare");
}

namespace {

/// One more than the largest number, or what is wanted, which must not be less.
std::size_t size_of(std::span<const std::vector<std::uint32_t>> sequences,
                    std::optional<std::size_t> wanted,
                    bool may_be_unknown,
                    const char* field) {
  std::size_t least = 0;
  for (const auto& sequence : sequences) {
    for (const std::uint32_t number : sequence) {
      if (may_be_unknown && number == unknown_state) continue;
      least = std::max<std::size_t>(least, number + std::size_t{1});
    }
  }
  const std::size_t size = wanted.value_or(least);
  require_field(size >= std::max<std::size_t>(1, least),
                field,
                static_cast<double>(size),
                ">= " + std::to_string(std::max<std::size_t>(1, least)));
  return size;
}

}  // namespace

std::size_t hmm_symbols_in(std::span<const SymbolSequence> symbols,
                           std::optional<std::size_t> wanted) {
  return size_of(symbols, wanted, false, "symbols");
}

std::size_t hmm_states_in(std::span<const LabelSequence> states,
                          std::optional<std::size_t> wanted) {
  return size_of(states, wanted, true, "states");
}

DenseMatrix hmm_emission_counts(std::span<const SymbolSequence> symbols,
                                std::span<const LabelSequence> states,
                                std::size_t k,
                                std::size_t v) {
  DenseMatrix counts(k, v, 0.0);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    for (std::size_t t = 0; t < states[i].size(); ++t) {
      if (states[i][t] != unknown_state) counts(states[i][t], symbols[i][t]) += 1;
    }
  }
  return counts;
}

DenseMatrix counted_hmm_emissions(std::span<const SymbolSequence> symbols,
                                  std::span<const LabelSequence> states,
                                  std::size_t k,
                                  std::size_t v,
                                  double smoothing) {
  const DenseMatrix counts = hmm_emission_counts(symbols, states, k, v);
  DenseMatrix shares(k, v, 1 / static_cast<double>(v));
  for (std::size_t i = 0; i < k; ++i) {
    to_shares(counts.row(i), nullptr, smoothing, shares.row(i), nullptr);
  }
  return shares;
}

Hmm hmm_of_parts(HmmChain chain, DenseMatrix emissions) {
  return {.start = std::move(chain.start),
          .transitions = std::move(chain.transitions),
          .emissions = std::move(emissions),
          .end = std::move(chain.end)};
}

}  // namespace maxmargin
