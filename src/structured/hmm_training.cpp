// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hmm.md
#include "maxmargin/structured/hmm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/memory_limit.hpp"
#include "core/parallel.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/core/timer.hpp"
#include "structured/hmm_scores.hpp"

namespace maxmargin {

namespace {

/// Tables of expected counts that exist at once; each is as large as a model.
constexpr std::size_t most_tables = 16;

/// Counts, true or expected, and the log-likelihood that goes with them.
struct Counts {
  Hmm sums;
  double log_likelihood = 0;

  Counts() = default;
  Counts(std::size_t states, std::size_t symbols, bool with_end) {
    sums.start.assign(states, 0.0);
    sums.transitions = DenseMatrix(states, states, 0.0);
    sums.emissions = DenseMatrix(states, symbols, 0.0);
    if (with_end) sums.end.assign(states, 0.0);
  }
  void add(const Counts& other) {
    const auto add_to = [](std::span<double> to, std::span<const double> from) {
      for (std::size_t j = 0; j < to.size(); ++j) to[j] += from[j];
    };
    add_to(sums.start, other.sums.start);
    add_to(sums.transitions.values(), other.sums.transitions.values());
    add_to(sums.emissions.values(), other.sums.emissions.values());
    add_to(sums.end, other.sums.end);
    log_likelihood += other.log_likelihood;
  }
};

/// Throws InvalidArgument when so many tables as large as a model take more than half of the
/// machine's memory.
void require_room(std::size_t tables, std::size_t states, std::size_t symbols) {
  const std::size_t numbers = checked_multiply(states, checked_add(states, symbols));
  require_within_limit(
      checked_multiply(tables * sizeof(double), numbers),
      std::nullopt,
      "an HMM of " + std::to_string(states) + " states and " + std::to_string(symbols) + " symbols",
      "use fewer states, or one symbol for all that are rare");
}

/// Shares of `numbers` and, if there is one, of `last` in their sum, with `smoothing` added to
/// each. A sum of 0 leaves `row` as it is.
void to_shares(std::span<const double> numbers,
               const double* last,
               double smoothing,
               std::span<double> row,
               double* last_share) {
  double sum = last != nullptr ? *last + smoothing : 0.0;
  for (const double x : numbers) sum += x + smoothing;
  if (!(sum > 0)) return;
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = (numbers[j] + smoothing) / sum;
  if (last != nullptr) *last_share = (*last + smoothing) / sum;
}

/// The maximisation step. Rows without counts stay as `before` has them.
Hmm model_of(const Counts& counts, double smoothing, Hmm before) {
  const Hmm& sums = counts.sums;
  to_shares(sums.start, nullptr, smoothing, before.start, nullptr);
  for (std::size_t i = 0; i < before.states(); ++i) {
    const bool ends = !before.end.empty();
    to_shares(sums.transitions.row(i),
              ends ? &sums.end[i] : nullptr,
              smoothing,
              before.transitions.row(i),
              ends ? &before.end[i] : nullptr);
    to_shares(sums.emissions.row(i), nullptr, smoothing, before.emissions.row(i), nullptr);
  }
  return before;
}

/// Every row drawn from `draw`, normalised.
template <class Draw>
Hmm drawn_model(std::size_t states, std::size_t symbols, bool with_end, const Draw& draw) {
  Counts counts(states, symbols, with_end);
  for (double& x : counts.sums.start) x = draw();
  for (double& x : counts.sums.transitions.values()) x = draw();
  for (double& x : counts.sums.emissions.values()) x = draw();
  for (double& x : counts.sums.end) x = draw();
  return model_of(counts, 0, Counts(states, symbols, with_end).sums);
}

/// One more than the largest number, or what is wanted, which must not be less.
std::size_t size_of(std::span<const std::vector<std::uint32_t>> sequences,
                    std::optional<std::size_t> wanted,
                    const char* field) {
  std::size_t least = 0;
  for (const auto& sequence : sequences) {
    for (const std::uint32_t number : sequence) {
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

/// One run of expectation and maximisation.
class Run {
 public:
  Run(std::span<const SymbolSequence> symbols, const BaumWelchOptions& options, Hmm start)
      : symbols_(symbols), options_(options), threads_(thread_count(options.context.threads)) {
    result_.model = std::move(start);
  }

  /// Ends by its own rule, at the limit, or when the callback says so.
  BaumWelchResult finish() {
    SolveReport& report = result_.report;
    report.status = Status::iteration_limit;
    Counts counts = expectation();
    note(counts);
    while (report.iterations < options_.max_iterations) {
      const Continue answer = options_.context.ask({.phase = "Baum-Welch",
                                                    .iteration = report.iterations,
                                                    .max_iterations = options_.max_iterations,
                                                    .primal_objective = -result_.trace.back()});
      if (answer != Continue::yes) {
        report.status = status_of(answer);
        break;
      }
      Hmm last = result_.model;
      result_.model = model_of(counts, options_.smoothing, std::move(result_.model));
      ++report.iterations;
      counts = expectation();
      const double before = result_.trace.back();
      if (!(objective(counts) > before)) {
        // Nothing left but rounding: the last model is as good.
        result_.model = std::move(last);
        report.status = Status::solved;
        break;
      }
      note(counts);
      const double now = result_.trace.back();
      if (now - before <= options_.tolerance * std::max(1.0, std::abs(now))) {
        report.status = Status::solved;
        break;
      }
    }
    report.primal_objective = -result_.trace.back();
    return std::move(result_);
  }

 private:
  void note(const Counts& counts) {
    result_.trace.push_back(objective(counts));
    result_.log_likelihood = counts.log_likelihood;
  }

  /// Expected counts under the present model, chunk by chunk.
  [[nodiscard]] Counts expectation() const {
    const Hmm& model = result_.model;
    const HmmScores scores(model);
    const Counts nothing(model.states(), model.symbols(), !model.end.empty());
    const std::size_t chunk = std::max<std::size_t>(
        1, symbols_.size() / most_tables + (symbols_.size() % most_tables != 0 ? 1 : 0));
    std::vector<Counts> parts(chunk_count(symbols_.size(), chunk));
    parallel_chunks(
        threads_, symbols_.size(), chunk, [&](std::size_t c, std::size_t begin, std::size_t end) {
          parts[c] = nothing;
          for (std::size_t i = begin; i < end; ++i) add_sequence(scores, i, parts[c]);
        });
    Counts total = nothing;
    for (const Counts& part : parts) total.add(part);
    return total;
  }

  void add_sequence(const HmmScores& scores, std::size_t i, Counts& counts) const {
    const SymbolSequence& symbols = symbols_[i];
    if (symbols.empty()) return;
    const DenseMatrix nodes = scores.nodes(symbols);
    DenseMatrix states(nodes.rows(), nodes.cols());
    counts.log_likelihood +=
        scores.chain().expectations(nodes.view(), states.view(), counts.sums.transitions.view());
    for (std::size_t t = 0; t < symbols.size(); ++t) {
      for (std::size_t j = 0; j < states.cols(); ++j) {
        counts.sums.emissions(j, symbols[t]) += states(t, j);
      }
    }
    for (std::size_t j = 0; j < states.cols(); ++j) {
      counts.sums.start[j] += states(0, j);
      if (!counts.sums.end.empty()) counts.sums.end[j] += states(symbols.size() - 1, j);
    }
  }

  /// Of the model that the counts were expected under.
  [[nodiscard]] double objective(const Counts& counts) const {
    if (options_.smoothing == 0) return counts.log_likelihood;
    double logs = 0;
    const auto add = [&](std::span<const double> numbers) {
      for (const double x : numbers) logs += std::log(x);
    };
    add(result_.model.start);
    add(result_.model.transitions.values());
    add(result_.model.emissions.values());
    add(result_.model.end);
    return counts.log_likelihood + options_.smoothing * logs;
  }

  std::span<const SymbolSequence> symbols_;
  const BaumWelchOptions& options_;
  std::size_t threads_;
  BaumWelchResult result_;
};

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
  require(symbols.size() == states.size(),
          "there must be one sequence of states for every one of symbols");
  validate(options);
  const std::size_t k = size_of(states, options.states, "states");
  const std::size_t v = size_of(symbols, options.symbols, "symbols");
  // Counts, the uniform model with its counts, and the answer.
  require_room(4, k, v);
  Counts counts(k, v, options.with_end);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    require(symbols[i].size() == states[i].size(),
            "sequence " + std::to_string(i + 1) + ": there must be one state for every symbol");
    if (states[i].empty()) continue;
    counts.sums.start[states[i].front()] += 1;
    for (std::size_t t = 0; t < states[i].size(); ++t) {
      counts.sums.emissions(states[i][t], symbols[i][t]) += 1;
      if (t > 0) counts.sums.transitions(states[i][t - 1], states[i][t]) += 1;
    }
    if (options.with_end) counts.sums.end[states[i].back()] += 1;
  }
  const Hmm uniform = drawn_model(k, v, options.with_end, [] { return 1.0; });
  return model_of(counts, options.smoothing, uniform);
}

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
  const std::size_t v =
      size_of(symbols,
              options.start ? std::optional(options.start->symbols()) : options.symbols,
              "symbols");
  // Those of the expected counts, their sum and their start, the logs, three models and the best.
  require_room(most_tables + 7, options.start ? options.start->states() : options.states, v);
  if (options.start) {
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      require(log_likelihood(*options.start, symbols[i]) > -std::numeric_limits<double>::infinity(),
              "the start forbids sequence " + std::to_string(i + 1));
    }
  }
  PhaseTimer timer;
  timer.enter("Baum-Welch");
  std::optional<BaumWelchResult> best;
  Status status = Status::solved;
  std::uint64_t iterations = 0;
  const std::size_t runs = options.start ? 1 : options.restarts;
  for (std::size_t r = 0; r < runs && !was_stopped(status); ++r) {
    Rng rng(options.context.seed, "Baum-Welch", r);
    Hmm start =
        options.start
            ? *options.start
            : drawn_model(options.states, v, options.with_end, [&] { return rng.exponential(); });
    BaumWelchResult found = Run(symbols, options, std::move(start)).finish();
    iterations += found.report.iterations;
    status = found.report.status;
    if (!best || found.trace.back() > best->trace.back()) {
      best = std::move(found);
      best->best_restart = r;
    }
  }
  // A stop is a stop of the whole; otherwise the run that was kept speaks.
  if (was_stopped(status)) best->report.status = status;
  best->report.iterations = iterations;
  best->report.seconds = timer.finish();
  return std::move(*best);
}

}  // namespace maxmargin
