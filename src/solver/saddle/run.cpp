// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/saddle.md
#include "solver/saddle/run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/saddle/bound.hpp"
#include "solver/saddle/function.hpp"
#include "solver/saddle/repair.hpp"
#include "solver/saddle/start.hpp"
#include "solver/saddle/unit_rows.hpp"

namespace maxmargin::saddle {

namespace {

/// The projected gradient of the first stage, as a share of the value over sqrt(n); every stage
/// asks for this much less.
constexpr double first_share = 0.03;
constexpr double stage_share = 0.4;
constexpr double least_share = 1e-11;
constexpr std::size_t most_stages = 60;
/// The share of the value that smoothing may take, at first and at last (times the tolerance).
constexpr double first_smoothing = 0.1;
constexpr double last_smoothing = 0.1;
constexpr double smoothing_step = 0.4;
constexpr double barrier_step = 0.3;
constexpr std::size_t most_start_rounds = 8;
/// The penalty of the constraints grows when a stage does not make the excess this much smaller.
constexpr double penalty_growth = 5;
constexpr double wanted_decrease = 0.25;
/// Multiplier of a constraint that leaves one point alone, at first and from stage to stage.
constexpr double first_price = 1;
constexpr double price_growth = 4;
/// Steps along a direction of negative curvature, over the root of the number of rows; the first
/// that lowers the function is taken.
constexpr double first_escape = 0.1;
constexpr double escape_step = 0.25;
constexpr std::size_t most_escapes = 8;
constexpr std::size_t most_escapes_in_a_row = 3;
/// The share of the tolerance that the proof of the eigenvalue may cost.
constexpr double proof_share = 0.05;
/// An excess of the constraints, in relation to n, that counts as none.
constexpr double least_excess = 1e-6;
/// Up to so many rows a run that is stopped still proves a bound of its own: its factorisation is
/// over in less than a second. Beyond, the bound is that of the last certificate, or zero.
constexpr double rows_after_a_stop = 2000;
/// Eigenvalues of G above this share of its rows count for its rank.
constexpr double rank_share = 1e-6;

/// One solve: the loop of the page.
class Run {
 public:
  Run(const Form& form, const SaddleOptions& options)
      : form_(form),
        options_(options),
        threads_(thread_count(options.context.threads)),
        points_(static_cast<double>(form.points())),
        rows_(static_cast<double>(form.rows().rows())),
        within_([this](const Progress&) { return question(progress()); }),
        function_(form, threads_, within_) {
    // Proves 0. Where the multiplier is fixed, S = 1/4 [n, -e'; -e, I] has e in its kernel.
    solution_.certificate.lambda.assign(form.points(), 0.0);
    solution_.certificate.diagonal.assign(form.rows().rows(), form.is_fixed() ? 0.25 : 0.0);
    if (form.is_fixed()) solution_.certificate.diagonal.front() *= points_;
    solution_.certificate.multipliers.assign(form.constraint_count(), form.is_fixed() ? -1.0 : 0.0);
  }

  Answer solve();

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
    if (answer_ == Continue::yes) answer_ = options_.context.ask(progress);
    return answer_;
  }
  /// Within the first certificate, which small problems finish in any case.
  [[nodiscard]] ProgressCallback first_question() const {
    return rows_ > rows_after_a_stop ? within_ : ProgressCallback();
  }
  /// Stopped, and too large to finish what it is about.
  [[nodiscard]] bool hurries() const {
    return answer_ != Continue::yes && rows_ > rows_after_a_stop;
  }
  void start();
  void descend();
  /// The present point's certificate and value; true when the gap is closed.
  [[nodiscard]] bool certify();
  /// Proves the best certificate, unless `on_progress` stops it.
  void prove(const ProgressCallback& on_progress);
  void adapt_constraints();
  /// From a saddle point; false when no step lowers the function.
  [[nodiscard]] bool escape();
  /// Of the mix of the present point with the anchor that is feasible; its objective is convex.
  [[nodiscard]] double feasible_value() const;
  [[nodiscard]] double gap(double bound) const { return relative_gap(feasible_, bound); }
  [[nodiscard]] double resolution() const {
    return proof_share * options_.tolerance * std::abs(value_) / rows_;
  }
  /// What the least eigenvalue of the last certificate costs.
  [[nodiscard]] double lost() const { return rows_ * std::max(0.0, -escape_value_); }
  /// S is far from semidefinite, and that is most of what its certificate lacks.
  [[nodiscard]] bool at_saddle_point() const {
    return !form_.is_forced() && lost() > 0.5 * options_.tolerance * std::abs(value_) &&
           lost() > 0.5 * (feasible_ - last_bound_);
  }
  void find_rank();
  /// What the first barrier is in proportion to. Weights may begin far below where they end, and
  /// with too little smoothing that is a long way.
  [[nodiscard]] double first_scale() const {
    return form_.constraint_kind() == ConstraintKind::kept ? std::max(value_, anchor_) : value_;
  }
  /// The barrier takes about smoothing_ of the value.
  void set_barrier() {
    const double wanted = smoothing_ * std::abs(mu_ > 0 ? value_ : first_scale()) / points_;
    // Steps between stages are short, however fast the value falls.
    mu_ = mu_ > 0 ? std::max(wanted, barrier_step * mu_) : wanted;
    function_.set_barrier(mu_);
  }

  const Form& form_;
  const SaddleOptions& options_;
  std::size_t threads_;
  double points_;
  double rows_;
  Continue answer_ = Continue::yes;
  ProgressCallback within_;  ///< for what has no progress of its own to tell
  Function function_;
  DenseMatrix v_;
  double share_ = first_share;
  double smoothing_ = first_smoothing;
  double mu_ = 0;
  double radius_ = 0;
  double value_ = 0;  ///< feasible or not: the scale of everything
  /// The least value of a feasible point so far.
  double feasible_ = std::numeric_limits<double>::infinity();
  double anchor_ = 0;  ///< the objective there
  double last_excess_ = -1;
  Status stage_ = Status::solved;
  Certificate certificate_;
  LeastEigenvalue least_;
  double estimated_ = 0;  ///< the bound of certificate_, before proof
  bool proved_ = false;
  std::optional<double> last_gap_;
  /// Of the last certificate, which need not be the best.
  double escape_value_ = 0;
  double last_bound_ = 0;
  std::size_t escapes_ = 0;  ///< stages in a row that ended in one
  std::vector<double> escape_vector_;
  Answer solution_;
};

void Run::start() {
  if (form_.is_forced()) {
    v_ = DenseMatrix(form_.rows().rows(), 1, 1.0);
    function_.constraints().start_at(-first_price);
  } else {
    v_ = first_rows(form_, options_, within_);
  }
  DenseMatrix gradient(v_.rows(), v_.cols());
  if (form_.has_constraints()) anchor_ = function_.anchor_omega();
  // The barrier is in proportion to the value, which is not known yet.
  for (std::size_t round = 0; round < most_start_rounds; ++round) {
    const double before = value_;
    (void)function_.evaluate(v_.view(), gradient.view());
    value_ = function_.omega();
    mu_ = 0;
    set_barrier();
    if (round > 0 && value_ > 0.8 * before) break;
    if (hurries()) break;
  }
  function_.constraints().set_penalty(form_.first_penalty(first_scale()));
}

void Run::descend() {
  UnitRowsOptions options{
      .gradient_tolerance = share_ * std::abs(value_) / std::sqrt(rows_),
      .max_iterations = std::max<std::size_t>(
          1, options_.max_iterations - static_cast<std::size_t>(solution_.report.iterations)),
      .context = options_.context.with_progress([&](const Progress& inner) {
        Progress now = progress();
        now.iteration += inner.iteration;
        now.primal_objective = function_.omega();
        return question(now);
      })};
  if (radius_ > 0) options.radius = radius_;
  UnitRowsSolution found = minimize_over_unit_rows(function_, std::move(v_), options);
  v_ = std::move(found.v);
  radius_ = std::max(found.radius, 1e-6 * std::sqrt(rows_));
  solution_.report.iterations += found.iterations;
  solution_.evaluations += found.evaluations;
  solution_.hessian_products += found.hessian_products;
  stage_ = found.status;
}

double Run::feasible_value() const {
  const double share = function_.feasible_share(least_excess * points_);
  return share * function_.omega() + (1 - share) * anchor_;
}

bool Run::certify() {
  value_ = function_.omega();
  const double mixed = feasible_value();
  feasible_ = std::min(feasible_, mixed);
  if (hurries()) return false;
  Certificate certificate = function_.certificate();
  // The first certificate is for the case that the run is stopped: it is finished in any case.
  const bool first = certificate_.lambda.empty();
  LeastEigenvalue least = estimate_least_eigenvalue(form_,
                                                    certificate,
                                                    resolution(),
                                                    options_.context.seed,
                                                    threads_,
                                                    first ? first_question() : within_);
  if (hurries()) return false;
  if (!first && answer_ != Continue::yes) return false;
  if (mixed > value_ && answer_ == Continue::yes) {
    if (const std::optional<DenseMatrix> near = repaired(form_, v_.view())) {
      feasible_ = std::min(feasible_, function_.omega_at(near->view()));
    }
  }
  const double bound = bound_of(form_, certificate, least.value);
  escape_vector_ = least.vector;
  escape_value_ = least.value;
  last_bound_ = bound;
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
  const double bound = prove_bound(form_,
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

void Run::adapt_constraints() {
  if (!form_.has_constraints()) return;
  if (form_.is_forced()) {
    // The point is known; its certificate needs a multiplier that is large enough.
    if (lost() > 0.5 * options_.tolerance * std::abs(value_)) {
      function_.constraints().start_at(price_growth *
                                       function_.constraints().multipliers().front());
    }
    return;
  }
  const double excess = function_.excess();
  AugmentedConstraints& constraints = function_.constraints();
  constraints.update();
  if (last_excess_ >= 0 && excess > wanted_decrease * last_excess_ &&
      excess > least_excess * points_) {
    constraints.set_penalty(penalty_growth * constraints.penalty());
  }
  last_excess_ = excess;
}

bool Run::escape() {
  // A stationary point that is no minimum: a new column along the eigenvector that S dislikes.
  // The last column, after turning V to its principal axes, is the one that matters least.
  DenseMatrix scatter(v_.cols(), v_.cols());
  gemm(Transpose::yes, Transpose::no, 1.0, v_.view(), v_.view(), 0.0, scatter.view());
  const EigenPairs axes = eigen_symmetric(scatter.view());
  DenseMatrix turned(v_.rows(), v_.cols());
  gemm(Transpose::no, Transpose::yes, 1.0, v_.view(), axes.vectors.view(), 0.0, turned.view());
  DenseMatrix trial(v_.rows(), v_.cols());
  DenseMatrix gradient(v_.rows(), v_.cols());
  const double before = function_.evaluate(v_.view(), gradient.view());
  double size = first_escape * std::sqrt(rows_);
  for (std::size_t k = 0; k < most_escapes; ++k, size *= escape_step) {
    std::ranges::copy(turned.values(), trial.values().begin());
    for (std::size_t i = 0; i < v_.rows(); ++i) {
      trial(i, 0) += size * escape_vector_[i];
      scale_to_one(trial.row(i));
    }
    ++solution_.evaluations;
    if (function_.evaluate(trial.view(), gradient.view()) < before) {
      v_ = std::move(trial);
      radius_ = 0;
      return true;
    }
  }
  return false;
}

void Run::find_rank() {
  DenseMatrix scatter(v_.cols(), v_.cols());
  gemm(Transpose::yes, Transpose::no, 1.0, v_.view(), v_.view(), 0.0, scatter.view());
  const std::vector<double> values = eigenvalues_symmetric(scatter.view());
  solution_.rank = static_cast<std::size_t>(
      std::ranges::count_if(values, [&](double x) { return x > rank_share * rows_; }));
}

Answer Run::solve() {
  PhaseTimer timer;
  timer.enter("relaxation");
  start();
  Status status = Status::no_progress;
  for (std::size_t stage = 0; stage < most_stages; ++stage) {
    if (!hurries()) descend();
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
    adapt_constraints();
    if (smoothing_ > last_smoothing * options_.tolerance) {
      smoothing_ = std::max(last_smoothing * options_.tolerance, smoothing_step * smoothing_);
    }
    set_barrier();
    // After an escape the same share is a way to go, but not for ever: far from the optimum S is
    // indefinite for other reasons.
    escapes_ = at_saddle_point() && escapes_ < most_escapes_in_a_row && escape() ? escapes_ + 1 : 0;
    if (escapes_ == 0) share_ = std::max(least_share, stage_share * share_);
  }
  timer.enter("certificate");
  if (!hurries()) prove({});
  solution_.value = feasible_;
  solution_.excess = function_.excess() / points_;
  find_rank();
  solution_.v = std::move(v_);
  SolveReport& report = solution_.report;
  report.status = status;
  report.primal_objective = solution_.value;
  report.lower_bound = solution_.lower_bound;
  report.primal_residual = solution_.excess;
  report.seconds = timer.finish();
  return std::move(solution_);
}

}  // namespace

std::size_t memory(std::size_t points) {
  // The matrix of the inner problem, its factor, and S or the next factor; some thirty V.
  const std::size_t columns =
      checked_add(checked_multiply(3, points), 30 * default_columns(points + 1));
  return checked_multiply(checked_multiply(points, columns), sizeof(double));
}

void require_columns(const SaddleOptions& options, std::size_t rows) {
  if (!options.columns) return;
  require(*options.columns <= rows,
          "columns = " + std::to_string(*options.columns) +
              ", must be at most the number of rows, " + std::to_string(rows));
}

Answer solve(const Form& form, const SaddleOptions& options) { return Run(form, options).solve(); }

}  // namespace maxmargin::saddle
