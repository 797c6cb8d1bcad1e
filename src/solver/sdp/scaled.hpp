// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linalg/cholesky.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/problem/sdp/sdp.hpp"
#include "maxmargin/solver/sdp/solution.hpp"
#include "problem/sdp/scale.hpp"

/// What the solvers of semidefinite programs share: the program in good scale and its operators.
namespace maxmargin {

/// An entry of a data matrix within its block, row >= column.
struct SdpTerm {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  double value = 0;
};

/// One block's part of all constraints that touch it.
struct SdpBlockRows {
  SdpCone cone = SdpCone::semidefinite;
  std::size_t size = 0;
  std::vector<std::uint32_t> constraint = {};
  std::vector<std::size_t> offsets = std::vector<std::size_t>(1, 0);
  std::vector<SdpTerm> terms = {};
  /// C in this block, sorted like the program's.
  std::vector<SdpTerm> cost = {};

  [[nodiscard]] std::size_t rows() const noexcept { return constraint.size(); }
  [[nodiscard]] std::span<const SdpTerm> row(std::size_t r) const {
    return std::span(terms).subspan(offsets[r], offsets[r + 1] - offsets[r]);
  }
  [[nodiscard]] bool is_vector() const noexcept { return cone == SdpCone::nonnegative; }
};

/// The program with every |A_i|_F = 1, rows that depend on others left out, and b and C divided by
/// their norms. Its X is X / rhs_scale, its y_i is y_i |A_i| / cost_scale, its Z is Z / cost_scale.
struct ScaledSdp {
  const SdpProblem* problem = nullptr;
  std::vector<SdpBlockRows> blocks = {};
  std::vector<double> rhs = {};
  /// The program's number of every constraint that is kept, and its norm.
  std::vector<std::size_t> kept = {};
  std::vector<double> norms = {};
  double rhs_scale = 1;
  double cost_scale = 1;

  [[nodiscard]] std::size_t constraints() const noexcept { return rhs.size(); }
  [[nodiscard]] double value_scale() const noexcept { return rhs_scale * cost_scale; }
  /// C in full.
  [[nodiscard]] BlockMatrix cost() const;
  /// <C, X> and A(X), from full symmetric X.
  [[nodiscard]] double cost_of(const BlockMatrix& x) const;
  void apply(const BlockMatrix& x, std::span<double> values, std::size_t threads) const;
  /// z += factor * sum y_i A_i, in full.
  void add_adjoint(double factor, std::span<const double> y, BlockMatrix& z) const;

  /// From the program's scale to this one and back. Points become symmetric on the way in.
  /// Multipliers of rows left out become 0.
  [[nodiscard]] BlockMatrix scaled_x(const BlockMatrix& x) const;
  [[nodiscard]] BlockMatrix scaled_z(const BlockMatrix& z) const;
  [[nodiscard]] std::vector<double> scaled_y(std::span<const double> y) const;
  [[nodiscard]] BlockMatrix original_x(const BlockMatrix& x) const;
  [[nodiscard]] BlockMatrix original_z(const BlockMatrix& z) const;
  [[nodiscard]] std::vector<double> original_y(std::span<const double> y) const;

  /// The 1 of the relative gap, or less in a program of small numbers.
  [[nodiscard]] double least_unit() const noexcept { return std::min(1.0, value_scale()); }
  /// The relative measures of SdpResiduals in the program's own scale, but for that 1.
  [[nodiscard]] double primal_infeasibility(std::span<const double> scaled_misses) const;
  [[nodiscard]] double dual_infeasibility(double scaled_norm) const;
  [[nodiscard]] double relative_gap(double scaled_primal, double scaled_dual) const;
};

/// A A' of a scaled program, factored by connected components: constraints that share no entry of X
/// do not meet. Components above `largest_component` rows are left to conjugate gradients.
class ConstraintGram {
 public:
  static constexpr std::size_t largest_component = 4000;

  explicit ConstraintGram(const ScaledSdp& program);
  /// y with A A' y = b, in place. `y` holds a guess, which only the iterative part uses.
  void solve(std::span<const double> b, std::span<double> y) const;
  /// Rows that depend on earlier ones, ascending, each with the combination y, y_i = 1, for which
  /// sum y_j A_j = 0. Those that the iterative part holds are not looked at.
  struct Dependence {
    std::size_t row = 0;
    std::vector<std::pair<std::size_t, double>> combination = {};
  };
  [[nodiscard]] const std::vector<Dependence>& dependences() const noexcept { return dependences_; }

 private:
  struct Component {
    std::vector<std::size_t> rows = {};
    Cholesky factor = {};
  };
  /// An entry of a constraint; `first` where another place of X begins.
  struct Touch {
    std::uint32_t constraint = 0;
    bool first = false;
    double value = 0;
  };
  void factor_component(std::vector<std::size_t> rows, const DenseMatrix& gram);
  void multiply(std::span<const double> y, std::span<double> result) const;
  void solve_iteratively(std::span<const double> b, std::span<double> y) const;

  std::size_t rows_ = 0;
  std::vector<double> diagonal_ = {};
  /// Rows alone in their component.
  std::vector<std::size_t> single_ = {};
  std::vector<Component> components_ = {};
  /// Rows of components that are too large, and their entries by place.
  std::vector<std::size_t> iterative_ = {};
  std::vector<Touch> iterative_touches_ = {};
  std::vector<Dependence> dependences_ = {};
};

/// X less its part that meets the constraints, X - A'(A A')^-1 A(X): what a drifting X may prove.
[[nodiscard]] BlockMatrix homogeneous_part(const ScaledSdp& program,
                                           const ConstraintGram& gram,
                                           BlockMatrix x,
                                           std::size_t threads);

/// The scaled program, or the answer where none is needed: no constraints or no rows, a constraint
/// with A_i = 0, or rows that contradict one another.
struct SdpPresolve {
  ScaledSdp program = {};
  std::optional<SdpSolution> answer = std::nullopt;
  std::vector<std::string> warnings = {};
};
/// With `leave_out_dependent` rows that are combinations of others to rounding are left out: O(s^3)
/// for a component of s rows of A A'.
[[nodiscard]] SdpPresolve presolve(const SdpProblem& problem, bool leave_out_dependent);

/// Checks the shapes of a start.
void check_start(const SdpProblem& problem, const SdpStart* start);

/// Fills the measured part of the report from x, y and z.
void measure(const SdpProblem& problem, SdpSolution& solution);

/// The last word on the status, after measure(): an answer that as measured misses twice the
/// tolerance is `solved_inaccurate`; the message of a run without an answer says whether a ray was
/// near.
void settle(const SdpProblem& problem, double tolerance, SdpSolution& solution);

/// Throws InvalidArgument when `points` points of the program do not fit the machine, or a block is
/// beyond LAPACK: a file of a few bytes can name blocks that no machine has.
void require_working_memory(const SdpProblem& problem, std::size_t points);

/// What a solver asks of solve_presolved.
struct SdpNeeds {
  std::string_view phase = {};
  double tolerance = 0;
  /// Points of the size of X that it holds at once.
  std::size_t points = 0;
  /// Whether rows that depend on others would break it.
  bool independent_rows = true;
};

/// What the three solvers have in common: presolve, run(program, solution) where it is needed, and
/// the measured report, timed by phase.
template <class Run>
[[nodiscard]] SdpSolution solve_presolved(const SdpProblem& problem,
                                          const SdpNeeds& needs,
                                          const Run& run) {
  require_working_memory(problem, needs.points);
  PhaseTimer timer;
  timer.enter("presolve");
  SdpPresolve presolved = presolve(problem, needs.independent_rows);
  SdpSolution solution;
  if (presolved.answer) {
    solution = std::move(*presolved.answer);
  } else {
    timer.enter(needs.phase);
    run(presolved.program, solution);
    timer.enter("certificate");
    measure(problem, solution);
  }
  settle(problem, needs.tolerance, solution);
  for (std::string& warning : presolved.warnings) {
    solution.report.warnings.push_back(std::move(warning));
  }
  solution.report.seconds = timer.finish();
  return solution;
}

/// The largest of three misses; +inf when one is not a number.
[[nodiscard]] double worst_of(double a, double b, double c);
/// X becomes (X + X') / 2.
void symmetrise(BlockMatrix& x);
/// |.|_F of full blocks, and the sum of the products of their entries.
[[nodiscard]] double frobenius(const BlockMatrix& z);
[[nodiscard]] double inner_product(const BlockMatrix& x, const BlockMatrix& z);
/// y += alpha x, block by block.
void add_blocks(double alpha, const BlockMatrix& x, BlockMatrix& y);

}  // namespace maxmargin
