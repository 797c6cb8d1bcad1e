// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/structured/hmm.hpp"

/// Parameters of hidden Markov models: docs/algorithms/hmm.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT HmmCountOptions {
  /// Unset: one more than the largest that occurs. At least that, and at least 1.
  std::optional<std::size_t> states = std::nullopt;
  std::optional<std::size_t> symbols = std::nullopt;
  /// Added to every count; larger is nearer to uniform. 0: relative frequencies, and a row that was
  /// never seen is uniform. Finite and >= 0.
  double smoothing = 0.1;
  /// Whether the model says where sequences end.
  bool with_end = false;
  void describe(OptionVisitor& visit);
};

/// Maximum likelihood with known states. Throws InvalidArgument for sizes that do not fit, wrong
/// options, and tables (states x (states + symbols) numbers, four of them) that take more than half
/// of the machine's memory.
[[nodiscard]] MAXMARGIN_EXPORT Hmm estimate_hmm(std::span<const SymbolSequence> symbols,
                                                std::span<const LabelSequence> states,
                                                const HmmCountOptions& options = {});

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
  /// Callback: asked before every step of every run.
  Context context = {};

  void describe(OptionVisitor& visit);
};

struct BaumWelchResult {
  Hmm model = {};
  /// Of all sequences under the model.
  double log_likelihood = 0;
  /// Objective at the start and after every step of the run that was kept; it never falls.
  std::vector<double> trace = {};
  std::size_t best_restart = 0;
  /// primal_objective is minus the objective; there is no bound. Iterations are those of all runs.
  SolveReport report = {};
};

/// Maximum likelihood with unknown states, by expectation and maximisation. Throws InvalidArgument
/// for no symbol at all, symbols beyond the alphabet, wrong options, a start that forbids a
/// sequence, and tables (as those of estimate_hmm, 23 of them) that take more than half of the
/// machine's memory.
[[nodiscard]] MAXMARGIN_EXPORT BaumWelchResult
train_baum_welch(std::span<const SymbolSequence> symbols, const BaumWelchOptions& options = {});

}  // namespace maxmargin
