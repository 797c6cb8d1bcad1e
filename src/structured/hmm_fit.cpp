// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hmm.md
#include "structured/hmm_fit.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "structured/hmm_shares.hpp"

namespace maxmargin {

namespace {

/// One run of expectation and maximisation.
class Run {
 public:
  Run(HmmEmissions& emissions, const HmmFitOptions& options, HmmStart start)
      : emissions_(emissions),
        options_(options),
        threads_(thread_count(options.context.threads)),
        expectation_(emissions, options.known, start.chain.start.size(), threads_) {
    fit_.chain = std::move(start.chain);
    emissions_.set_parameters(std::move(start.emissions));
  }

  /// Ends by its own rule, at the limit, or when the callback says so.
  HmmFit finish() {
    SolveReport& report = fit_.report;
    report.status = Status::iteration_limit;
    HmmCounts counts = expect();
    note(counts);
    while (report.iterations < options_.max_iterations) {
      const Continue answer = options_.context.ask({.phase = "Baum-Welch",
                                                    .iteration = report.iterations,
                                                    .max_iterations = options_.max_iterations,
                                                    .primal_objective = -fit_.trace.back()});
      if (answer != Continue::yes) {
        report.status = status_of(answer);
        break;
      }
      const HmmChain last = fit_.chain;
      std::vector<double> last_emissions = emissions_.parameters();
      fit_.chain = chain_of_counts(counts.chain, options_.smoothing, std::move(fit_.chain));
      emissions_.maximise(counts.emissions, options_.smoothing);
      ++report.iterations;
      counts = expect();
      const double before = fit_.trace.back();
      if (!(objective(counts) > before)) {
        // Nothing left but rounding: the last model is as good.
        fit_.chain = last;
        emissions_.set_parameters(std::move(last_emissions));
        report.status = Status::solved;
        break;
      }
      note(counts);
      const double now = fit_.trace.back();
      if (now - before <= options_.tolerance * std::max(1.0, std::abs(now))) {
        report.status = Status::solved;
        break;
      }
    }
    report.primal_objective = -fit_.trace.back();
    fit_.emissions = emissions_.parameters();
    return std::move(fit_);
  }

 private:
  HmmCounts expect() {
    emissions_.prepare(threads_);
    return expectation_.counts(fit_.chain);
  }
  void note(const HmmCounts& counts) {
    fit_.trace.push_back(objective(counts));
    fit_.log_likelihood = counts.log_likelihood;
  }
  /// Of the model that the counts were expected under.
  [[nodiscard]] double objective(const HmmCounts& counts) const {
    const double s = options_.smoothing;
    if (s == 0) return counts.log_likelihood;
    return counts.log_likelihood + s * sum_of_logs(fit_.chain) + emissions_.log_prior(s);
  }

  HmmEmissions& emissions_;
  const HmmFitOptions& options_;
  std::size_t threads_;
  HmmExpectation expectation_;
  HmmFit fit_;
};

}  // namespace

HmmFit fit_hidden_chain(HmmEmissions& emissions,
                        const std::function<HmmStart(std::size_t)>& start,
                        const HmmFitOptions& options) {
  PhaseTimer timer;
  timer.enter("Baum-Welch");
  std::optional<HmmFit> best;
  std::vector<HmmRestart> restarts;
  Status status = Status::solved;
  std::uint64_t iterations = 0;
  for (std::size_t r = 0; r < options.restarts && !was_stopped(status); ++r) {
    HmmFit found = Run(emissions, options, start(r)).finish();
    iterations += found.report.iterations;
    status = found.report.status;
    restarts.push_back(
        {.objective = found.trace.back(), .iterations = found.report.iterations, .status = status});
    if (!best || found.trace.back() > best->trace.back()) {
      best = std::move(found);
      best->best_restart = r;
    }
  }
  // A stop is a stop of the whole; otherwise the run that was kept speaks.
  if (was_stopped(status)) best->report.status = status;
  best->report.iterations = iterations;
  best->report.seconds = timer.finish();
  best->restarts = std::move(restarts);
  return std::move(*best);
}

HmmChain count_known(std::span<const LabelSequence> known, std::size_t states, bool with_end) {
  HmmChain counts{.start = std::vector<double>(states, 0.0),
                  .transitions = DenseMatrix(states, states, 0.0),
                  .end = std::vector<double>(with_end ? states : 0, 0.0)};
  for (const LabelSequence& y : known) {
    if (y.empty()) continue;
    if (y.front() != unknown_state) counts.start[y.front()] += 1;
    if (with_end && y.back() != unknown_state) counts.end[y.back()] += 1;
    for (std::size_t t = 1; t < y.size(); ++t) {
      if (y[t - 1] != unknown_state && y[t] != unknown_state) counts.transitions(y[t - 1], y[t])++;
    }
  }
  return counts;
}

HmmChain chain_of_counts(const HmmChain& counts, double smoothing, HmmChain before) {
  to_shares(counts.start, nullptr, smoothing, before.start, nullptr);
  const bool ends = !before.end.empty();
  for (std::size_t i = 0; i < before.start.size(); ++i) {
    to_shares(counts.transitions.row(i),
              ends ? &counts.end[i] : nullptr,
              smoothing,
              before.transitions.row(i),
              ends ? &before.end[i] : nullptr);
  }
  return before;
}

HmmChain uniform_chain(std::size_t states, bool with_end) {
  const double share = 1 / static_cast<double>(states);
  const double next = 1 / static_cast<double>(states + (with_end ? 1 : 0));
  return {.start = std::vector<double>(states, share),
          .transitions = DenseMatrix(states, states, next),
          .end = std::vector<double>(with_end ? states : 0, next)};
}

HmmChain drawn_chain(std::size_t states, bool with_end, Rng& rng) {
  HmmChain drawn = uniform_chain(states, with_end);
  const auto draw = [&](std::span<double> row) {
    for (double& x : row) x = rng.exponential();
  };
  draw(drawn.start);
  draw(drawn.transitions.values());
  draw(drawn.end);
  return chain_of_counts(drawn, 0, uniform_chain(states, with_end));
}

double sum_of_logs(const HmmChain& chain) {
  double logs = 0;
  const auto add = [&](std::span<const double> numbers) {
    for (const double x : numbers) logs += std::log(x);
  };
  add(chain.start);
  add(chain.transitions.values());
  add(chain.end);
  return logs;
}

void require_known(std::span<const LabelSequence> known,
                   std::span<const std::size_t> lengths,
                   std::size_t states) {
  if (known.empty()) return;
  require(known.size() == lengths.size(),
          "there must be known states for every sequence, or for none");
  for (std::size_t s = 0; s < known.size(); ++s) {
    const std::string which = "sequence " + std::to_string(s + 1) + ": ";
    require(known[s].size() == lengths[s], which + "there must be one state for every position");
    for (const std::uint32_t state : known[s]) {
      require(state == unknown_state || state < states, which + "a known state does not exist");
    }
  }
}

bool has_known(std::span<const LabelSequence> known) {
  return std::ranges::any_of(known, [](const LabelSequence& y) {
    return std::ranges::any_of(y, [](std::uint32_t state) { return state != unknown_state; });
  });
}

}  // namespace maxmargin
