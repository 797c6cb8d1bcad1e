// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/m3n.md
#include "solver/structural/marginal_m3n.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/memory_limit.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/graph/flow_system.hpp"

namespace maxmargin {

namespace {

/// How far towards the boundary a step goes.
constexpr double boundary_share = 0.995;
/// Steps shorter than this do not count as steps.
constexpr double least_step = 1e-10;

void require_room(std::size_t bytes, const MarginalM3nOptions& options) {
  require_within_limit(bytes,
                       options.context.memory_limit,
                       "the interior-point method on marginals",
                       "use cutting planes or block-coordinate Frank-Wolfe");
}

FlowSystem system_within_limit(const ChainM3n& problem, const MarginalM3nOptions& options) {
  // The networks first: only they tell how large the matrices are.
  const std::size_t networks = flow_network_bytes(problem, problem.layout());
  require_room(networks, options);
  FlowSystem system(problem);
  require_room(checked_add(networks, system.bytes()), options);
  return system;
}

class Run {
 public:
  Run(const ChainM3n& problem, const MarginalM3nOptions& options)
      : problem_(problem), options_(options), system_(system_within_limit(problem, options)) {
    point_ = system_.start();
  }

  MarginalM3nSolution solve() {
    PhaseTimer timer;
    timer.enter("steps");
    SolveReport& report = solution_.report;
    report.status = Status::iteration_limit;
    while (report.status == Status::iteration_limit) {
      if (look()) {
        report.status = Status::solved;
      } else if (report.iterations == options_.max_iterations) {
        break;
      } else if (const Continue answer = options_.context.ask(progress());
                 answer != Continue::yes) {
        report.status = status_of(answer);
      } else if (step()) {
        ++report.iterations;
      } else {
        report.status = Status::no_progress;
      }
    }
    report.primal_objective = best_primal_;
    report.dual_objective = best_dual_;
    finish();
    report.seconds = timer.finish();
    return std::move(solution_);
  }

 private:
  /// Step 5: whether the gap is closed. Keeps the best of both sides.
  bool look() {
    std::vector<double> w = system_.weights_of(point_.x);
    const double half_square = 0.5 * dot(w, w);
    const double dual = system_.loss_of(point_.x) - half_square;
    double primal = half_square;
    const std::vector<double> lengths = system_.lengths_of(w);
    for (const FlowSystem::Part& part : system_.parts()) {
      primal += part.network.longest(part.of_edges(std::span(lengths)));
    }
    if (!best_dual_ || dual > *best_dual_) {
      best_dual_ = dual;
      best_flows_ = point_.x;
    }
    if (!best_primal_ || primal < *best_primal_) {
      best_primal_ = primal;
      best_w_ = std::move(w);
    }
    return relative_gap(*best_primal_, *best_dual_) <= options_.tolerance;
  }

  /// Steps 2 to 4.
  bool step() {
    if (!system_.factor(point_)) return false;
    const std::vector<double>& x = point_.x;
    const std::vector<double>& z = point_.z;
    const auto count = static_cast<double>(x.size());
    const double mu = dot(x, z) / count;
    std::vector<double> target(x.size());
    for (std::size_t e = 0; e < x.size(); ++e) target[e] = -x[e] * z[e];
    const FlowPoint predictor = system_.newton(point_, target);
    const double reach = std::min(1.0, way_to_boundary(predictor));
    double after = 0;
    for (std::size_t e = 0; e < x.size(); ++e) {
      after += (x[e] + reach * predictor.x[e]) * (z[e] + reach * predictor.z[e]);
    }
    const double ratio = after / count / mu;
    const double sigma = ratio * ratio * ratio;
    for (std::size_t e = 0; e < x.size(); ++e) {
      target[e] += sigma * mu - predictor.x[e] * predictor.z[e];
    }
    const FlowPoint corrector = system_.newton(point_, target);
    const double length = std::min(1.0, boundary_share * way_to_boundary(corrector));
    if (!(length > least_step)) return false;
    axpy(length, corrector.x, point_.x);
    axpy(length, corrector.z, point_.z);
    system_.push(point_.x);
    return true;
  }

  /// How many times the direction leads to the boundary; 2 if it is farther.
  [[nodiscard]] double way_to_boundary(const FlowPoint& direction) const {
    double length = 2;
    for (std::size_t e = 0; e < point_.x.size(); ++e) {
      if (direction.x[e] < 0) length = std::min(length, -point_.x[e] / direction.x[e]);
      if (direction.z[e] < 0) length = std::min(length, -point_.z[e] / direction.z[e]);
    }
    return length;
  }

  [[nodiscard]] Progress progress() const {
    return {.phase = "steps",
            .iteration = solution_.report.iterations,
            .max_iterations = options_.max_iterations,
            .primal_objective = best_primal_,
            .dual_objective = best_dual_,
            .gap = relative_gap(*best_primal_, *best_dual_),
            .target = options_.tolerance};
  }

  void finish() {
    const ChainLayout layout = problem_.layout();
    solution_.w.assign(layout.dimension(), 0.0);
    for (std::size_t j = 0; j < best_w_.size(); ++j) {
      solution_.w[system_.columns()[j]] = best_w_[j];
    }
    solution_.marginals.resize(problem_.data->size());
    for (std::size_t i = 0; i < problem_.data->size(); ++i) {
      const std::size_t length = problem_.data->labels[i].size();
      solution_.marginals[i].nodes = DenseMatrix(length, layout.labels, 0.0);
      solution_.marginals[i].pairs =
          DenseMatrix(length > 0 ? (length - 1) * layout.labels : 0, layout.labels, 0.0);
    }
    for (const FlowSystem::Part& part : system_.parts()) {
      solution_.marginals[part.sequence] =
          marginals_of(part.of_edges(std::span<const double>(best_flows_)),
                       problem_.data->labels[part.sequence].size(),
                       layout.labels);
    }
  }

  const ChainM3n& problem_;
  const MarginalM3nOptions& options_;
  FlowSystem system_;
  FlowPoint point_;
  std::optional<double> best_primal_;
  std::optional<double> best_dual_;
  std::vector<double> best_w_;
  std::vector<double> best_flows_;
  MarginalM3nSolution solution_;
};

}  // namespace

void MarginalM3nOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "tolerance", .help = "relative duality gap at which it stops"},
               tolerance,
               rules::share_inside);
  visit.whole({.name = "max-iterations", .help = "steps at most"}, max_iterations, {.least = 1});
}

MarginalM3nSolution solve_marginal_m3n(const ChainM3n& problem, const MarginalM3nOptions& options) {
  validate(problem);
  validate(options);
  return Run(problem, options).solve();
}

}  // namespace maxmargin
