// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc.md
#include "maxmargin/solver/label_saddle.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/linalg/blas.hpp"
#include "maxmargin/linalg/block_eigenpairs.hpp"
#include "maxmargin/linalg/eigen_symmetric.hpp"
#include "maxmargin/solver/unit_rows.hpp"
#include "solver/label_saddle_bound.hpp"
#include "solver/label_saddle_function.hpp"

namespace maxmargin {

namespace {

using label_saddle::Function;

/// The projected gradient of the first stage, as a share of the value over sqrt(n); every stage
/// asks for this much less.
constexpr double first_share = 0.03;
constexpr double stage_share = 0.4;
constexpr double least_share = 1e-11;
constexpr std::size_t most_stages = 60;
/// Principal components that V starts with, and the size of the noise beside them.
constexpr std::size_t start_components = 10;
constexpr double start_noise = 0.1;
/// The share of the value that smoothing may take, at first and at last (times the tolerance).
constexpr double first_smoothing = 0.1;
constexpr double last_smoothing = 0.1;
constexpr double smoothing_step = 0.4;
constexpr double barrier_step = 0.3;
constexpr std::size_t most_start_rounds = 8;
/// Penalty of the balance, in units of value / n^3 (rows) or value / n^4 (total); it grows when a
/// stage does not make the excess this much smaller.
constexpr double first_penalty = 20;
constexpr double penalty_growth = 5;
constexpr double wanted_decrease = 0.25;
/// The share of the tolerance that the proof of the eigenvalue may cost.
constexpr double proof_share = 0.05;
/// An imbalance, in relation to n, that counts as none.
constexpr double least_imbalance = 1e-6;
/// Eigenvalues of M above this share of n count for its rank.
constexpr double rank_share = 1e-6;

std::size_t default_columns(std::size_t n) {
  std::size_t r = 1;
  while (r * (r + 1) / 2 <= n) ++r;
  return std::min(r, n);
}

/// The points' leading principal components in feature space, scaled to length 1 and with a little
/// noise in all columns: M is then about K / sqrt(K_ii K_jj), for which omega is small.
DenseMatrix first_rows(const LabelSaddle& problem,
                       const LabelSaddleOptions& options,
                       const ProgressCallback& on_progress) {
  const std::size_t n = problem.size();
  const std::size_t columns = options.columns.value_or(default_columns(n));
  const std::size_t threads = thread_count(options.threads);
  const BlockEigen found =
      largest_eigenpairs(n,
                         [&](DenseView vectors, MutableDenseView images) {
                           multiply_symmetric(problem.matrix, vectors, images, threads);
                         },
                         {.count = std::min(start_components, columns),
                          .tolerance = 1e-3,
                          .max_steps = 30,
                          .seed = options.seed,
                          .on_progress = on_progress});
  Rng rng(options.seed, "label saddle");
  DenseMatrix v(n, columns);
  const std::size_t pairs = found.pairs.values.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < pairs; ++k) {
      v(i, k) = std::sqrt(std::max(0.0, found.pairs.values[pairs - 1 - k])) *
                found.pairs.vectors(pairs - 1 - k, i);
    }
    const std::span<double> row = v.row(i);
    const double length = std::sqrt(dot(row, row));
    const double noise =
        (length > 0 ? start_noise * length : 1.0) / std::sqrt(static_cast<double>(columns));
    for (double& x : row) x += noise * rng.normal();
  }
  return v;
}

/// One solve: the loop of the page.
class Run {
 public:
  Run(const LabelSaddle& problem, const LabelSaddleOptions& options)
      : problem_(problem),
        options_(options),
        threads_(thread_count(options.threads)),
        n_(problem.size()),
        within_([this](const Progress&) { return question(progress()); }),
        function_(problem, threads_, within_) {
    // Zeros prove the bound 0.
    solution_.certificate.lambda.assign(n_, 0.0);
    solution_.certificate.diagonal.assign(n_, 0.0);
    solution_.certificate.balance.assign(balance_multipliers(problem), 0.0);
  }

  LabelSaddleSolution solve();

 private:
  [[nodiscard]] Progress progress() const {
    return {.phase = "relaxation",
            .iteration = solution_.report.iterations,
            .max_iterations = options_.max_iterations,
            .gap = last_gap_,
            .target = options_.tolerance};
  }
  /// Asks the caller, once "no" never again.
  [[nodiscard]] Continue question(const Progress& progress) {
    if (answer_ == Continue::yes) answer_ = ask(options_.on_progress, progress);
    return answer_;
  }
  void start();
  void descend();
  /// Certificate and value of the present point; true when the gap is closed.
  [[nodiscard]] bool certify();
  /// Proves the best certificate, unless `on_progress` stops it.
  void prove(const ProgressCallback& on_progress);
  void adapt_balance();
  void escape();
  /// omega at the mix of the present M with the matrix of no imbalance that is balanced.
  [[nodiscard]] double balanced_value() const;
  [[nodiscard]] double gap(double bound) const { return relative_gap(balanced_, bound); }
  [[nodiscard]] double resolution() const {
    return proof_share * options_.tolerance * std::abs(value_) / static_cast<double>(n_);
  }
  void find_rank();
  /// The barrier takes about smoothing_ of the value.
  void set_barrier() {
    const double wanted = smoothing_ * std::abs(value_) / static_cast<double>(n_);
    // Steps between stages are short, however fast the value falls.
    mu_ = mu_ > 0 ? std::max(wanted, barrier_step * mu_) : wanted;
    function_.set_barrier(mu_);
  }

  const LabelSaddle& problem_;
  const LabelSaddleOptions& options_;
  std::size_t threads_;
  std::size_t n_;
  Continue answer_ = Continue::yes;
  ProgressCallback within_;  ///< for what has no progress of its own to tell
  Function function_;
  DenseMatrix v_;
  double share_ = first_share;
  double smoothing_ = first_smoothing;
  double mu_ = 0;
  double radius_ = 0;
  double value_ = 0;     ///< omega(M), balanced or not: the scale of everything
  double balanced_ = 0;  ///< balanced_value()
  double spread_ = 0;    ///< omega at the matrix of no imbalance
  double last_excess_ = -1;
  Status stage_ = Status::solved;
  LabelCertificate certificate_;
  label_saddle::LeastEigenvalue least_;
  double estimated_ = 0;  ///< the bound of certificate_, before proof
  bool proved_ = false;
  std::optional<double> last_gap_;
  /// Of the last certificate, which need not be the best.
  double escape_value_ = 0;
  std::vector<double> escape_vector_;
  LabelSaddleSolution solution_;
};

void Run::start() {
  v_ = first_rows(problem_, options_, within_);
  DenseMatrix gradient(v_.rows(), v_.cols());
  for (std::size_t i = 0; i < n_; ++i) {
    const std::span<double> row = v_.row(i);
    const double length = std::sqrt(dot(row, row));
    for (double& x : row) x /= length;
  }
  if (problem_.balance != LabelBalance::none) spread_ = function_.spread_omega();
  // The barrier is in proportion to the value, which is not known yet.
  for (std::size_t round = 0; round < most_start_rounds; ++round) {
    const double before = value_;
    (void)function_.evaluate(v_.view(), gradient.view());
    value_ = function_.omega();
    mu_ = 0;
    set_barrier();
    if (round > 0 && value_ > 0.8 * before) break;
  }
  // Multipliers of the balance are about value / n^2.
  const auto points = static_cast<double>(n_);
  const double unit = first_penalty * value_ / (points * points * points);
  function_.set_penalty(problem_.balance == LabelBalance::total ? unit / points : unit);
}

void Run::descend() {
  UnitRowsOptions options{
      .gradient_tolerance = share_ * std::abs(value_) / std::sqrt(static_cast<double>(n_)),
      .max_iterations = std::max<std::size_t>(
          1, options_.max_iterations - static_cast<std::size_t>(solution_.report.iterations)),
      .threads = options_.threads};
  if (radius_ > 0) options.radius = radius_;
  options.on_progress = [&](const Progress& inner) {
    Progress now = progress();
    now.iteration += inner.iteration;
    now.primal_objective = function_.omega();
    return question(now);
  };
  UnitRowsSolution found = minimize_over_unit_rows(function_, std::move(v_), options);
  v_ = std::move(found.v);
  radius_ = std::max(found.radius, 1e-6 * std::sqrt(static_cast<double>(n_)));
  solution_.report.iterations += found.iterations;
  solution_.evaluations += found.evaluations;
  solution_.hessian_products += found.hessian_products;
  stage_ = found.status;
}

double Run::balanced_value() const {
  if (problem_.balance == LabelBalance::none) return function_.omega();
  const double allowed = std::max(problem_.imbalance, least_imbalance * static_cast<double>(n_));
  const double share = function_.balanced_share(allowed);
  return share * function_.omega() + (1 - share) * spread_;
}

bool Run::certify() {
  value_ = function_.omega();
  balanced_ = balanced_value();
  LabelCertificate certificate = function_.certificate(v_.view());
  // The first certificate is for the case that the run is stopped: it is finished in any case.
  const bool first = certificate_.lambda.empty();
  label_saddle::LeastEigenvalue least =
      label_saddle::estimate_least_eigenvalue(problem_,
                                              certificate,
                                              resolution(),
                                              options_.seed,
                                              threads_,
                                              first ? ProgressCallback() : within_);
  if (!first && answer_ != Continue::yes) return false;
  const double bound = label_saddle::bound_of(problem_, certificate, least.value);
  escape_vector_ = least.vector;
  escape_value_ = least.value;
  if (first || bound > estimated_) {
    estimated_ = bound;
    certificate_ = std::move(certificate);
    least_ = std::move(least);
    proved_ = false;
  }
  last_gap_ = gap(estimated_);
  if (gap(estimated_) > (1 - proof_share) * options_.tolerance) return false;
  prove(within_);
  return gap(solution_.lower_bound) <= options_.tolerance;
}

void Run::prove(const ProgressCallback& on_progress) {
  if (proved_) return;
  const double bound = label_saddle::prove_bound(problem_,
                                                 certificate_,
                                                 least_.value,
                                                 0.5 * resolution(),
                                                 solution_.lower_bound,
                                                 threads_,
                                                 on_progress);
  if (on_progress && answer_ != Continue::yes) return;  // not to the end
  proved_ = true;
  estimated_ = bound;  // a better estimate than this one is worth a proof
  if (bound > solution_.lower_bound) {
    solution_.lower_bound = bound;
    solution_.certificate = certificate_;
  }
}

void Run::adapt_balance() {
  if (problem_.balance == LabelBalance::none) return;
  const double excess = function_.excess();
  function_.update_multipliers();
  if (last_excess_ >= 0 && excess > wanted_decrease * last_excess_ &&
      excess > least_imbalance * static_cast<double>(n_)) {
    function_.set_penalty(penalty_growth * function_.penalty());
  }
  last_excess_ = excess;
}

void Run::escape() {
  // A stationary point that is no minimum: a new column along the eigenvector that S dislikes.
  // The last column, after turning V to its principal axes, is the one that matters least.
  DenseMatrix scatter(v_.cols(), v_.cols());
  gemm(Transpose::yes, Transpose::no, 1.0, v_.view(), v_.view(), 0.0, scatter.view());
  const EigenPairs axes = eigen_symmetric(scatter.view());
  DenseMatrix turned(v_.rows(), v_.cols());
  gemm(Transpose::no, Transpose::yes, 1.0, v_.view(), axes.vectors.view(), 0.0, turned.view());
  const double size = 0.1 * std::sqrt(static_cast<double>(n_));
  for (std::size_t i = 0; i < n_; ++i) turned(i, 0) += size * escape_vector_[i];
  v_ = std::move(turned);
  radius_ = 0;
}

void Run::find_rank() {
  DenseMatrix scatter(v_.cols(), v_.cols());
  gemm(Transpose::yes, Transpose::no, 1.0, v_.view(), v_.view(), 0.0, scatter.view());
  const std::vector<double> values = eigenvalues_symmetric(scatter.view());
  solution_.rank = static_cast<std::size_t>(std::ranges::count_if(
      values, [&](double x) { return x > rank_share * static_cast<double>(n_); }));
}

LabelSaddleSolution Run::solve() {
  PhaseTimer timer;
  timer.enter("relaxation");
  start();
  Status status = Status::no_progress;
  for (std::size_t stage = 0; stage < most_stages; ++stage) {
    descend();
    if (certify()) {
      status = Status::solved;
      break;
    }
    if (answer_ != Continue::yes) {
      status = status_of(answer_);
      break;
    }
    if (solution_.report.iterations >= options_.max_iterations) {
      status = Status::iteration_limit;
      break;
    }
    if (stage + 1 == most_stages) break;  // what follows prepares the next one
    const double lost = static_cast<double>(n_) * std::max(0.0, -escape_value_);
    if (stage_ == Status::no_progress || share_ < 1e-7) {
      if (lost > 0.5 * options_.tolerance * std::abs(value_)) escape();
    }
    adapt_balance();
    if (smoothing_ > last_smoothing * options_.tolerance) {
      smoothing_ = std::max(last_smoothing * options_.tolerance, smoothing_step * smoothing_);
    }
    set_barrier();
    share_ = std::max(least_share, stage_share * share_);
  }
  timer.enter("certificate");
  prove({});
  solution_.value = balanced_;
  solution_.imbalance_excess = function_.excess() / static_cast<double>(n_);
  find_rank();
  solution_.v = std::move(v_);
  SolveReport& report = solution_.report;
  report.status = status;
  report.primal_objective = solution_.value;
  report.lower_bound = solution_.lower_bound;
  report.primal_residual = solution_.imbalance_excess;
  report.seconds = timer.finish();
  return std::move(solution_);
}

}  // namespace

void LabelSaddleOptions::validate() const {
  require_field(tolerance > 0, "LabelSaddleOptions.tolerance", tolerance, "> 0");
  if (columns) {
    require_field(
        *columns >= 1, "LabelSaddleOptions.columns", static_cast<double>(*columns), ">= 1");
  }
  require_field(max_iterations >= 1,
                "LabelSaddleOptions.max_iterations",
                static_cast<double>(max_iterations),
                ">= 1");
  (void)thread_count(threads);
}

std::size_t label_saddle_memory(std::size_t n) {
  // The matrix of the inner problem, its factor, and S or the next factor; some twenty V.
  const std::size_t columns = checked_add(checked_multiply(3, n), 30 * default_columns(n));
  return checked_multiply(checked_multiply(n, columns), sizeof(double));
}

LabelSaddleSolution solve_label_saddle(const LabelSaddle& problem,
                                       const LabelSaddleOptions& options) {
  options.validate();
  problem.validate();
  if (options.columns) {
    require(*options.columns <= problem.size(),
            "LabelSaddleOptions.columns = " + std::to_string(*options.columns) +
                ", must be at most n = " + std::to_string(problem.size()));
  }
  require_memory(label_saddle_memory(problem.size()), "solve_label_saddle: the relaxation");
  return Run(problem, options).solve();
}

}  // namespace maxmargin
