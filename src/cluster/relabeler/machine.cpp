// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/relabeler.md, step 2: the two-class machines.
#include "cluster/relabeler/machine.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/problem/kernel_machines.hpp"
#include "solver/smo/smo.hpp"

namespace maxmargin::relabel {

namespace {

/// Changes values in [0, bound] as little as a common factor can so that they add up to `wanted`.
/// Requires 0 <= wanted <= bound x number of values.
void reach_sum(std::span<double*> values, double bound, double wanted) {
  double sum = 0;
  for (const double* value : values) sum += *value;
  if (sum >= wanted) {
    for (double* value : values) *value *= sum > 0 ? wanted / sum : 0.0;
    return;
  }
  const double room = bound * static_cast<double>(values.size()) - sum;
  const double share = room > 0 ? std::min(1.0, (wanted - sum) / room) : 0.0;
  for (double* value : values) *value += share * (bound - *value);
}

class TwoClassMachine final : public Machine {
 public:
  TwoClassMachine(const BorrowedMatrix& matrix, const RelabelerOptions& options)
      : matrix_(matrix),
        options_(options.machine),
        context_(options.context),
        signs_(matrix.size(), 0),
        magnitudes_(matrix.size(), 0.0),
        weights_(matrix.size(), 1.0) {
    for (const double entry : matrix.diagonal()) {
      kernel_size_ = std::max(kernel_size_, std::abs(entry));
    }
    if (kernel_size_ == 0) kernel_size_ = 1;  // a tolerance must be > 0
  }

  [[nodiscard]] bool can_fit(std::span<const std::int32_t> labels) const override {
    const auto ones = static_cast<double>(std::ranges::count(labels, 1));
    const auto all = static_cast<double>(labels.size());
    const double lighter = std::min(ones, all - ones);
    if (options_.engine == RelabelerEngine::c_svm) return lighter > 0;
    return lighter > 0 && 2 * lighter >= options_.nu * all;
  }

  void fit(std::span<const std::int32_t> labels, Fit& result) override;

 private:
  [[nodiscard]] bool is_nu() const { return options_.engine == RelabelerEngine::nu_svm; }
  [[nodiscard]] SvmDual dual() const;
  [[nodiscard]] SmoSolution solve(const SvmDual& problem,
                                  double tolerance,
                                  std::span<const double> from) const;
  /// A feasible point near the last solution: moved points begin at 0.
  [[nodiscard]] std::vector<double> start(const SvmDual& dual);
  /// The objective of the last machine under the present signs (C-SVM).
  [[nodiscard]] double carried_objective() const;
  void keep(const SmoSolution& solution);

  const BorrowedMatrix& matrix_;
  RelabelerMachineOptions options_;
  Context context_;
  std::vector<std::int8_t> signs_;
  std::vector<double> magnitudes_;  ///< |coefficient|
  std::vector<double> weights_;
  std::vector<double> values_;  ///< f on the points, offset included
  double kernel_size_ = 0;      ///< largest |K(x, x)|, or 1
  double squared_norm_ = 0;
};

SvmDual TwoClassMachine::dual() const {
  if (is_nu()) return nu_svc_dual(matrix_, signs_, weights_, options_.nu);
  return c_svc_dual(matrix_, signs_, weights_, {.c = options_.c});
}

std::vector<double> TwoClassMachine::start(const SvmDual& dual) {
  std::vector<double*> positive;
  std::vector<double*> negative;
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    (signs_[i] > 0 ? positive : negative).push_back(&magnitudes_[i]);
  }
  const auto sum_of = [](std::span<double* const> values) {
    double sum = 0;
    for (const double* value : values) sum += *value;
    return sum;
  };
  const double wanted =
      is_nu() ? dual.group_sum.front() : std::min(sum_of(positive), sum_of(negative));
  const double bound = is_nu() ? 1.0 : options_.c;
  reach_sum(positive, bound, wanted);
  reach_sum(negative, bound, wanted);
  std::vector<double> b(signs_.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = std::clamp(signs_[i] * magnitudes_[i], dual.lower[i], dual.upper[i]);
  }
  return b;
}

double TwoClassMachine::carried_objective() const {
  double losses = 0;
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    losses += std::max(0.0, 1 - signs_[i] * values_[i]);
  }
  return 0.5 * squared_norm_ + options_.c * losses;
}

void TwoClassMachine::keep(const SmoSolution& solution) {
  double offset = solution.offsets.front();
  if (is_nu()) offset = 0.5 * (offset + solution.offsets[1]);  // b - rho and b + rho
  offsets_ = {offset};
  coefficients_ = DenseMatrix(signs_.size(), 1);
  values_.resize(signs_.size());
  squared_norm_ = 0;
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    coefficients_(i, 0) = solution.coefficients[i];
    magnitudes_[i] = std::abs(solution.coefficients[i]);
    values_[i] = solution.values[i] + offset;
    squared_norm_ += solution.coefficients[i] * solution.values[i];
  }
}

SmoSolution TwoClassMachine::solve(const SvmDual& problem,
                                   double tolerance,
                                   std::span<const double> from) const {
  SmoOptions smo{.tolerance = tolerance, .context = context_};
  // No duality without definiteness; and the optimum of the nu-machine is nearly 0 when labels are
  // random, so that no gap is small beside it.
  if (options_.indefinite || is_nu()) smo.kkt_tolerance = tolerance * kernel_size_;
  return solve_smo(problem, smo, from);
}

void TwoClassMachine::fit(std::span<const std::int32_t> labels, Fit& result) {
  const bool first = values_.empty();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::int8_t sign = labels[i] == 1 ? 1 : -1;
    if (sign != signs_[i]) magnitudes_[i] = 0;
    signs_[i] = sign;
  }
  const SvmDual problem = dual();
  SmoSolution solution =
      solve(problem, options_.tolerance, first ? std::vector<double>{} : start(problem));
  // No refit may be worse than the machine it replaces: that is what makes every run end. (Exact
  // nu-machines of random labels are too costly: their runs may meet max_iterations instead.)
  const bool must_fall = !first && !options_.indefinite && !is_nu();
  double tolerance = options_.tolerance;
  while (must_fall && tolerance > least_tolerance && !was_stopped(solution.report.status) &&
         !(*solution.report.primal_objective <= carried_objective())) {
    tolerance = std::max(least_tolerance, refinement * tolerance);
    solution = solve(problem, tolerance, solution.coefficients);
  }
  keep(solution);
  result.objective = *solution.report.primal_objective;
  result.exact = solution.report.status == Status::solved;
  result.predicted.resize(labels.size());
  result.badness.resize(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    result.predicted[i] = values_[i] >= 0 ? 1 : 0;
    result.badness[i] = result.predicted[i] == labels[i] ? 0.0 : std::abs(values_[i]);
  }
}

}  // namespace

std::unique_ptr<Machine> make_machine(const BorrowedMatrix& matrix,
                                      const RelabelerOptions& options) {
  if (options.k != 2 || options.multiclass == RelabelerMulticlass::direct) {
    return make_direct_machine(matrix, options);
  }
  return std::make_unique<TwoClassMachine>(matrix, options);
}

}  // namespace maxmargin::relabel
