// SPDX-License-Identifier: Apache-2.0
#include "cluster/relabeler/search.hpp"

#include <algorithm>
#include <cmath>

#include "cluster/relabeler/annealing.hpp"
#include "cluster/relabeler/iterator.hpp"
#include "core/parallel.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"

namespace maxmargin::relabel {

namespace {

/// Two sums of squares are the same partition's when they differ by no more than rounding.
constexpr double rounding = 1e-12;

bool same_sum(double a, double b) {
  return std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
}

std::size_t smallest_cluster(std::span<const std::int32_t> labels, std::size_t k) {
  std::vector<std::size_t> sizes(k, 0);
  for (const std::int32_t label : labels) ++sizes[static_cast<std::size_t>(label)];
  return *std::ranges::min_element(sizes);
}

/// What one restart needs to know.
struct Task {
  DenseView gram;
  const RelabelerOptions& options;
  const ChanceLaw* chance;
  Monitor& monitor;
};

/// relabeler.md step 5.
Verdict judge(const Task& task, const Run& run, const RelabelerIterator& iterator) {
  // A run that cannot go on has a class that is empty or too light for nu.
  const bool cannot_go_on = !iterator.has_next() && !iterator.is_fixed_point();
  if (cannot_go_on || smallest_cluster(run.labels, task.options.k) < task.options.min_cluster) {
    return Verdict::collapsed;
  }
  if (!iterator.is_fixed_point()) return Verdict::unfinished;
  if (task.options.p_value && task.chance != nullptr &&
      task.chance->p_value(run.kernel_sse) > *task.options.p_value) {
    return Verdict::rejected;
  }
  return Verdict::accepted;
}

/// relabeler.md steps 2 to 5: one run from given labels to its end.
Run run_from(const Task& task, std::vector<std::int32_t> start) {
  Run run;
  RelabelerIterator iterator(task.gram, std::move(start), task.options);
  while (iterator.has_next() && iterator.fits() < task.options.max_iterations) {
    run.steps.push_back(iterator.iterate());
    if (!task.monitor.count_fit()) break;
  }
  run.labels.assign(iterator.labels().begin(), iterator.labels().end());
  run.kernel_sse = kernel_sum_of_squares(task.gram, run.labels).total;
  if (!run.steps.empty()) run.objective = run.steps.back().objective;
  run.inexact = iterator.inexact_fits();
  // Without a machine there is none that agrees with any label.
  if (run.steps.empty()) run.errors = run.labels.size();
  for (std::size_t i = 0; i < iterator.predicted().size(); ++i) {
    if (iterator.predicted()[i] != run.labels[i]) ++run.errors;
  }
  run.coefficients = iterator.coefficients();
  run.offsets.assign(iterator.offsets().begin(), iterator.offsets().end());
  run.verdict = judge(task, run, iterator);
  task.monitor.note(run.kernel_sse);
  return run;
}

void count(const Run& run, RelabelCounts& counts) {
  ++counts.runs;
  counts.fits += run.steps.size();
  counts.inexact += run.inexact;
  if (run.verdict == Verdict::collapsed) ++counts.collapsed;
  if (run.verdict == Verdict::unfinished) ++counts.unfinished;
  if (run.verdict == Verdict::rejected) ++counts.rejected;
}

/// Random labels that a machine can be fitted to, if a hundred draws show any.
std::vector<std::int32_t> draw_start(const Task& task, Rng& rng) {
  constexpr int most_draws = 100;
  std::vector<std::int32_t> labels;
  for (int draw = 0; draw < most_draws; ++draw) {
    labels = draw_labels(task.gram.rows, task.options.k, rng);
    if (RelabelerIterator(task.gram, labels, task.options).has_next()) break;
  }
  return labels;
}

/// What one restart found.
struct Chain {
  Run best = {};
  RelabelCounts counts = {};
  std::vector<RelabelSearchStep> steps = {};
};

/// relabeler.md, "Search": perturb, run, decide.
void climb(const Task& task, Rng& rng, Chain& chain) {
  const RelabelerSearchOptions& search = task.options.search;
  const Cooling cooling{search.schedule, search.temperature, search.cooling};
  Run current = chain.best;
  std::size_t stall = 0;
  for (std::size_t step = 0; step < search.anneal_steps && !task.monitor.stopped(); ++step) {
    if (search.target && chain.best.verdict == Verdict::accepted &&
        chain.best.kernel_sse <= *search.target) {
      break;
    }
    RelabelSearchStep record;
    record.perturbation = perturbation_at(search.perturb_law, search.perturb, stall);
    std::vector<std::int32_t> labels = current.labels;
    perturb_labels(labels, task.options.k, record.perturbation, rng);
    Run next = run_from(task, std::move(labels));
    count(next, chain.counts);
    stall = same_sum(next.kernel_sse, current.kernel_sse) ? stall + 1 : 0;
    record.kernel_sse = next.kernel_sse;
    if (search.kind == RelabelerSearch::annealing) {
      record.temperature = cooling.temperature_at(step, search.anneal_steps);
    }
    record.accepted = accepts(next.kernel_sse - current.kernel_sse, record.temperature, rng);
    if (next.better_than(chain.best)) chain.best = next;
    if (record.accepted) current = std::move(next);
    record.current = current.kernel_sse;
    record.best = chain.best.kernel_sse;
    chain.steps.push_back(record);
  }
}

Chain run_chain(const Task& task, std::size_t restart) {
  Rng rng(task.options.context.seed, "relabeler", restart);
  Chain chain;
  chain.best = run_from(task, draw_start(task, rng));
  count(chain.best, chain.counts);
  if (task.options.search.kind != RelabelerSearch::restarts) climb(task, rng, chain);
  return chain;
}

}  // namespace

Continue Monitor::ask_caller() {
  const std::lock_guard lock(mutex_);
  Progress progress{.phase = "relabel", .iteration = fits_};
  if (std::isfinite(best_)) progress.primal_objective = best_;
  return answer_to(progress);
}

Continue Monitor::ask_caller(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  return answer_to(progress);
}

Continue Monitor::answer_to(const Progress& progress) {
  if (answer_ != Continue::yes) return answer_;
  answer_ = ask(callback_, progress);
  stopped_ = answer_ != Continue::yes;
  return answer_;
}

bool Monitor::count_fit() {
  {
    const std::lock_guard lock(mutex_);
    ++fits_;
  }
  return ask_caller() == Continue::yes;
}

void Monitor::note(double kernel_sse) {
  const std::lock_guard lock(mutex_);
  best_ = std::min(best_, kernel_sse);
}

std::optional<ChanceLaw> draw_chance(DenseView gram,
                                     const RelabelerOptions& options,
                                     std::uint64_t seed,
                                     Monitor& monitor) {
  const RandomLabellingOptions drawing{
      .k = options.k,
      .count = options.labellings,
      .context = options.context.with_seed(seed).with_progress(
          [&monitor](const Progress& progress) { return monitor.ask_caller(progress); })};
  ChanceLaw law = chance_law(gram, drawing);
  if (law.sums.empty()) return std::nullopt;
  return law;
}

Found search(DenseView gram,
             const RelabelerOptions& given,
             const ChanceLaw* chance,
             Monitor& monitor) {
  RelabelerOptions options = given;
  // Long fits ask as well, from whichever thread they run on.
  if (given.context.on_progress) {
    options.context.on_progress = [&monitor](const Progress&) { return monitor.ask_caller(); };
  }
  const Task task{gram, options, chance, monitor};
  Found found;
  std::mutex mutex;
  // The best by verdict, J and restart, and sums of counts: the order of arrival does not matter.
  const auto take = [&](Chain chain, std::size_t restart) {
    const std::lock_guard lock(mutex);
    const bool first = found.counts.runs == 0;
    found.counts += chain.counts;
    const bool ties = !found.run.better_than(chain.best) && restart < found.restart;
    if (!first && !chain.best.better_than(found.run) && !ties) return;
    found.run = std::move(chain.best);
    found.restart = restart;
    found.search_trace = std::move(chain.steps);
  };
  parallel_chunks(thread_count(options.context.threads),
                  options.restarts,
                  1,
                  [&](std::size_t restart, std::size_t /*begin*/, std::size_t /*end*/) {
                    // The first one runs in any case: there is always an answer.
                    if (restart > 0 && monitor.stopped()) return;
                    take(run_chain(task, restart), restart);
                  });
  return found;
}

}  // namespace maxmargin::relabel
