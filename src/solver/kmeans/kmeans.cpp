// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/kmeans/kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include "core/cluster_count.hpp"
#include "core/parallel.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/cluster_numbers.hpp"
#include "solver/kmeans/bound.hpp"
#include "solver/kmeans/points.hpp"
#include "solver/kmeans/run.hpp"
#include "solver/kmeans/start.hpp"

namespace maxmargin {

namespace {

using kmeans::Points;
using kmeans::Run;

/// Below this many multiplications a pass is over before a second thread has begun: then the
/// restarts are shared out among the threads, not the rows.
constexpr double small_pass = 2e6;

/// Restarts handed to the threads at once.
constexpr std::size_t restart_group = 256;

/// Among several restarts, one is left when a pass lowers its SSE by less than this part of it...
constexpr double slow_pass = 1e-4;
/// ... and taken up again if its SSE is then within this part of the least of all.
constexpr double promising = 1e-2;

void require_fitting(const Points& points, const KmeansOptions& options) {
  validate(options);
  require(points.rows() > 0, "kmeans: there must be at least one point");
  require_cluster_count(
      options.k <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()),
      options.k,
      "below 2^31");
  const std::size_t distinct = kmeans::distinct_rows(points, options.k).size();
  require_cluster_count(
      distinct >= options.k,
      options.k,
      "at most the number of distinct points of positive weight, " + std::to_string(distinct));
  if (!options.start_centres) return;
  const DenseMatrix& start = *options.start_centres;
  require(start.rows() == options.k && start.cols() == points.cols(),
          "the centres to start from are " + std::to_string(start.rows()) + " x " +
              std::to_string(start.cols()) + ", must be k x features = " +
              std::to_string(options.k) + " x " + std::to_string(points.cols()));
  for (const double value : start.values()) {
    require_field(std::isfinite(value), "an entry of the centres to start from", value, "finite");
  }
}

/// The restarts: which run is best so far, and whether the callback has ended the solve.
class Restarts {
 public:
  Restarts(const Points& points, const KmeansOptions& options, std::size_t threads)
      : points_(points),
        options_(options),
        threads_(threads),
        count_(options.start_centres ? 1 : options.restarts),
        progress_(options.context.on_progress) {}

  void run_all() {
    // In groups, so that a stop among very many restarts does not walk through the rest of them.
    for (std::size_t first = 0; first < count_ && !stopped(); first += restart_group) {
      share_out(std::min(restart_group, count_ - first), [&](std::size_t in_group) {
        const std::size_t restart = first + in_group;
        if (restart > 0 && stopped()) return;
        take(restart, continue_run(start_of(restart), count_ > 1 ? slow_pass : 0));
      });
    }
    finish_promising();
  }
  /// Restarts that were run.
  [[nodiscard]] std::size_t done() const { return done_; }
  [[nodiscard]] std::size_t unfinished() const { return unfinished_; }
  [[nodiscard]] std::size_t best_restart() const { return best_restart_; }
  [[nodiscard]] Run& best() { return best_; }
  [[nodiscard]] Continue answer() { return progress_.answer(); }

 private:
  [[nodiscard]] bool stopped() { return answer() != Continue::yes; }
  Continue ask_caller(std::size_t iteration, std::optional<double> objective) {
    return progress_({.phase = "kmeans",
                      .iteration = iteration,
                      .max_iterations = options_.max_iterations,
                      .primal_objective = objective});
  }
  /// f(0), ..., f(count - 1), on all threads when passes are small.
  template <class F>
  void share_out(std::size_t count, const F& f) const {
    const double work = static_cast<double>(points_.rows()) * static_cast<double>(options_.k) *
                        static_cast<double>(points_.cols());
    // Inside a parallel loop the loops over rows stay on their thread (core/parallel.hpp).
    parallel_chunks(work < small_pass ? threads_ : 1,
                    count,
                    1,
                    [&](std::size_t chunk, std::size_t, std::size_t) { f(chunk); });
  }
  [[nodiscard]] Run continue_run(Run run, double slow) {
    return kmeans::run_lloyd(points_,
                             std::move(run),
                             options_.max_iterations,
                             slow,
                             threads_,
                             [&](std::size_t iteration, double objective) {
                               return ask_caller(iteration, points_.unscaled_square(objective));
                             });
  }
  void take(std::size_t restart, Run run) {
    const std::lock_guard lock(mutex_);
    ++done_;
    least_ = std::min(least_, run.inertia);
    if (!run.is_paused) {
      compare(restart, std::move(run));
    } else if (is_promising(run)) {
      std::erase_if(paused_, [&](const auto& other) { return !is_promising(other.second); });
      paused_.emplace_back(restart, std::move(run));
    }
  }
  [[nodiscard]] bool is_promising(const Run& run) const {
    return run.inertia <= (1 + promising) * least_;
  }
  void compare(std::size_t restart, Run run) {
    unfinished_ += run.status == Status::iteration_limit ? 1 : 0;
    const bool wins = best_.labels.empty() || run.inertia < best_.inertia ||
                      (run.inertia == best_.inertia && restart < best_restart_);
    if (!wins) return;
    best_ = std::move(run);
    best_restart_ = restart;
  }
  /// Takes up the paused runs that may still be best; after a stop, only the one that is.
  void finish_promising() {
    std::ranges::sort(paused_, [](const auto& a, const auto& b) {
      return a.second.inertia < b.second.inertia ||
             (a.second.inertia == b.second.inertia && a.first < b.first);
    });
    std::erase_if(paused_, [&](const auto& run) { return !is_promising(run.second); });
    share_out(paused_.size(), [&](std::size_t place) {
      auto& [restart, run] = paused_[place];
      if (stopped() && (place > 0 || has_better_than(run))) return;
      Run finished = continue_run(std::move(run), 0);
      const std::lock_guard lock(mutex_);
      compare(restart, std::move(finished));
    });
  }
  [[nodiscard]] bool has_better_than(const Run& run) {
    const std::lock_guard lock(mutex_);
    return !best_.labels.empty() && best_.inertia <= run.inertia;
  }
  [[nodiscard]] Run start_of(std::size_t restart) {
    if (!options_.start_centres) {
      Rng rng(options_.context.seed, "kmeans", restart);
      return {.centres =
                  kmeans::choose_centres(points_, options_.k, options_.start, rng, threads_, [&] {
                    return ask_caller(0, {}) == Continue::yes;
                  })};
    }
    Run run{.centres = *options_.start_centres};
    for (std::size_t c = 0; c < run.centres.rows(); ++c) points_.move_in(run.centres.row(c));
    return run;
  }

  const Points& points_;
  const KmeansOptions& options_;
  std::size_t threads_;
  std::size_t count_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::size_t unfinished_ = 0;
  std::size_t best_restart_ = 0;
  Run best_;
  double least_ = std::numeric_limits<double>::infinity();  ///< of all runs, paused or not
  std::vector<std::pair<std::size_t, Run>> paused_;
  SharedProgress progress_;
};

/// kmeans.md step 7: renumbers the clusters and puts the centres back where the data is.
void write_clusters(const Points& points, const Run& run, KmeansSolution& solution) {
  ClusterNumbers numbers = number_by_size(run.labels, run.centres.rows());
  solution.centres = DenseMatrix::uninitialized(run.centres.rows(), points.cols());
  for (std::size_t c = 0; c < run.centres.rows(); ++c) {
    std::ranges::copy(run.centres.row(numbers.old_number[c]), solution.centres.row(c).begin());
    points.move_back(solution.centres.row(c));
  }
  solution.sizes = std::move(numbers.sizes);
  solution.labels = std::move(numbers.labels);
}

void write_warnings(const Run& run,
                    std::size_t unfinished,
                    const KmeansOptions& options,
                    KmeansSolution& solution) {
  std::vector<std::string>& warnings = solution.report.warnings;
  if (run.refilled > 0) {
    warnings.push_back(std::to_string(run.refilled) +
                       " time(s) a cluster lost all its points and took over the point farthest "
                       "from its centre");
  }
  if (unfinished > 0) {
    warnings.push_back(std::to_string(unfinished) + " of " + std::to_string(solution.restarts) +
                       " restart(s) ended at --max-iterations " +
                       std::to_string(options.max_iterations));
  }
  if (!solution.sizes.empty() && solution.sizes.back() == 0) {
    warnings.emplace_back("the run ended early, with a cluster that holds no point");
  }
}

KmeansSolution solve(const PointRows& rows,
                     const KmeansOptions& options,
                     std::span<const double> weights) {
  PhaseTimer timer;
  timer.enter("setup");
  const std::size_t threads = thread_count(options.context.threads);
  // Centres, their transpose, their sums and the origin are dense though the points may be sparse;
  // as many centres again wait for each paused restart, one more at the least.
  require_memory_for_numbers(checked_multiply(5, std::min(options.k, rows.rows())),
                             rows.cols(),
                             "kmeans: centres and sums");
  const Points points(rows, weights, threads);
  require_fitting(points, options);

  timer.enter("lloyd");
  Restarts restarts(points, options, threads);
  restarts.run_all();

  KmeansSolution solution;
  const Run& best = restarts.best();
  solution.inertia = points.unscaled_square(best.inertia);
  solution.best_restart = restarts.best_restart();
  solution.restarts = restarts.done();
  write_clusters(points, best, solution);
  SolveReport& report = solution.report;
  report.status = restarts.answer() == Continue::yes ? best.status : status_of(restarts.answer());
  report.iterations = best.iterations;
  report.primal_objective = solution.inertia;
  write_warnings(best, restarts.unfinished(), options, solution);

  if (std::min(points.rows(), points.cols()) <= options.lower_bound_limit) {
    timer.enter("lower bound");
    // Where the bound is met, the inertia's own rounding may bring it below.
    report.lower_bound = std::min(
        kmeans::spectral_bound(rows, options.k, weights, threads, options.context.on_progress),
        solution.inertia);
  }
  report.seconds = timer.finish();
  return solution;
}

}  // namespace

void KmeansOptions::describe(OptionVisitor& visit) {
  describe_cluster_count(visit, k);
  describe_restarts(visit, restarts, max_iterations);
}

KmeansSolution solve_kmeans(DenseView points,
                            const KmeansOptions& options,
                            std::span<const double> weights) {
  return solve(PointRows(points), options, weights);
}

KmeansSolution solve_kmeans(const SparseView& points,
                            const KmeansOptions& options,
                            std::span<const double> weights) {
  return solve(PointRows(points), options, weights);
}

}  // namespace maxmargin
