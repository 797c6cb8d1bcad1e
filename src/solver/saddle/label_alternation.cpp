// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-alternating.md, "Relaxed steps"
#include "solver/saddle/label_alternation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/block_eigenpairs.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/saddle/unit_box_qp.hpp"
#include "solver/saddle/unit_rows.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t chunk = 128;
/// Half the width of the corner of the smoothed hinge.
constexpr double corner = 0.02;
constexpr double start_noise = 0.1;
constexpr std::size_t start_components = 10;

/// c K Diag(weights) x.
DenseMatrix weighted_product(const LabelSaddle& problem,
                             std::span<const double> weights,
                             DenseView x,
                             std::size_t threads) {
  DenseMatrix scaled(x.rows, x.cols);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t j = 0; j < x.cols; ++j) scaled(i, j) = weights[i] * x(i, j);
  }
  DenseMatrix product(x.rows, x.cols);
  const MutableDenseView to = product.view();
  parallel_chunks(threads, x.rows, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
    gemm(Transpose::no,
         Transpose::no,
         problem.c,
         problem.matrix.middle_rows(begin, end),
         scaled.view(),
         0.0,
         to.middle_rows(begin, end));
  });
  return product;
}

/// joint(V V', l) for a given l, its hinges rounded at the corner, as a function of V.
class MatrixStep final : public UnitRowsFunction {
 public:
  MatrixStep(const LabelSaddle& problem, std::span<const double> lambda, std::size_t threads)
      : problem_(problem), lambda_(lambda), threads_(threads) {}

  double evaluate(DenseView v, MutableDenseView gradient) override {
    v_ = DenseMatrix(v.rows, v.cols);
    for (std::size_t i = 0; i < v.rows; ++i) std::ranges::copy(v.row(i), v_.row(i).begin());
    images_ = weighted_product(problem_, lambda_, v, threads_);
    slopes_.assign(v.rows, 0.0);
    curvatures_.assign(v.rows, 0.0);
    double value = 0;
    for (std::size_t i = 0; i < v.rows; ++i) {
      const double margin = dot(v.row(i), images_.row(i));
      const double x = 1 - margin;
      double hinge = std::max(0.0, x);
      double slope = x > 0 ? 1 : 0;
      if (std::abs(x) < corner) {
        hinge = (x + corner) * (x + corner) / (4 * corner);
        slope = (x + corner) / (2 * corner);
        curvatures_[i] = 1 / (2 * corner);
      }
      value += 0.5 * lambda_[i] * margin + hinge;
      slopes_[i] = 0.5 * lambda_[i] - slope;
    }
    const DenseMatrix back = weighted_product(problem_, slopes_, v, threads_);
    for (std::size_t i = 0; i < v.rows; ++i) {
      for (std::size_t j = 0; j < v.cols; ++j) {
        gradient(i, j) = slopes_[i] * images_(i, j) + lambda_[i] * back(i, j);
      }
    }
    return value;
  }

  void hessian_product(DenseView direction, MutableDenseView product) override {
    const DenseMatrix moved = weighted_product(problem_, lambda_, direction, threads_);
    std::vector<double> change(direction.rows);
    for (std::size_t i = 0; i < direction.rows; ++i) {
      change[i] =
          curvatures_[i] * (dot(direction.row(i), images_.row(i)) + dot(v_.row(i), moved.row(i)));
    }
    const DenseMatrix by_slopes = weighted_product(problem_, slopes_, direction, threads_);
    const DenseMatrix by_change = weighted_product(problem_, change, v_.view(), threads_);
    for (std::size_t i = 0; i < direction.rows; ++i) {
      for (std::size_t j = 0; j < direction.cols; ++j) {
        product(i, j) = change[i] * images_(i, j) + slopes_[i] * moved(i, j) +
                        lambda_[i] * (by_slopes(i, j) + by_change(i, j));
      }
    }
  }

 private:
  const LabelSaddle& problem_;
  std::span<const double> lambda_;
  std::size_t threads_;
  DenseMatrix v_;
  DenseMatrix images_;              ///< c K Diag(l) V
  std::vector<double> slopes_;      ///< of the value in the margins
  std::vector<double> curvatures_;  ///< of the hinges
};

std::size_t default_columns(std::size_t n) {
  std::size_t r = 1;
  while (r * (r + 1) / 2 <= n) ++r;
  return std::min(r, n);
}

/// Leading kernel principal components with some noise, rows of length 1.
DenseMatrix first_rows(const LabelSaddle& problem,
                       const LabelAlternationOptions& options,
                       std::size_t threads) {
  const std::size_t n = problem.size();
  const std::size_t columns = options.columns.value_or(default_columns(n));
  const BlockEigen found =
      largest_eigenpairs(n,
                         [&](DenseView vectors, MutableDenseView images) {
                           multiply_symmetric(problem.matrix, vectors, images, threads);
                         },
                         {.count = std::min({start_components, columns, n}),
                          .tolerance = 1e-3,
                          .max_steps = 30,
                          .context = options.context.quiet()});
  const std::size_t pairs = found.pairs.values.size();
  Rng rng(options.context.seed, "label alternation");
  DenseMatrix v(n, columns);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < std::min(pairs, columns); ++k) {
      v(i, k) = std::sqrt(std::max(0.0, found.pairs.values[pairs - 1 - k])) *
                found.pairs.vectors(pairs - 1 - k, i);
    }
    const double length = std::sqrt(dot(v.row(i), v.row(i)));
    const double noise =
        (length > 0 ? start_noise * length : 1.0) / std::sqrt(static_cast<double>(columns));
    for (double& x : v.row(i)) x += noise * rng.normal();
    const double norm = std::sqrt(dot(v.row(i), v.row(i)));
    for (double& x : v.row(i)) x /= norm;
  }
  return v;
}

/// c K o V V'.
DenseMatrix label_hessian(const LabelSaddle& problem, DenseView v, std::size_t threads) {
  DenseMatrix h(v.rows, v.rows);
  parallel_chunks(threads, v.rows, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
    const MutableDenseView rows = h.view().middle_rows(begin, end);
    gemm(Transpose::no, Transpose::yes, problem.c, v.middle_rows(begin, end), v, 0.0, rows);
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < v.rows; ++j) h(i, j) *= problem.matrix(i, j);
      // Against rounding of the product of two semidefinite matrices.
      h(i, i) *= 1 + 1e-11;
    }
  });
  return h;
}

/// l, y_i = (A V)_i . v_i and what they prove.
void certify(const LabelSaddle& problem, std::size_t threads, LabelAlternation& found) {
  const DenseMatrix images = weighted_product(problem, found.lambda, found.v.view(), threads);
  found.certificate.lambda = found.lambda;
  for (std::size_t i = 0; i < found.lambda.size(); ++i) {
    found.certificate.diagonal.push_back(0.5 * found.lambda[i] *
                                         dot(images.row(i), found.v.row(i)));
  }
  found.certificate.balance.assign(balance_multipliers(problem), 0.0);
  found.lower_bound = std::max(0.0, label_saddle_bound(problem, found.certificate));
}

}  // namespace

double joint_label_value(const LabelSaddle& problem, DenseView v, std::span<const double> lambda) {
  require(v.rows == problem.size() && lambda.size() == problem.size(),
          "joint_label_value: V and lambda must have one row a point");
  double value = 0;
  for (std::size_t i = 0; i < v.rows; ++i) {
    double margin = 0;
    for (std::size_t j = 0; j < v.rows; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < v.cols; ++k) product += v(i, k) * v(j, k);
      margin += problem.c * problem.matrix(i, j) * product * lambda[j];
    }
    value += 0.5 * lambda[i] * margin + std::max(0.0, 1 - margin);
  }
  return value;
}

void LabelAlternationOptions::describe(OptionVisitor& visit) {
  visit.whole(
      {.name = "columns", .help = "columns of the factor", .fallback = "by the number of points"},
      columns,
      {.least = 1});
  visit.whole(
      {.name = "max-iterations", .help = "pairs of steps at most"}, max_iterations, {.least = 1});
  visit.number(
      {.name = "tolerance", .help = "share of the value by which a pair of steps must lower it"},
      tolerance,
      rules::positive);
  visit.threads(context.threads);
}

LabelAlternation alternate_label_matrix(const LabelSaddle& problem,
                                        const LabelAlternationOptions& options) {
  validate(problem);
  validate(options);
  const std::size_t threads = thread_count(options.context.threads);
  PhaseTimer timer;
  timer.enter("relaxed steps");
  LabelAlternation found;
  found.v = first_rows(problem, options, threads);
  UnitBoxQp qp(problem.size(), {.context = options.context.quiet()});
  found.report.status = Status::iteration_limit;
  for (std::size_t step = 0; step < options.max_iterations; ++step) {
    // The machine of the present labels; the barrier costs at most 2 n mu.
    const DenseMatrix h = label_hessian(problem, found.v.view(), threads);
    double mu = 1e-2;
    for (int round = 0; round < 6; ++round) {
      const UnitBoxQpReport inner = qp.solve(h.view(), mu);
      // A rough maximiser may have a value below 0.
      const double scale = std::max(inner.value, 1e-3) / static_cast<double>(problem.size());
      mu = std::min(mu, 1e-2 * options.tolerance * scale);
    }
    const std::vector<double> lambda(qp.x().begin(), qp.x().end());
    const double value = joint_label_value(problem, found.v.view(), lambda);
    if (!found.values.empty() && !(value < found.values.back())) {
      found.report.status = Status::solved;
      break;
    }
    const bool slow =
        !found.values.empty() && value > found.values.back() * (1 - options.tolerance);
    found.lambda = lambda;
    found.values.push_back(value);
    if (slow) {
      found.report.status = Status::solved;
      break;
    }
    const Continue answer = options.context.ask({.phase = "relaxed steps",
                                                 .iteration = step,
                                                 .max_iterations = options.max_iterations,
                                                 .primal_objective = value});
    if (answer != Continue::yes) {
      found.report.status = status_of(answer);
      break;
    }
    // The labels of the present machine: kept where the exact value does not rise.
    MatrixStep function(problem, found.lambda, threads);
    UnitRowsSolution moved = minimize_over_unit_rows(function,
                                                     found.v,
                                                     {.gradient_tolerance = 1e-4 * value,
                                                      .max_iterations = 30,
                                                      .context = options.context.quiet()});
    if (!(joint_label_value(problem, moved.v.view(), found.lambda) < value)) {
      found.report.status = Status::solved;
      break;
    }
    found.v = std::move(moved.v);
  }
  // The machine that goes with these labels was found before the last move was refused.
  certify(problem, threads, found);
  found.report.iterations = found.values.size();
  found.report.primal_objective = found.values.back();
  found.report.lower_bound = found.lower_bound;
  found.report.seconds = timer.finish();
  return found;
}

}  // namespace maxmargin
