// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/crammer-singer.md, interior points.
#include "solver/crammer_singer/interior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "solver/crammer_singer/class_normal.hpp"
#include "solver/crammer_singer/run.hpp"
#include "solver/gap.hpp"
#include "solver/interior/loop_rules.hpp"

namespace maxmargin::crammer_singer {

namespace {

using interior::bound_shares;
using interior::most_steps;
using interior::short_of_bound;
using interior::usual_steps;

/// The examples that cost anything, with the constant feature as a last column.
DenseMatrix rows_that_cost(const CrammerSinger& problem, const std::vector<std::size_t>& examples) {
  const PointRows& points = std::get<PointRows>(problem.points);
  const std::size_t d = points.cols();
  DenseMatrix rows(examples.size(), d + (problem.bias > 0 ? 1 : 0), 0.0);
  for (std::size_t a = 0; a < examples.size(); ++a) {
    points.row(examples[a]).axpy_into(1.0, rows.row(a).first(d));
    if (problem.bias > 0) rows(a, d) = problem.bias;
  }
  return rows;
}

std::vector<std::size_t> examples_that_cost(const CrammerSinger& problem) {
  std::vector<std::size_t> examples;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (problem.costs[i] > 0) examples.push_back(i);
  }
  return examples;
}

/// One solve. s = u - t >= 0 are the distances of coefficients from their bounds, z their
/// multipliers; examples x classes, as everything here.
class Run {
 public:
  Run(const CrammerSinger& problem, const CrammerSingerOptions& options)
      : problem_(problem),
        options_(options),
        examples_(examples_that_cost(problem)),
        n_(examples_.size()),
        k_(problem.class_count),
        normal_(rows_that_cost(problem, examples_), k_, thread_count(options.context.threads)) {
    start();
  }

  [[nodiscard]] InteriorCoefficients solve();

 private:
  struct Direction {
    DenseMatrix s;
    DenseMatrix z;
    std::vector<double> floors;
  };
  void start();
  [[nodiscard]] std::size_t own(std::size_t a) const { return problem_.class_of(examples_[a]); }
  [[nodiscard]] double cost(std::size_t a) const { return problem_.costs[examples_[a]]; }
  /// t of s, whose rows sum to 0 whatever s misses.
  [[nodiscard]] DenseMatrix coefficients_of(const DenseMatrix& s) const;
  /// Both objectives of feasible coefficients; f_r(x_a) go to `values`.
  [[nodiscard]] Objectives measure(const DenseMatrix& coefficients, DenseMatrix& values) const;
  [[nodiscard]] bool finished();
  void give_to_one(std::size_t a, std::span<double> distances) const;
  [[nodiscard]] bool try_bounds(double share);
  [[nodiscard]] bool step();
  [[nodiscard]] double centrality(const Direction* along, double length) const;
  [[nodiscard]] double longest(const Direction& along) const;
  [[nodiscard]] Direction direction(double target, const Direction* affine) const;

  const CrammerSinger& problem_;
  const CrammerSingerOptions& options_;
  std::vector<std::size_t> examples_;
  std::size_t n_;
  std::size_t k_;
  ClassNormal normal_;
  DenseMatrix s_;
  DenseMatrix z_;
  std::vector<double> floors_;  ///< nu, one an example: z = slope - nu at a solution
  DenseMatrix values_;          ///< f_r(x_a)
  Objectives now_;
  DenseMatrix best_;  ///< coefficients of least gap so far
  double best_gap_ = std::numeric_limits<double>::infinity();
  interior::IdleSteps idle_;
  InteriorCoefficients result_;
};

void Run::start() {
  s_ = DenseMatrix(n_, k_);
  z_ = DenseMatrix(n_, k_);
  values_ = DenseMatrix(n_, k_);
  floors_.assign(n_, 0.0);
  for (std::size_t a = 0; a < n_; ++a) {
    for (std::size_t r = 0; r < k_; ++r) s_(a, r) = cost(a) / static_cast<double>(k_);
  }
  now_ = measure(coefficients_of(s_), values_);
  // The slope of s_ar is 1[r = own] - f_r: z above the largest of them in size.
  double steepest = 0;
  for (std::size_t a = 0; a < n_; ++a) {
    for (std::size_t r = 0; r < k_; ++r) {
      steepest = std::max(steepest, std::abs((r == own(a) ? 1.0 : 0.0) - values_(a, r)));
    }
  }
  for (std::size_t a = 0; a < n_; ++a) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < k_; ++r) {
      z_(a, r) = (r == own(a) ? 1.0 : 0.0) - values_(a, r);
      least = std::min(least, z_(a, r));
    }
    floors_[a] = least - steepest;
    for (std::size_t r = 0; r < k_; ++r) z_(a, r) -= floors_[a];
  }
}

DenseMatrix Run::coefficients_of(const DenseMatrix& s) const {
  DenseMatrix t(n_, k_);
  for (std::size_t a = 0; a < n_; ++a) {
    double others = 0;
    for (std::size_t r = 0; r < k_; ++r) {
      if (r != own(a)) others += s(a, r);
    }
    const double fit = others > cost(a) ? cost(a) / others : 1.0;
    double sum = 0;
    for (std::size_t r = 0; r < k_; ++r) {
      if (r == own(a)) continue;
      t(a, r) = -fit * s(a, r);
      sum -= t(a, r);
    }
    t(a, own(a)) = std::min(sum, cost(a));
  }
  return t;
}

Objectives Run::measure(const DenseMatrix& coefficients, DenseMatrix& values) const {
  const DenseMatrix w = normal_.combine_exactly(coefficients);
  normal_.apply(w, values);
  // A sum of t times f would cancel: on raw features its terms are far larger than |w|^2.
  const double norm = dot(w.values(), w.values());
  double gain = 0;
  double loss = 0;
  for (std::size_t a = 0; a < n_; ++a) {
    double slack = 0;
    for (std::size_t r = 0; r < k_; ++r) {
      if (r != own(a)) slack = std::max(slack, 1 + values(a, r) - values(a, own(a)));
    }
    gain += coefficients(a, own(a));
    loss += cost(a) * slack;
  }
  return {norm / 2 + loss, gain - norm / 2};
}

InteriorCoefficients Run::solve() {
  while (!finished()) {
    if (!step()) {
      if (result_.status == Status::solved) result_.status = Status::no_progress;
      break;
    }
    ++result_.steps;
  }
  result_.coefficients = DenseMatrix(problem_.size(), k_, 0.0);
  if (best_.rows() == n_) {
    for (std::size_t a = 0; a < n_; ++a) {
      std::ranges::copy(best_.row(a), result_.coefficients.row(examples_[a]).begin());
    }
  }
  if (best_gap_ <= options_.tolerance) result_.status = Status::solved;
  return std::move(result_);
}

/// An example that no function sees gains most with all of its cost at one other class.
void Run::give_to_one(std::size_t a, std::span<double> distances) const {
  std::size_t other = own(a);
  for (std::size_t r = 0; r < k_; ++r) {
    if (r != own(a) && (other == own(a) || s_(a, r) > s_(a, other))) other = r;
  }
  std::ranges::fill(distances, 0.0);
  if (other != own(a)) distances[other] = cost(a);
}

/// Whether the point with every coefficient at its bound that a share of a step along it alone
/// would take there is within the tolerance; the best one is kept.
bool Run::try_bounds(double share) {
  DenseMatrix moved = s_;
  for (std::size_t a = 0; a < n_; ++a) {
    const double curvature = normal_.squared_norm(a);
    if (curvature == 0) give_to_one(a, moved.row(a));
    if (curvature == 0 || share == 0) continue;
    for (std::size_t r = 0; r < k_; ++r) {
      if (r != own(a) && s_(a, r) * curvature <= share * z_(a, r)) moved(a, r) = 0;
    }
  }
  DenseMatrix t = coefficients_of(moved);
  DenseMatrix values(n_, k_);
  const Objectives at = measure(t, values);
  const double gap = gap_size(at.primal, at.dual);
  if (gap < best_gap_) {
    best_gap_ = gap;
    best_ = std::move(t);
  }
  return gap <= options_.tolerance;
}

bool Run::finished() {
  const double gap = gap_size(now_.primal, now_.dual);
  if (!std::isfinite(gap)) {
    result_.status = Status::numerical_failure;
    return true;
  }
  if (gap <= options_.tolerance || gap < best_gap_ || n_ == 0) {
    for (const double share : bound_shares) {
      if (gap > options_.tolerance && share > 0) continue;
      if (try_bounds(share)) return true;
    }
  }
  const double centre = centrality(nullptr, 0);
  const bool idle = idle_.is_out_of_patience(gap, centre);
  if (idle || result_.steps >= most_steps || n_ == 0) {
    result_.status = Status::no_progress;
    return true;
  }
  if (options_.max_iterations && result_.steps >= *options_.max_iterations) {
    result_.status = Status::iteration_limit;
    return true;
  }
  const Continue answer = options_.context.ask({.phase = "interior point",
                                                .iteration = result_.steps,
                                                .max_iterations = options_.max_iterations,
                                                .primal_objective = now_.primal,
                                                .dual_objective = now_.dual,
                                                .gap = gap,
                                                .target = options_.tolerance});
  if (answer != Continue::yes) result_.status = status_of(answer);
  return answer != Continue::yes;
}

double Run::centrality(const Direction* along, double length) const {
  double sum = 0;
  for (std::size_t a = 0; a < n_; ++a) {
    for (std::size_t r = 0; r < k_; ++r) {
      sum += along == nullptr
                 ? s_(a, r) * z_(a, r)
                 : (s_(a, r) + length * along->s(a, r)) * (z_(a, r) + length * along->z(a, r));
    }
  }
  return sum / static_cast<double>(std::max<std::size_t>(n_ * k_, 1));
}

double Run::longest(const Direction& along) const {
  interior::StepLength length;
  for (std::size_t a = 0; a < n_; ++a) {
    for (std::size_t r = 0; r < k_; ++r) {
      length.limit(s_(a, r), along.s(a, r));
      length.limit(z_(a, r), along.z(a, r));
    }
  }
  return length.value();
}

Run::Direction Run::direction(double target, const Direction* affine) const {
  DenseMatrix products(n_, k_);  // what s z is to change by
  DenseMatrix pull(n_, k_);      // q of the page
  std::vector<double> missing(n_);
  for (std::size_t a = 0; a < n_; ++a) {
    double sum = 0;
    for (std::size_t r = 0; r < k_; ++r) {
      products(a, r) = target - s_(a, r) * z_(a, r);
      if (affine != nullptr) products(a, r) -= affine->s(a, r) * affine->z(a, r);
      const double slope = (r == own(a) ? 1.0 : 0.0) - values_(a, r);
      pull(a, r) = products(a, r) / s_(a, r) - (slope - floors_[a] - z_(a, r));
      sum += s_(a, r);
    }
    missing[a] = cost(a) - sum;
  }
  Direction along{DenseMatrix(n_, k_), DenseMatrix(n_, k_), std::vector<double>(n_)};
  normal_.solve(pull, missing, along.s, along.floors);
  for (std::size_t a = 0; a < n_; ++a) {
    for (std::size_t r = 0; r < k_; ++r) {
      along.z(a, r) = (products(a, r) - z_(a, r) * along.s(a, r)) / s_(a, r);
    }
  }
  return along;
}

bool Run::step() {
  Continue answer = Continue::yes;
  const ProgressCallback watch = [&](const Progress&) {
    if (answer == Continue::yes) answer = options_.context.ask({});
    return answer;
  };
  DenseMatrix theta(n_, k_);
  for (std::size_t a = 0; a < n_; ++a) {
    for (std::size_t r = 0; r < k_; ++r) theta(a, r) = s_(a, r) / z_(a, r);
  }
  if (!normal_.factor(std::move(theta), watch)) {
    if (answer != Continue::yes) result_.status = status_of(answer);
    return false;
  }
  const double centre = centrality(nullptr, 0);
  const Direction affine = direction(0, nullptr);
  const double reach = std::min(1.0, longest(affine));
  const double left = std::max(centrality(&affine, reach), 0.0) / centre;
  const Direction along = direction(left * left * left * centre, &affine);
  const double length = short_of_bound * longest(along);
  if (!(length > 0) || !std::isfinite(length)) return false;
  for (std::size_t a = 0; a < n_; ++a) {
    for (std::size_t r = 0; r < k_; ++r) {
      s_(a, r) += length * along.s(a, r);
      z_(a, r) += length * along.z(a, r);
    }
    floors_[a] += length * along.floors[a];
  }
  now_ = measure(coefficients_of(s_), values_);
  return true;
}

}  // namespace

bool interior_takes(const CrammerSinger& problem, const Context& context) {
  const auto* points = std::get_if<PointRows>(&problem.points);
  if (points == nullptr || problem.class_count == 0) return false;
  const auto n = static_cast<double>(problem.size());
  const auto k = static_cast<double>(problem.class_count);
  const double width = static_cast<double>(points->cols() + 1);
  constexpr double matrices = 3;         // of the features of all classes
  constexpr double tables = 16;          // examples x classes
  constexpr double largest_side = 8192;  // beyond which a step takes minutes
  const double bytes =
      sizeof(double) * (matrices * width * k * width * k + tables * n * k + 2 * n * width);
  return width * k <= largest_side && bytes <= static_cast<double>(context.memory_bytes());
}

double interior_operations(const CrammerSinger& problem) {
  const auto n = static_cast<double>(problem.size());
  const auto k = static_cast<double>(problem.class_count);
  const auto width = static_cast<double>(std::get<PointRows>(problem.points).cols() + 1);
  constexpr double passes = 12;
  const double side = width * k;
  return usual_steps * (n * side * side / 2 + side * side * side / 3 + passes * n * side);
}

InteriorCoefficients solve_interior(const CrammerSinger& problem,
                                    const CrammerSingerOptions& options) {
  return Run(problem, options).solve();
}

}  // namespace maxmargin::crammer_singer
