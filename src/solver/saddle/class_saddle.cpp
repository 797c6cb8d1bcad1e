// SPDX-License-Identifier: Apache-2.0
//
// docs/algorithms/mmc-multiclass.md. Symbols: X = (M, D) the iterate; P, Q, E, s its copies that
// are semidefinite, nonnegative, in h and in the ranges; rho the penalty; U the sums of
// differences, one matrix a copy.
#include "solver/saddle/class_saddle.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/saddle/class_splitting.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t check_interval = 10;
/// The penalty is changed after so many iterations, then ever more seldom.
constexpr std::size_t penalty_interval = 20;
/// Values nearer to 0 than this share of n count as that far from it: omega is a difference of
/// numbers of order n, and 0 is a common value.
constexpr double value_floor = 1e-3;
/// Below so many unknown points one thread is faster than two.
constexpr std::size_t two_jobs = 64;
constexpr double over_relaxation = 1.6;
/// Shares of the tolerance to which the quadratic programs of the steps, and of the value, are
/// solved.
constexpr double inner_share = 1e-3;
constexpr double value_share = 0.1;
/// Eigenvalues of M below this share of the largest do not count for its rank.
constexpr double rank_threshold = 1e-3;

/// One of the copies: z follows x + U, U grows by what is left.
struct Copy {
  DenseMatrix z = {};
  DenseMatrix u = {};
};

/// Squared norms of an iteration, for the penalty and for stopping.
struct Misses {
  double primal = 0;  ///< |X - copies|^2
  double dual = 0;    ///< |change of the copies|^2
  double points = 0;  ///< |copies|^2
  double multipliers = 0;
};

double square(const DenseMatrix& a) { return dot(a.values(), a.values()); }

class ClassAdmm {
 public:
  ClassAdmm(const ClassSaddle& problem, const ClassSaddleOptions& options)
      : options_(options),
        data_(problem),
        threads_(data_.u < two_jobs ? 1 : thread_count(options.context.threads)),
        sizes_(data_),
        corner_(data_.anchored ? data_.kappa : 0) {
    if (data_.anchored) term_.emplace(data_);
    start();
  }

  ClassSaddleSolution run();

 private:
  [[nodiscard]] double share() const { return 1 / static_cast<double>(data_.kappa); }

  void start();
  void set_penalty(double penalty);
  /// Step 2.
  void update_point();
  /// [M - e e'/kappa, D; D', P] of the iterate.
  [[nodiscard]] DenseMatrix lifted() const;
  /// Steps 3 and 4.
  void update_copies();
  void update_semidefinite(Misses& misses);
  void update_others(Misses& misses);
  /// z = project(U + relaxed x), U += relaxed x - z.
  template <class Project>
  void update_copy(Copy& copy, const DenseMatrix& x, Misses& misses, Project project);
  void update_ranges(Misses& misses);
  void adapt_penalty();
  [[nodiscard]] double value();
  /// Step 6; true when the run is over.
  bool check(std::size_t iteration, ClassSaddleSolution& solution);
  /// Asks the caller, who is not asked again after any other answer than yes.
  void question(std::size_t iteration, const ClassSaddleSolution& solution);
  [[nodiscard]] bool stopped() const { return answer_ != Continue::yes; }
  [[nodiscard]] double tolerance(double share) const {
    return share * options_.tolerance * std::max(value_floor * scale_, std::abs(value_));
  }

  const ClassSaddleOptions& options_;
  ClassData data_;
  std::size_t threads_;
  ClassSizes sizes_;
  /// Rows of the block of D in the semidefinite matrix.
  std::size_t corner_;
  std::optional<MembershipTerm> term_ = std::nullopt;

  double rho_ = 1;
  double scale_ = 1;
  double value_ = 0;
  Continue answer_ = Continue::yes;
  ClassPoint x_ = {};
  Copy semidefinite_ = {};
  Copy nonnegative_m_ = {};
  Copy nonnegative_d_ = {};
  Copy membership_ = {};
  std::vector<double> ranges_ = {};
  std::vector<double> ranges_u_ = {};
  Misses misses_ = {};
};

void ClassAdmm::start() {
  const std::size_t u = data_.u;
  // All points alike, all rows of equal sum.
  const auto n = static_cast<double>(data_.n);
  const double off = n > 1 ? std::max(0.0, (n * share() - 1) / (n - 1)) : 0.0;
  x_.m = DenseMatrix(u, u, off);
  for (std::size_t j = 0; j < u; ++j) x_.m(j, j) = 1;
  if (data_.anchored) x_.d = DenseMatrix(u, data_.kappa, 0.0);
  semidefinite_ = {lifted(), DenseMatrix(u + corner_, u + corner_)};
  nonnegative_m_ = {x_.m, DenseMatrix(u, u)};
  if (data_.anchored) {
    nonnegative_d_ = {x_.d, DenseMatrix(u, data_.kappa)};
    membership_ = nonnegative_d_;
  }
  ranges_ = sizes_.apply(x_);
  for (std::size_t k = 0; k < ranges_.size(); ++k) ranges_[k] = sizes_.clamp(k, ranges_[k]);
  ranges_u_.assign(ranges_.size(), 0.0);
  // Entries of M are of order 1, so are those of cost / rho.
  const double entries = std::max(1.0, static_cast<double>(u));
  const double typical = std::sqrt(square(data_.cost)) / entries;
  scale_ = n;
  set_penalty(typical > 0 ? typical : 1.0);
}

void ClassAdmm::set_penalty(double penalty) {
  const double factor = rho_ / penalty;
  for (DenseMatrix* u : {&semidefinite_.u, &nonnegative_m_.u, &nonnegative_d_.u, &membership_.u}) {
    for (double& entry : u->values()) entry *= factor;
  }
  for (double& entry : ranges_u_) entry *= factor;
  rho_ = penalty;
  if (term_) term_->set_penalty(penalty);
}

void ClassAdmm::update_point() {
  const std::size_t u = data_.u;
  for (std::size_t j = 0; j < u; ++j) {
    for (std::size_t k = 0; k < u; ++k) {
      const double from_psd = semidefinite_.z(j, k) + share() - semidefinite_.u(j, k);
      const double from_nonnegative = nonnegative_m_.z(j, k) - nonnegative_m_.u(j, k);
      x_.m(j, k) = 0.5 * (from_psd + from_nonnegative - data_.cost(j, k) / rho_);
    }
    x_.m(j, j) = 1;
    if (!data_.anchored) continue;
    double mean = 0;
    for (std::size_t r = 0; r < data_.kappa; ++r) {
      x_.d(j, r) = 0.25 * (2 * (semidefinite_.z(j, u + r) - semidefinite_.u(j, u + r)) +
                           nonnegative_d_.z(j, r) - nonnegative_d_.u(j, r) + membership_.z(j, r) -
                           membership_.u(j, r));
      mean += x_.d(j, r) * share();
    }
    for (double& entry : x_.d.row(j)) entry -= mean;
  }
  std::vector<double> wanted = ranges_;
  axpy(-1.0, ranges_u_, wanted);
  sizes_.pull(x_, wanted);
}

DenseMatrix ClassAdmm::lifted() const {
  const std::size_t u = data_.u;
  DenseMatrix whole(u + corner_, u + corner_);
  for (std::size_t j = 0; j < u; ++j) {
    for (std::size_t k = 0; k < u; ++k) whole(j, k) = x_.m(j, k) - share();
    for (std::size_t r = 0; r < corner_; ++r) {
      whole(j, u + r) = x_.d(j, r);
      whole(u + r, j) = x_.d(j, r);
    }
  }
  for (std::size_t r = 0; r < corner_; ++r) {
    for (std::size_t s = 0; s < corner_; ++s) whole(u + r, u + s) = (r == s ? 1.0 : 0.0) - share();
  }
  return whole;
}

template <class Project>
void ClassAdmm::update_copy(Copy& copy, const DenseMatrix& x, Misses& misses, Project project) {
  DenseMatrix old = copy.z;
  const std::span<double> u = copy.u.values();
  for (std::size_t k = 0; k < u.size(); ++k) {
    u[k] += over_relaxation * x.values()[k] + (1 - over_relaxation) * old.values()[k];
  }
  copy.z = project(copy.u);
  for (std::size_t k = 0; k < u.size(); ++k) u[k] -= copy.z.values()[k];
  axpy(-1.0, copy.z.values(), old.values());
  misses.dual += square(old);
  for (std::size_t k = 0; k < u.size(); ++k) {
    const double miss = x.values()[k] - copy.z.values()[k];
    misses.primal += miss * miss;
  }
  misses.points += square(copy.z);
  misses.multipliers += square(copy.u);
}

void ClassAdmm::update_semidefinite(Misses& misses) {
  update_copy(semidefinite_, lifted(), misses, [](const DenseMatrix& sum) {
    return project_psd(sum.view());
  });
}

void ClassAdmm::update_others(Misses& misses) {
  update_copy(nonnegative_m_, x_.m, misses, [](const DenseMatrix& sum) {
    DenseMatrix z = sum;
    for (double& entry : z.values()) entry = std::max(0.0, entry);
    return z;
  });
  if (data_.anchored) {
    // D is kept less 1/kappa.
    update_copy(nonnegative_d_, x_.d, misses, [this](const DenseMatrix& sum) {
      DenseMatrix z = sum;
      for (double& entry : z.values()) entry = std::max(-share(), entry);
      return z;
    });
    update_copy(membership_, x_.d, misses, [this](const DenseMatrix& sum) {
      DenseMatrix d = sum;
      for (double& entry : d.values()) entry += share();
      d = term_->step(d, tolerance(inner_share));
      for (double& entry : d.values()) entry -= share();
      return d;
    });
  }
  update_ranges(misses);
}

void ClassAdmm::update_ranges(Misses& misses) {
  const std::vector<double> now = sizes_.apply(x_);
  for (std::size_t k = 0; k < now.size(); ++k) {
    const double old = ranges_[k];
    ranges_u_[k] += over_relaxation * now[k] + (1 - over_relaxation) * old;
    ranges_[k] = sizes_.clamp(k, ranges_u_[k]);
    ranges_u_[k] -= ranges_[k];
    misses.dual += (ranges_[k] - old) * (ranges_[k] - old);
    misses.primal += (now[k] - ranges_[k]) * (now[k] - ranges_[k]);
  }
}

void ClassAdmm::update_copies() {
  // Two jobs that do not know of each other.
  Misses of_first;
  Misses of_second;
  parallel_chunks(threads_, 2, 1, [&](std::size_t job, std::size_t, std::size_t) {
    if (job == 0) {
      update_semidefinite(of_first);
    } else {
      update_others(of_second);
    }
  });
  misses_ = {.primal = of_first.primal + of_second.primal,
             .dual = of_first.dual + of_second.dual,
             .points = of_first.points + of_second.points,
             .multipliers = of_first.multipliers + of_second.multipliers};
}

void ClassAdmm::adapt_penalty() {
  const double primal = std::sqrt(misses_.primal / std::max(misses_.points, 1e-300));
  const double dual = std::sqrt(misses_.dual / std::max(misses_.multipliers, 1e-300));
  // What is left of converged variables is rounding, and its ratio means nothing.
  if (std::min(primal, dual) < 1e-4 * options_.tolerance) return;
  const double ratio = std::sqrt(primal / dual);
  if (ratio > 1 / 1.5 && ratio < 1.5) return;
  set_penalty(rho_ * std::clamp(ratio, 0.5, 2.0));
}

double ClassAdmm::value() {
  const WholeLabels whole = whole_labels(data_, x_);
  double products = 0;
  for (std::size_t i = 0; i < data_.n; ++i) {
    products += dot(data_.problem.matrix.row(i), whole.m.row(i));
  }
  const double c = data_.problem.c;
  const auto n = static_cast<double>(data_.n);
  if (data_.anchored) {
    const auto go_on = [this] {
      if (!stopped()) answer_ = options_.context.ask({.phase = "value"});
      return !stopped();
    };
    return n - c / 2 * products + term_->value(whole.d, tolerance(value_share), go_on);
  }
  double all = 0;
  for (std::size_t i = 0; i < data_.n; ++i) {
    for (const double entry : data_.problem.matrix.row(i)) all += entry;
  }
  return n * (1 - share()) - c / 2 * (products - all * share());
}

bool ClassAdmm::check(std::size_t iteration, ClassSaddleSolution& solution) {
  value_ = value();
  const bool first = solution.certificate.lambda.rows() == 0;
  // A caller who wants to stop has to wait for the first bound alone.
  if (first || !stopped()) {
    ClassCertificate proof = class_certificate(
        data_, sizes_, term_ ? &*term_ : nullptr, {rho_, semidefinite_.u.view(), ranges_u_});
    const double bound = class_saddle_bound(data_.problem, proof);
    if (first || bound > solution.lower_bound) {
      solution.lower_bound = bound;
      solution.certificate = std::move(proof);
    }
  }
  solution.value = value_;
  solution.infeasibility = std::sqrt(misses_.primal / std::max(misses_.points, 1e-300));
  const double size = std::max({std::abs(value_),
                                std::abs(solution.lower_bound),
                                value_floor * static_cast<double>(data_.n)});
  const double gap = std::abs(value_ - solution.lower_bound) / size;
  solution.report.iterations = iteration;
  solution.miss = std::max(gap, solution.infeasibility);
  if (solution.miss <= options_.tolerance) {
    solution.report.status = Status::solved;
    return true;
  }
  if (!std::isfinite(gap)) {
    solution.report.status = Status::numerical_failure;
    solution.report.message = "the iterate is not finite";
    return true;
  }
  if (iteration >= options_.max_iterations) {
    solution.report.status = Status::iteration_limit;
    return true;
  }
  return false;
}

void ClassAdmm::question(std::size_t iteration, const ClassSaddleSolution& solution) {
  Progress progress{.phase = "relaxation",
                    .iteration = iteration,
                    .max_iterations = options_.max_iterations,
                    .target = options_.tolerance};
  if (solution.certificate.lambda.rows() > 0) {
    progress.primal_objective = solution.value;
    progress.dual_objective = solution.lower_bound;
    progress.gap = solution.miss;
  }
  answer_ = options_.context.ask(progress);
}

ClassSaddleSolution ClassAdmm::run() {
  ClassSaddleSolution solution;
  std::size_t next_change = penalty_interval;
  for (std::size_t iteration = 1;; ++iteration) {
    update_point();
    update_copies();
    question(iteration, solution);
    const bool due = iteration % check_interval == 0 || iteration >= options_.max_iterations;
    if ((due || stopped()) && check(iteration, solution)) break;
    if (stopped()) {
      solution.report.status = status_of(answer_);
      break;
    }
    if (iteration >= next_change) {
      adapt_penalty();
      next_change = iteration + std::max(penalty_interval, iteration / 5);
    }
  }
  WholeLabels whole = whole_labels(data_, x_);
  const std::vector<double> values = eigenvalues_symmetric(whole.m.view());
  solution.rank = static_cast<std::size_t>(std::ranges::count_if(
      values, [&](double value) { return value > rank_threshold * values.back(); }));
  solution.m = std::move(whole.m);
  solution.d = std::move(whole.d);
  return solution;
}

}  // namespace

void ClassSaddleOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "tolerance", .help = "relative gap and violations at which it stops"},
               tolerance,
               rules::share_inside);
  visit.whole({.name = "max-iterations", .help = "projections on the cone at most"},
              max_iterations,
              {.least = 1});
  visit.threads(context.threads);
}

ClassSaddleSolution solve_class_saddle(const ClassSaddle& problem,
                                       const ClassSaddleOptions& options) {
  validate(options);
  validate(problem);
  require_memory_for_numbers(
      checked_multiply(20, problem.size()), problem.size(), "solve_class_saddle: the iteration");
  PhaseTimer timer;
  timer.enter("relaxation");
  ClassSaddleSolution solution = ClassAdmm(problem, options).run();
  solution.report.primal_objective = solution.value;
  solution.report.lower_bound = solution.lower_bound;
  solution.report.primal_residual = solution.infeasibility;
  solution.report.seconds = timer.finish();
  return solution;
}

}  // namespace maxmargin
