// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/robust.md, "From the relaxation to a machine"
#include "model/robust/relaxed_descent.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "model/kernel/training.hpp"
#include "model/robust/kernel_step.hpp"
#include "problem/borrowed_matrix.hpp"
#include "relax/weight_rounding.hpp"

namespace maxmargin {

namespace {

/// Another choice must be better by this share to be preferred to an earlier one.
constexpr double least_gain = 1e-6;
/// Steps of a convex problem while choices are compared, beside some for each example.
constexpr std::uint64_t few_steps = 20000;
constexpr std::uint64_t few_steps_an_example = 100;
/// Multiples of a machine that was ended early: 1/2, 1/4, ... and nothing.
constexpr std::size_t most_halvings = 40;

/// The name of the choice to keep all.
constexpr const char* plain_machine = "plain machine";

/// A choice of examples as weights.
struct Choice {
  std::string origin;
  std::vector<double> eta;
};

class Rounding {
 public:
  explicit Rounding(const RelaxedProblem& problem)
      : problem_(problem),
        matrix_(problem.matrix),
        signs_(problem.matrix.rows, 1),
        costs_(problem.matrix.rows, problem.cost),
        loss_(problem.rho ? RobustLoss::trimmed(costs_, *problem.rho)
                          : RobustLoss::capped(costs_, 0)),
        weighted_(matrix_, signs_, costs_, false, false, machine_options(few())),
        // The steps of ramp-svc where the loss is capped, of trimmed-svc where it is not.
        rough_(matrix_, signs_, costs_, false, !problem.rho, machine_options(few())),
        exact_(matrix_, signs_, costs_, false, !problem.rho, machine_options(most_machine_steps)) {}

  void run(RelaxedDescent& result) {
    // There must be a machine even if there is no time left: nobody is asked before it is there.
    std::string origin = "weighted machine";
    RobustPoint first = weighted_.solve(result.relaxed.eta, nullptr);
    std::uint64_t iterations = first.iterations;
    if (was_stopped(result.relaxed.report.status)) {
      // The weights may be worth little, and there is no time for other choices.
      RobustPoint plain = weighted_.solve(std::vector<double>(signs_.size(), 1.0), nullptr);
      iterations += plain.iterations;
      if (cost(plain) < cost(first)) {
        first = std::move(plain);
        origin = plain_machine;
      }
    }
    asks_ = true;
    const std::vector<Choice> choices = collect(result.relaxed, first, origin);
    result.roundings = choices.size();
    for (const Choice& choice : choices) {
      RobustDescent other = from(choice.eta, first, rough_, problem_.max_rounds);
      iterations += other.iterations;
      const Status status = other.status;
      if (result.winner.empty() || is_better(other, result.found)) {
        result.found = std::move(other);
        result.winner = choice.origin;
      }
      if (was_stopped(status)) {
        result.found.status = status;
        break;
      }
    }
    if (was_stopped(result.found.status) && cost(first) < result.found.objective) {
      result.winner = origin;
      take_as_it_is(std::move(first), result.found);
    }
    iterations += go_on(result.found);
    if (!is_over(result.found.status)) iterations += compare_with_plain_descents(result);
    if (result.found.status != Status::solved) shrink(result.found);
    result.found.iterations = iterations;
  }

 private:
  /// The objective at the best outliers for this machine.
  [[nodiscard]] double cost(const RobustPoint& point) const {
    return 0.5 * point.squared_norm + loss_.value(point.values, loss_.best_eta(point.values));
  }

  /// Functions of machines that were ended early may be far too large: takes the best of smaller
  /// multiples, down to nothing, whose losses are all 1.
  void shrink(RobustDescent& found) const {
    RobustPoint& point = found.point;
    const std::size_t n = signs_.size();
    double best = 1;
    for (std::size_t k = 1; k <= most_halvings; ++k) {
      const double scale = k < most_halvings ? std::ldexp(1.0, -static_cast<int>(k)) : 0.0;
      std::vector<double> margins = point.values;
      for (double& margin : margins) margin *= scale;
      std::vector<double> eta = loss_.best_eta(margins);
      const double objective = 0.5 * scale * scale * point.squared_norm + loss_.value(margins, eta);
      if (!(objective < found.objective)) continue;
      best = scale;
      found.objective = objective;
      found.eta = std::move(eta);
    }
    if (best == 1) return;
    for (std::size_t i = 0; i < n; ++i) {
      point.coefficients[i] *= best;
      point.values[i] *= best;
    }
    point.squared_norm *= best * best;
    found.objectives.push_back(found.objective);
    prove_nothing(found);
  }

  /// No problem was solved for these outliers; zeros prove what every choice costs.
  void prove_nothing(RobustDescent& found) const {
    found.proof.assign(signs_.size(), 0.0);
    found.fixed_dual = loss_.constant(found.eta);
  }

  /// A step that was stopped may end far above where it began.
  void take_as_it_is(RobustPoint point, RobustDescent& found) const {
    found.eta = loss_.best_eta(point.values);
    found.objective = cost(point);
    found.objectives.push_back(found.objective);
    found.point = std::move(point);
    prove_nothing(found);
  }

  /// Whatever those find is never below the answer, not even by rounding: it is theirs then.
  /// Returns the steps taken.
  [[nodiscard]] std::uint64_t compare_with_plain_descents(RelaxedDescent& result) const {
    if (!problem_.plain_descents || (problem_.rho && *problem_.rho >= 1)) return 0;
    RobustDescent other = problem_.plain_descents();
    const std::uint64_t iterations = other.iterations;
    const Status status = other.status;
    if (status != Status::numerical_failure && other.objective < result.found.objective) {
      result.found = std::move(other);
      result.winner = problem_.rho ? "descents of trimmed-svc" : "descents of ramp-svc";
    }
    if (was_stopped(status)) result.found.status = status;
    return iterations;
  }

  [[nodiscard]] std::uint64_t few() const {
    return few_steps + few_steps_an_example * problem_.matrix.rows;
  }

  [[nodiscard]] RobustDescent from(const std::vector<double>& eta,
                                   const RobustPoint& start,
                                   KernelStep& step,
                                   std::size_t rounds) const {
    return descend(
        loss_,
        signs_,
        [&](std::span<const double> next, const RobustPoint* last) {
          return step.solve(next, last);
        },
        eta,
        &start,
        rounds);
  }

  /// Where a machine ran out of steps while rounds were left, these with more steps each. Returns
  /// the steps taken.
  [[nodiscard]] std::uint64_t go_on(RobustDescent& found) {
    if (found.status != Status::iteration_limit || found.rounds >= problem_.max_rounds) return 0;
    RobustDescent longer = from(found.eta, found.point, exact_, problem_.max_rounds - found.rounds);
    const Status status = longer.status;
    const std::uint64_t iterations = longer.iterations;
    // One that converged is worth more than one that happens to lie lower within the tolerance.
    const double room = status == Status::solved ? problem_.control.tolerance : 0.0;
    if (status != Status::numerical_failure && longer.objective <= (1 + room) * found.objective) {
      found = std::move(longer);
    }
    if (was_stopped(status)) found.status = status;
    return iterations;
  }

  /// A limit that the caller gave is the relaxation's.
  [[nodiscard]] SmoOptions machine_options(std::uint64_t steps) {
    SmoOptions options = smo_options(problem_.control, {});
    options.max_iterations = steps;
    options.context.on_progress = [this](const Progress& progress) {
      return asks_ ? problem_.context.ask(progress) : Continue::yes;
    };
    return options;
  }

  [[nodiscard]] static bool is_better(const RobustDescent& other, const RobustDescent& best) {
    if (other.status == Status::numerical_failure) return false;
    if (best.status == Status::numerical_failure) return true;
    return other.objective < best.objective - least_gain * best.objective;
  }

  /// What the scores of a candidate keep.
  [[nodiscard]] std::vector<double> kept(std::span<const double> scores) const {
    if (problem_.rho) return loss_.best_eta(scores);
    std::vector<double> eta;
    for (const double score : scores) eta.push_back(score >= 0 ? 1.0 : 0.0);
    return eta;
  }

  [[nodiscard]] std::vector<Choice> collect(const WeightSaddleSolution& relaxed,
                                            const RobustPoint& first,
                                            const std::string& origin) const {
    std::vector<Choice> all;
    const auto take = [&](Choice choice) {
      const bool known =
          std::ranges::any_of(all, [&](const Choice& other) { return other.eta == choice.eta; });
      if (!known) all.push_back(std::move(choice));
    };
    // As all labels are 1 the values are margins.
    take({origin, loss_.best_eta(first.values)});
    if (relaxed.rows.rows() > 0) {
      const WeightRoundingOptions rounding{.restarts = problem_.restarts,
                                           .context = problem_.context};
      for (const WeightCandidate& candidate : round_weights(relaxed.rows.view(), rounding)) {
        take({candidate.origin, kept(candidate.scores)});
      }
      take({plain_machine, std::vector<double>(signs_.size(), 1.0)});
    }
    return all;
  }

  const RelaxedProblem& problem_;
  BorrowedMatrix matrix_;
  std::vector<std::int8_t> signs_;
  std::vector<double> costs_;
  RobustLoss loss_;
  bool asks_ = false;
  KernelStep weighted_;
  KernelStep rough_;
  KernelStep exact_;
};

/// With rho = 1 all weights are 1: the relaxation is the machine.
WeightSaddleSolution nothing_to_choose(std::size_t n) {
  WeightSaddleSolution relaxed;
  relaxed.eta.assign(n, 1.0);
  relaxed.rank = 1;
  return relaxed;
}

/// "Nothing is known" as a certificate: it proves that no objective is below 0.
WeightCertificate proof_of_nothing(std::size_t n, bool choice_is_bounded) {
  WeightCertificate certificate{.lambda = std::vector<double>(n, 0.0),
                                .diagonal = std::vector<double>(n + 1, 0.0)};
  if (choice_is_bounded) return certificate;
  // 1/4 [n, -e'; -e, I] has e in its kernel.
  std::ranges::fill(certificate.diagonal, 0.25);
  certificate.diagonal.front() *= static_cast<double>(n);
  certificate.kept = 1;
  return certificate;
}

}  // namespace

RelaxedDescent stopped_descent(std::size_t n,
                               double cost,
                               const std::optional<double>& rho,
                               Status status) {
  const RobustLoss loss = rho ? RobustLoss::trimmed(std::vector<double>(n, cost), *rho)
                              : RobustLoss::capped(std::vector<double>(n, cost), 0);
  RelaxedDescent result{.winner = "no machine"};
  RobustDescent& found = result.found;
  found.point.coefficients.assign(n, 0.0);
  found.point.values.assign(n, 0.0);
  found.point.status = status;
  found.status = status;
  found.eta = loss.best_eta(found.point.values);
  found.objective = loss.value(found.point.values, found.eta);
  found.objectives = {found.objective};
  found.proof.assign(n, 0.0);
  found.fixed_dual = loss.constant(found.eta);
  WeightSaddleSolution& relaxed = result.relaxed;
  relaxed.eta = found.eta;
  relaxed.certificate = proof_of_nothing(n, rho.has_value());
  relaxed.value = found.objective / cost;
  relaxed.report.status = status;
  return result;
}

WeightSaddleSolution relax_weights(const RelaxedProblem& problem) {
  SaddleOptions options{.tolerance = problem.control.tolerance, .context = problem.context};
  if (const auto limit = problem.control.max_iterations) {
    options.max_iterations = static_cast<std::size_t>(*limit);
  }
  return solve_weight_saddle({.matrix = problem.matrix, .c = problem.cost, .kept = problem.rho},
                             options);
}

RelaxedDescent descend_from_relaxation(const RelaxedProblem& problem) {
  const bool convex = problem.rho && *problem.rho >= 1;
  RelaxedDescent result;
  result.relaxed = convex ? nothing_to_choose(problem.matrix.rows) : relax_weights(problem);
  const Stopwatch watch;
  Rounding(problem).run(result);
  result.relaxed.rows = DenseMatrix();
  if (convex) {
    result.winner = plain_machine;
    result.relaxed.value = result.found.objective / problem.cost;
    result.relaxed.lower_bound = std::max(0.0, result.found.fixed_dual) / problem.cost;
    result.relaxed.report.iterations = result.found.iterations;
  }
  result.relaxed.report.seconds.emplace_back("round", watch.seconds());
  return result;
}

}  // namespace maxmargin
