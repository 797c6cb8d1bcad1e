// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-cutting-plane.md
#include "maxmargin/cluster/mmc/cutting_plane.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "cluster/equal_rows.hpp"
#include "cluster/mmc/machine.hpp"
#include "cluster/mmc/starts.hpp"
#include "core/parallel.hpp"
#include "core/settle.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"
#include "solver/cluster_numbers.hpp"
#include "solver/linear/hinge_cuts.hpp"

namespace maxmargin {

namespace {

/// Relative gap of convex steps while signs still change.
constexpr double rough = 1e-2;
/// Up to so many points the last machine is trained on inner products.
constexpr std::size_t few_points = 2000;
/// Starts that are followed at the full C.
constexpr std::size_t followed = 2;

/// One run from one start.
struct Descent {
  std::string origin = {};
  std::vector<double> signs = {};
  std::vector<double> w = {};
  std::vector<double> scores = {};
  double objective = std::numeric_limits<double>::infinity();
  std::vector<double> trace = {};
  double gap = 1;
  /// Of the last convex step.
  Status status = Status::solved;
  bool settled = false;
};

class CuttingPlane {
 public:
  CuttingPlane(const Dataset& data, const MmcCuttingPlaneOptions& options)
      : data_(data),
        options_(options),
        points_(mmc_points(data.examples, options.bias, 2, options.context.threads)),
        least_(balanced_sizes(data.size(), 2, options.balance).least) {}

  MmcCuttingPlaneClustering run();

 private:
  [[nodiscard]] bool stopped() {
    if (answer_ == Continue::yes) {
      answer_ = options_.context.ask({.phase = "starts", .iteration = steps_});
    }
    return answer_ != Continue::yes;
  }
  [[nodiscard]] std::vector<Descent> starts();
  /// 1/2 |w|^2 + C sum_i max(0, 1 - |s_i|).
  [[nodiscard]] static double concave_objective(const Descent& descent, double c);
  [[nodiscard]] static double mean_score(const Descent& descent);
  /// Convex steps until the signs stay.
  void descend(double c, double tolerance, bool first, Descent& descent);
  void finish(Descent& best);

  const Dataset& data_;
  const MmcCuttingPlaneOptions& options_;
  MmcPoints points_;
  std::size_t least_;
  Continue answer_ = Continue::yes;
  std::uint64_t steps_ = 0;
  MmcCuttingPlaneClustering result_;
};

double CuttingPlane::mean_score(const Descent& descent) {
  const double sum = std::accumulate(descent.scores.begin(), descent.scores.end(), 0.0);
  return sum / static_cast<double>(descent.scores.size());
}

double CuttingPlane::concave_objective(const Descent& descent, double c) {
  double loss = 0;
  for (const double score : descent.scores) loss += std::max(0.0, 1 - std::abs(score));
  return 0.5 * dot(descent.w, descent.w) + c * loss;
}

std::vector<Descent> CuttingPlane::starts() {
  std::vector<Descent> descents;
  const std::vector<std::size_t> sample = sample_rows(data_.examples, 2, options_.context.seed);
  if (!sample.empty()) {
    const MmcCuttingPlaneClustering found = cluster_mmc_cutting_plane(
        {.examples = data_.examples.select(sample), .source = data_.source}, options_);
    // On all points the sample's machine is an answer already, should there be no time for more.
    const KernelExpansion& functions = found.model.functions;
    MmcFit fit{.weights = functions.vectors.to_dense(), .offsets = functions.offsets};
    for (double& x : fit.weights.values()) x *= functions.coefficients(0, 0);
    set_values(points_, options_.context.threads, fit);
    Descent descent{.origin = "sample, " + found.winner};
    descent.w.assign(fit.weights.values().begin(), fit.weights.values().end());
    if (options_.bias == MmcBias::constant) descent.w.push_back(fit.offsets.front());
    descent.scores.assign(fit.values.values().begin(), fit.values.values().end());
    for (const double score : descent.scores) descent.signs.push_back(score >= 0 ? 1 : -1);
    descents.push_back(std::move(descent));
    return descents;
  }
  for (MmcStart& start : feature_starts(points_,
                                        DenseMatrix(),
                                        {.least = least_,
                                        .most = data_.size() - least_,
                                        .count = options_.restarts,
                                        .context = options_.context})) {
    Descent descent{.origin = std::move(start.origin)};
    for (const std::int32_t label : start.labels) descent.signs.push_back(label == 0 ? 1 : -1);
    descents.push_back(std::move(descent));
    if (descents.size() == options_.restarts) break;
  }
  return descents;
}

void CuttingPlane::descend(double c, double tolerance, bool first, Descent& descent) {
  BoundedMeanHinge problem{.points = points_.examples.points(),
                           .bias = options_.bias == MmcBias::constant ? 1.0 : 0.0,
                           .c = c};
  if (points_.shifts()) problem.centre = points_.mean;
  // Centred scores have mean 0.
  if (options_.balance && options_.bias != MmcBias::center) problem.mean_limit = *options_.balance;
  descent.trace.clear();
  descent.settled = false;
  // A sample's machine may break the balance: then the first step has the first value.
  descent.objective = std::numeric_limits<double>::infinity();
  if (!descent.w.empty() && std::abs(mean_score(descent)) <= problem.mean_limit + 1e-9) {
    descent.objective = concave_objective(descent, c);
    descent.trace.push_back(descent.objective);
  }
  for (std::size_t step = 0; step < options_.max_iterations; ++step) {
    if (!first && stopped()) return;
    problem.signs = descent.signs;
    HingeCutsOptions cutting{
        .tolerance = tolerance, .max_iterations = 2000, .context = options_.context};
    if (first) cutting.context.on_progress = {};
    first = false;
    HingeCutsSolution found = solve_hinge_cuts(problem, cutting, descent.w);
    ++steps_;
    result_.cuts += found.report.iterations;
    descent.gap = found.report.relative_gap().value_or(1.0);
    descent.status = found.report.status;
    descent.w = std::move(found.w);
    descent.scores = std::move(found.scores);
    const double value = concave_objective(descent, c);
    // The signs of the new scores are the slopes of the next step.
    bool changed = false;
    for (std::size_t i = 0; i < descent.signs.size(); ++i) {
      const double sign = descent.scores[i] >= 0 ? 1 : -1;
      changed = changed || sign != descent.signs[i];
      descent.signs[i] = sign;
    }
    const bool better = value < descent.objective * (1 - 1e-12);
    descent.objective = std::min(descent.objective, value);
    if (better) descent.trace.push_back(value);
    if (!changed || !better) {
      descent.settled = true;
      return;
    }
    if (was_stopped(found.report.status)) return;
  }
}

void CuttingPlane::finish(Descent& best) {
  // Sizes as the balance wants them; the machine of these labels is the answer.
  DenseMatrix values(best.scores.size(), 1);
  std::ranges::copy(best.scores, values.values().begin());
  std::vector<std::int32_t> labels = relabel(values.view(), least_, data_.size() - least_);
  DenseMatrix products;
  std::unique_ptr<MmcMachine> machine;
  const bool few = data_.size() <= few_points;
  if (few) {
    products = points_gram(points_, options_.context.threads);
    machine = gram_machine(products, 2);
  } else {
    machine = feature_machine(points_, 2);
  }
  // The search's own machine is nearly that of the labels. It is the answer where it is the better
  // one: training may be stopped before it has much.
  MmcFit start{.labels = labels, .weights = DenseMatrix(1, data_.features())};
  std::ranges::copy(std::span(best.w).first(data_.features()), start.weights.row(0).begin());
  start.offsets = {options_.bias == MmcBias::constant ? best.w.back() : 0.0};
  set_values(points_, options_.context.threads, start);
  start.objective = start.half_norm + options_.c * label_loss(start.values.view(), labels);
  MmcFit fit = machine->train(
      std::move(labels),
      {.c = options_.c, .tolerance = options_.tolerance, .context = options_.context},
      few ? nullptr : &start);
  if (start.objective < fit.objective) {
    start.dual = fit.dual;
    start.status = fit.status;
    fit = std::move(start);
  } else if (few) {
    set_weights(points_, fit);
  }
  ClusterNumbers numbers = number_by_size(fit.labels, 2);
  result_.labels = std::move(numbers.labels);
  result_.sizes = std::move(numbers.sizes);
  result_.objective = fit.objective;
  result_.training_bound = std::max(0.0, fit.dual);
  const double sign = numbers.old_number.front() == 0 ? 1 : -1;
  KernelExpansion& functions = result_.model.functions;
  functions.kernel = Linear{};
  functions.vectors = fit.weights;
  functions.coefficients = DenseMatrix(1, 1, sign);
  functions.offsets = {sign * fit.offsets.front()};
  SolveReport& report = result_.report;
  if (was_stopped(fit.status) && answer_ == Continue::yes) {
    answer_ = fit.status == Status::time_limit ? Continue::time_is_up : Continue::stop;
  }
  if (answer_ == Continue::yes && fit.status != Status::solved) {
    report.status = worse(report.status, fit.status);
    report.warnings.push_back("the last training ended as " + std::string(to_string(fit.status)));
  }
}

MmcCuttingPlaneClustering CuttingPlane::run() {
  PhaseTimer timer;
  timer.enter("starts");
  std::vector<Descent> descents = starts();
  result_.starts = descents.size();
  timer.enter("cutting planes");
  // All starts at C/100, the best of them at C/10 and C; a sample's machine at C alone.
  const bool sampled = descents.front().origin.starts_with("sample");
  // There must be an answer: without a sample's machine the first step is always finished.
  bool first = !sampled;
  for (Descent& descent : descents) {
    if (!first && stopped()) break;
    descend((sampled ? 1.0 : 0.01) * options_.c, rough, first, descent);
    first = false;
  }
  std::erase_if(descents, [](const Descent& descent) { return descent.w.empty(); });
  std::ranges::stable_sort(
      descents, [](const Descent& a, const Descent& b) { return a.objective < b.objective; });
  if (descents.size() > followed) descents.resize(followed);
  for (Descent& descent : descents) {
    for (const double part : {0.1, 1.0}) {
      if (sampled || stopped()) break;
      descend(part * options_.c, rough, false, descent);
    }
    descent.objective = concave_objective(descent, options_.c);
  }
  std::ranges::stable_sort(
      descents, [](const Descent& a, const Descent& b) { return a.objective < b.objective; });
  Descent& best = descents.front();
  std::vector<double> trace = best.trace;
  if (!stopped()) {
    descend(options_.c, options_.tolerance, false, best);
    for (const double value : best.trace) {
      if (trace.empty() || value < trace.back()) trace.push_back(value);
    }
  }
  timer.enter("training");
  finish(best);
  result_.trace = std::move(trace);
  result_.step_gap = best.gap;
  result_.winner = std::move(best.origin);
  SolveReport& report = result_.report;
  if (answer_ != Continue::yes) {
    report.status = status_of(answer_);
    report.warnings.push_back("stopped: not all starts were followed to the end");
  } else {
    if (!best.settled) report.status = worse(report.status, Status::iteration_limit);
    if (best.status != Status::solved) {
      report.status = worse(report.status, best.status);
      report.warnings.push_back("the last convex step ended as " +
                                std::string(to_string(best.status)) + " at a relative gap of " +
                                format_number(best.gap));
    }
  }
  report.iterations = steps_;
  report.primal_objective = result_.objective;
  report.lower_bound = 0;
  settle_end(report, Ending::search, options_.tolerance);
  report.seconds = timer.finish();
  return std::move(result_);
}

}  // namespace

MmcCuttingPlaneClustering cluster_mmc_cutting_plane(const Dataset& data,
                                                    const MmcCuttingPlaneOptions& options) {
  validate(options);
  data.validate();
  require(data.weights.empty(),
          "mmc-cutting-plane does not take example weights: the balance counts points");
  const std::size_t distinct = distinct_rows(data.examples, 2);
  require(distinct == 2,
          "mmc-cutting-plane: two clusters need two distinct points, " + data.source + " has " +
              std::to_string(distinct));
  return CuttingPlane(data, options).run();
}

}  // namespace maxmargin
