// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Hidden Markov models with discrete symbols and their parameters: docs/algorithms/hmm.md.
namespace maxmargin {

/// Symbols of a sequence, as numbers. One that is not below Hmm::symbols() says nothing about its
/// state: its factor is 1.
using SymbolSequence = std::vector<std::uint32_t>;

/// The state of a position where it is not known.
inline constexpr std::uint32_t unknown_state = UINT32_MAX;

/// p(x, y) = start(y_1) emissions(y_1, x_1) prod transitions(y_(t-1), y_t) emissions(y_t, x_t), and
/// end(y_L) if there is one.
struct MAXMARGIN_EXPORT Hmm {
  std::vector<double> start = {};
  /// States x states, from the row's state to the column's.
  DenseMatrix transitions = {};
  /// States x symbols.
  DenseMatrix emissions = {};
  /// Probability of ending after each state; empty: a sequence may end anywhere at no cost.
  std::vector<double> end = {};

  [[nodiscard]] std::size_t states() const noexcept { return start.size(); }
  [[nodiscard]] std::size_t symbols() const noexcept { return emissions.cols(); }
  /// Throws InvalidArgument unless sizes fit together and all numbers are finite and >= 0.
  void require_sizes() const;
  /// The same, and start, emissions of a state, and transitions with the end of a state must sum to
  /// 1 (to 1e-9).
  void validate() const;
};

/// log p(x, y); -infinity if it cannot occur, 0 for an empty sequence. The numbers need not be
/// normalised. Throws InvalidArgument for sizes that differ and states that do not exist.
[[nodiscard]] MAXMARGIN_EXPORT double log_joint(const Hmm& model,
                                                const SymbolSequence& symbols,
                                                const LabelSequence& states);

/// The states of largest p(x, y) (Viterbi); among equals the lowest, from the last position
/// backwards.
[[nodiscard]] MAXMARGIN_EXPORT LabelSequence most_likely_states(const Hmm& model,
                                                                const SymbolSequence& symbols);

/// log p(x), the sum over all states; -infinity if it cannot occur.
[[nodiscard]] MAXMARGIN_EXPORT double log_likelihood(const Hmm& model,
                                                     const SymbolSequence& symbols);

/// Logs of the forward and backward numbers, positions x states.
[[nodiscard]] MAXMARGIN_EXPORT DenseMatrix forward_logs(const Hmm& model,
                                                        const SymbolSequence& symbols);
[[nodiscard]] MAXMARGIN_EXPORT DenseMatrix backward_logs(const Hmm& model,
                                                         const SymbolSequence& symbols);

/// What symbols say about states.
struct HmmPosterior {
  double log_likelihood = 0;
  /// Positions x states: p(y_t = i | x).
  DenseMatrix states = {};
  /// States x states: expected number of transitions from i to j.
  DenseMatrix transitions = {};
};

/// Throws InvalidArgument for symbols that cannot occur.
[[nodiscard]] MAXMARGIN_EXPORT HmmPosterior hmm_posterior(const Hmm& model,
                                                          const SymbolSequence& symbols);

struct HmmSample {
  SymbolSequence symbols = {};
  LabelSequence states = {};
};

/// A draw of at most `length` positions; exactly that many without `end`. Requires a valid model.
[[nodiscard]] MAXMARGIN_EXPORT HmmSample sample_hmm(const Hmm& model, std::size_t length, Rng& rng);

/// The symbols of sequences that have one feature of value 1 at each position: its number. Throws
/// InvalidArgument naming the first position that is not so.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<SymbolSequence> symbols_of(const SequenceData& data);

struct MAXMARGIN_EXPORT HmmCountOptions {
  /// Unset: one more than the largest that occurs. At least that, and at least 1.
  std::optional<std::size_t> states = std::nullopt;
  std::optional<std::size_t> symbols = std::nullopt;
  /// Added to every count; larger is nearer to uniform. 0: relative frequencies, and a row that was
  /// never seen is uniform. Finite and >= 0.
  double smoothing = 0.1;
  /// Whether the model says where sequences end.
  bool with_end = false;
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// Maximum likelihood with known states. Positions whose state is `unknown_state` are not counted,
/// nor are pairs with them. Throws InvalidArgument for sizes that do not fit, wrong
/// options, and tables (states x (states + symbols) numbers, four of them) that take more than half
/// of the machine's memory.
[[nodiscard]] MAXMARGIN_EXPORT Hmm estimate_hmm(std::span<const SymbolSequence> symbols,
                                                std::span<const LabelSequence> states,
                                                const HmmCountOptions& options = {});

/// What estimate_hmm maximises: the logs of the probabilities of all that is counted, plus
/// smoothing times the sum of the logs of all parameters.
[[nodiscard]] MAXMARGIN_EXPORT double hmm_count_objective(const Hmm& model,
                                                          std::span<const SymbolSequence> symbols,
                                                          std::span<const LabelSequence> states,
                                                          double smoothing);
/// No model has a larger one: the sum over all tables of shares of n log(n / sum of n), n the
/// smoothed counts (Gibbs' inequality).
[[nodiscard]] MAXMARGIN_EXPORT double hmm_count_bound(std::span<const SymbolSequence> symbols,
                                                      std::span<const LabelSequence> states,
                                                      const HmmCountOptions& options);
/// Smoothing times the sum of the logs of all parameters.
[[nodiscard]] MAXMARGIN_EXPORT double hmm_log_prior(const Hmm& model, double smoothing);

struct MAXMARGIN_EXPORT BaumWelchOptions {
  /// At least 1; ignored with a start.
  std::size_t states = 2;
  /// Unset: one more than the largest that occurs, or as the start has it.
  std::optional<std::size_t> symbols = std::nullopt;
  /// Whether the model says where sequences end; ignored with a start.
  bool with_end = false;
  /// A valid model to begin with, under which every sequence can occur: then there is one run, and
  /// `restarts` and `seed` are ignored.
  std::optional<Hmm> start = std::nullopt;
  /// Runs from random models; the best is kept, the first of equals. At least 1.
  std::size_t restarts = 10;
  /// Steps of each run. At least 1.
  std::size_t max_iterations = 200;
  /// A run ends when the objective grows by at most this times max(1, |objective|). >= 0.
  double tolerance = 1e-6;
  /// Added to every expected count: the objective gets this times the logs of all parameters.
  /// Finite and >= 0.
  double smoothing = 0;
  /// States that are known, one a position, `unknown_state` where there is none; empty: none is.
  /// They stay as they are, the first run begins with their counts, and they must outlive the call.
  std::span<const LabelSequence> known = {};
  /// Callback: asked before every step of every run.
  Context context = {};

  void describe(OptionVisitor& visit);
};

/// One run of Baum-Welch.
struct HmmRestart {
  /// At its end.
  double objective = 0;
  std::uint64_t iterations = 0;
  Status status = Status::solved;
};

struct BaumWelchResult {
  Hmm model = {};
  /// Of all sequences, and of the states that are known, under the model.
  double log_likelihood = 0;
  /// Objective at the start and after every step of the run that was kept; it never falls.
  std::vector<double> trace = {};
  std::size_t best_restart = 0;
  /// Of each run that was begun.
  std::vector<HmmRestart> restarts = {};
  /// primal_objective is minus the objective; there is no bound. Iterations are those of all runs.
  SolveReport report = {};
};

/// Maximum likelihood with unknown states, by expectation and maximisation. Throws InvalidArgument
/// for no symbol at all, symbols beyond the alphabet, wrong options, a start that forbids a
/// sequence, and tables (as those of estimate_hmm, 23 of them) that take more than half of the
/// machine's memory (or the context's limit).
[[nodiscard]] MAXMARGIN_EXPORT BaumWelchResult
train_baum_welch(std::span<const SymbolSequence> symbols, const BaumWelchOptions& options = {});

}  // namespace maxmargin
