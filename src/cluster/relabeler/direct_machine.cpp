// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/relabeler.md, step 2: the direct multi-class machine.
#include <algorithm>
#include <cmath>

#include "cluster/relabeler/machine.hpp"
#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "solver/crammer_singer/crammer_singer.hpp"

namespace maxmargin::relabel {

namespace {

class DirectMachine final : public Machine {
 public:
  DirectMachine(const BorrowedMatrix& matrix, const RelabelerOptions& options)
      : matrix_(matrix),
        options_(options.machine),
        context_(options.context),
        problem_{.points = &matrix,
                 .class_count = options.k,
                 .costs = std::vector<double>(matrix.size(), options.machine.c)} {
    // The constant feature is as long as the points are: the answer does not depend on the kernel's
    // scale, and a linear kernel need not have its origin among the points.
    double mean = 0;
    for (const double entry : matrix.diagonal()) {
      mean += entry / static_cast<double>(matrix.size());
    }
    problem_.bias = std::sqrt(std::max(0.0, mean));
  }

  [[nodiscard]] bool can_fit(std::span<const std::int32_t> labels) const override {
    return std::ranges::any_of(labels, [&](std::int32_t label) { return label != labels[0]; });
  }

  void fit(std::span<const std::int32_t> labels, Fit& result) override;

 private:
  [[nodiscard]] double carried_objective() const;
  void keep(CrammerSingerSolution solution);

  const BorrowedMatrix& matrix_;
  RelabelerMachineOptions options_;
  Context context_;
  CrammerSinger problem_;
  DenseMatrix values_;  ///< points x classes, offsets included
};

double DirectMachine::carried_objective() const {
  double norm = 0;
  double losses = 0;
  for (std::size_t i = 0; i < problem_.size(); ++i) {
    const std::size_t own = problem_.class_of(i);
    double most = values_(i, own);
    for (std::size_t r = 0; r < problem_.class_count; ++r) {
      norm += coefficients_(i, r) * values_(i, r);
      most = std::max(most, values_(i, r) + (r == own ? 0.0 : 1.0));
    }
    losses += most - values_(i, own);
  }
  return 0.5 * norm + options_.c * losses;
}

void DirectMachine::keep(CrammerSingerSolution solution) {
  coefficients_ = std::move(solution.coefficients);
  offsets_ = std::move(solution.offsets);
  const std::size_t n = problem_.size();
  values_ = DenseMatrix::uninitialized(n, problem_.class_count);
  constexpr std::size_t rows_at_once = 256;
  parallel_chunks(thread_count(context_.threads),
                  n,
                  rows_at_once,
                  [&](std::size_t /*chunk*/, std::size_t begin, std::size_t end) {
                    gemm(Transpose::no,
                         Transpose::no,
                         1.0,
                         matrix_.view().middle_rows(begin, end),
                         coefficients_.view(),
                         0.0,
                         values_.view().middle_rows(begin, end));
                  });
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < problem_.class_count; ++r) values_(i, r) += offsets_[r];
  }
}

void DirectMachine::fit(std::span<const std::int32_t> labels, Fit& result) {
  const bool first = problem_.classes.empty();
  DenseMatrix start = coefficients_;
  for (std::size_t i = 0; !first && i < labels.size(); ++i) {
    // The bounds follow the class: a moved point begins at 0.
    if (labels[i] != problem_.classes[i]) std::ranges::fill(start.row(i), 0.0);
  }
  problem_.classes.assign(labels.begin(), labels.end());
  CrammerSingerOptions solver{.tolerance = options_.tolerance, .context = context_};
  CrammerSingerSolution solution =
      solve_crammer_singer(problem_, solver, first ? DenseView{} : start.view());
  while (!first && solver.tolerance > least_tolerance && !was_stopped(solution.report.status) &&
         !(*solution.report.primal_objective <= carried_objective())) {
    solver.tolerance = std::max(least_tolerance, refinement * solver.tolerance);
    start = std::move(solution.coefficients);
    solution = solve_crammer_singer(problem_, solver, start.view());
  }
  result.objective = *solution.report.primal_objective;
  result.exact = solution.report.status == Status::solved;
  keep(std::move(solution));
  result.predicted.resize(labels.size());
  result.badness.resize(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = values_.row(i);
    const auto largest = std::ranges::max_element(row);
    result.predicted[i] = static_cast<std::int32_t>(largest - row.begin());
    result.badness[i] = *largest - row[static_cast<std::size_t>(labels[i])];
  }
}

}  // namespace

std::unique_ptr<Machine> make_direct_machine(const BorrowedMatrix& matrix,
                                             const RelabelerOptions& options) {
  return std::make_unique<DirectMachine>(matrix, options);
}

}  // namespace maxmargin::relabel
