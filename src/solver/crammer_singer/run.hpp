// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "solver/crammer_singer/crammer_singer.hpp"
#include "solver/gap.hpp"

/// What the linear and the kernel solver of direct multi-class machines share:
/// docs/algorithms/crammer-singer.md.
namespace maxmargin {

/// The two ways to solve the problem, from feasible coefficients that they improve in place. Both
/// fill in the objectives, status, message and iterations of the report.
///
/// The linear one returns true when it gave up: when its multiplications and additions exceed
/// `operations`. Its report is then that of the point it reached.
[[nodiscard]] bool solve_linear(const CrammerSinger& problem,
                                const CrammerSingerOptions& options,
                                std::optional<double> operations,
                                CrammerSingerSolution& solution);
/// Weights and objectives of the coefficients as they are; linear machines.
void measure_linear(const CrammerSinger& problem,
                    const CrammerSingerOptions& options,
                    CrammerSingerSolution& solution);
void solve_kernel(const CrammerSinger& problem,
                  const CrammerSingerOptions& options,
                  CrammerSingerSolution& solution);

/// Primal and dual objective of a point.
struct Objectives {
  double primal = 0;
  double dual = 0;
};

/// When a run ends, said once for both solvers.
class CrammerSingerStop {
 public:
  CrammerSingerStop(const CrammerSingerOptions& options, SolveReport& report)
      : options_(options), report_(report) {}

  [[nodiscard]] bool is_solved(const Objectives& objectives) const {
    return is_within(objectives.primal, objectives.dual, options_.tolerance);
  }
  /// Reports where the run stands; true when the callback or the limit on steps ends it.
  [[nodiscard]] bool should_stop(const Objectives& objectives);
  /// To be asked once a round: true after many rounds in which neither the dual grew nor the gap
  /// fell. Near the optimum the dual stands still in all its digits long before the gap does.
  [[nodiscard]] bool is_stuck(const Objectives& objectives);
  /// Begins to count anew: gaps over other examples do not compare with earlier ones.
  void forget_progress() {
    least_gap_ = std::numeric_limits<double>::infinity();
    idle_rounds_ = 0;
  }
  /// Ends the run with these objectives.
  void finish(Status status, const Objectives& objectives, const char* message = "");
  [[nodiscard]] bool out_of_steps() const {
    return options_.max_iterations && report_.iterations >= *options_.max_iterations;
  }

 private:
  const CrammerSingerOptions& options_;
  SolveReport& report_;
  double best_dual_ = -std::numeric_limits<double>::infinity();
  double least_gap_ = std::numeric_limits<double>::infinity();
  std::size_t idle_rounds_ = 0;
};

/// An example as its subproblem sees it.
struct CrammerSingerExample {
  std::size_t own = 0;   ///< its class
  double cost = 0;       ///< C_i
  double curvature = 0;  ///< A_i
};

/// g_i = C_i xi_i + sum_r t_ir G_ir, this example's share of the duality gap; never negative.
[[nodiscard]] double example_gap(const CrammerSingerExample& example,
                                 std::span<const double> gradient,
                                 std::span<const double> coefficients);

/// Where an example stands with respect to its optimality conditions.
struct ExampleState {
  /// Largest G less the least G of a class below its bound.
  double violation = 0;
  /// At a corner, so that it cannot move but by a violation, and how far it is from one.
  bool at_corner = false;
  double slack = 0;
};
[[nodiscard]] ExampleState example_state(const CrammerSingerExample& example,
                                         std::span<const double> gradient,
                                         std::span<const double> coefficients);

/// The exact maximum of the dual over one example's coefficients.
class ExampleStep {
 public:
  explicit ExampleStep(std::size_t classes) : sorted_(classes), changes_(classes) {}

  /// Replaces the coefficients by the optimal ones and returns how much the dual grew. The changes
  /// are in changes().
  double solve(const CrammerSingerExample& example,
               std::span<const double> gradient,
               std::span<double> coefficients);
  [[nodiscard]] std::span<const double> changes() const noexcept { return changes_; }

 private:
  std::vector<double> sorted_;
  std::vector<double> changes_;
};

}  // namespace maxmargin
