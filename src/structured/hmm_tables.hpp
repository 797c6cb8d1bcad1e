// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "maxmargin/structured/hmm.hpp"
#include "structured/hmm_expectation.hpp"

/// Sizes and counts of models of symbols.
namespace maxmargin {

/// Throws InvalidArgument when so many tables as large as a model take more than the limit (unset:
/// half of the machine's memory).
void require_hmm_room(std::size_t tables,
                      std::size_t states,
                      std::size_t symbols,
                      std::optional<std::size_t> memory_limit);

/// One more than the largest that occurs, or what is wanted; throws InvalidArgument when that is
/// less.
[[nodiscard]] std::size_t hmm_symbols_in(std::span<const SymbolSequence> symbols,
                                         std::optional<std::size_t> wanted);
/// The same of states, those left out that are not known.
[[nodiscard]] std::size_t hmm_states_in(std::span<const LabelSequence> states,
                                        std::optional<std::size_t> wanted);

/// How often each of k states emits each of v symbols, where it is known.
[[nodiscard]] DenseMatrix hmm_emission_counts(std::span<const SymbolSequence> symbols,
                                              std::span<const LabelSequence> states,
                                              std::size_t k,
                                              std::size_t v);
/// Their shares, smoothed; rows without counts are uniform.
[[nodiscard]] DenseMatrix counted_hmm_emissions(std::span<const SymbolSequence> symbols,
                                                std::span<const LabelSequence> states,
                                                std::size_t k,
                                                std::size_t v,
                                                double smoothing);

[[nodiscard]] Hmm hmm_of_parts(HmmChain chain, DenseMatrix emissions);

}  // namespace maxmargin
