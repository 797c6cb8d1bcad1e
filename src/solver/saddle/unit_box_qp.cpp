// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc.md, step 2.
#include "solver/saddle/unit_box_qp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/block_cholesky.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// Rows of H in a chunk of a product.
constexpr std::size_t chunk = 256;
/// The residual at which conjugate gradients end: for a Newton step, and for derivatives.
constexpr double newton_share = 1e-6;
constexpr double derivative_share = 1e-8;
/// Rows whose barrier bends more than this multiple of their own H_ii are left to the diagonal.
constexpr double ruled_by_barrier = 30;
/// Most steps of conjugate gradients with a fresh factor.
constexpr std::size_t most_steps = 200;
constexpr std::size_t steps_between_questions = 10;
/// A pivot that fails is helped by this share of the largest diagonal entry, then 100 times more.
constexpr double first_ridge = 1e-13;
/// The share of the way to the nearest bound that a step may go.
constexpr double way_to_bound = 0.95;
/// Armijo's share of the promised gain, and how often a step is halved.
constexpr double least_share = 1e-4;
constexpr std::size_t most_halvings = 40;

}  // namespace

void UnitBoxQpOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "tolerance", .help = "promised share of the value at which it stops"},
               tolerance,
               rules::positive);
  visit.whole({.name = "max-iterations", .help = "Newton steps of one solve at most"},
              max_iterations,
              {.least = 1});
  visit.threads(context.threads);
}

class UnitBoxQp::Work {
 public:
  Work(std::size_t n, const UnitBoxQpOptions& options)
      : options_(options),
        threads_(thread_count(options.context.threads)),
        n_(n),
        linear_(n, 1.0),
        x_(n, 0.0),
        image_(n, 0.0),
        trial_(n, 0.0),
        trial_image_(n, 0.0),
        gradient_(n, 0.0),
        direction_(n, 0.0),
        curvature_(n, 0.0) {}

  UnitBoxQpReport solve(DenseView h, double mu, std::span<const double> linear);
  void solve_hessian(DenseView h, std::span<double> z) { solve_system(h, derivative_share, z); }
  [[nodiscard]] std::span<const double> x() const { return x_; }

 private:
  void multiply(DenseView h, std::span<const double> x, std::span<double> image) const;
  void first_point(DenseView h);
  /// Gradient of the smoothed objective and the barrier's curvature at x_.
  void differentiate();
  [[nodiscard]] double plain_value(std::span<const double> x, std::span<const double> image) const;
  [[nodiscard]] double barrier(std::span<const double> x) const;
  [[nodiscard]] double gap() const;
  [[nodiscard]] Continue question();
  [[nodiscard]] bool line_search(DenseView h, double promised);

  /// z = (H + D)^-1 z.
  void solve_system(DenseView h, double share, std::span<double> z);
  void factor(DenseView h);
  void precondition(DenseView h, std::span<const double> r, std::span<double> z) const;
  [[nodiscard]] bool conjugate_gradients(DenseView h,
                                         double share,
                                         std::size_t steps,
                                         std::span<double> z);

  UnitBoxQpOptions options_;
  std::size_t threads_;
  std::size_t n_;
  double mu_ = 1;
  bool started_ = false;
  std::vector<double> linear_;  ///< a
  std::vector<double> x_;
  std::vector<double> image_;  ///< H x
  std::vector<double> trial_;
  std::vector<double> trial_image_;
  std::vector<double> gradient_;
  std::vector<double> direction_;
  std::vector<double> curvature_;
  std::optional<BlockCholesky> factor_;
  std::vector<std::size_t> factor_rows_;
  bool is_fresh_ = false;  ///< the factor is of the present H and D
  /// Steps at the present H and D with a factor of others: enough of them pay for one of these.
  std::size_t stale_steps_ = 0;
  std::uint64_t factorisations_ = 0;
  Continue answer_ = Continue::yes;  ///< of the callback in this solve
};

Continue UnitBoxQp::Work::question() {
  if (answer_ == Continue::yes) answer_ = options_.context.ask({.phase = "inner problem"});
  return answer_;
}

void UnitBoxQp::Work::multiply(DenseView h,
                               std::span<const double> x,
                               std::span<double> image) const {
  parallel_chunks(threads_, n_, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
    gemv(Transpose::no, 1.0, h.middle_rows(begin, end), x, 0.0, image.subspan(begin, end - begin));
  });
}

void UnitBoxQp::Work::first_point(DenseView h) {
  // About the best multiple of e.
  std::ranges::fill(x_, 1.0);
  multiply(h, x_, image_);
  double sum = 0;
  double slope = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    sum += image_[i];
    slope += linear_[i];
  }
  const double best = sum > 0 && slope > 0 ? std::min(0.5, slope / sum) : 0.5;
  std::ranges::fill(x_, best);
  started_ = true;
}

void UnitBoxQp::Work::differentiate() {
  for (std::size_t i = 0; i < n_; ++i) {
    const double low = 1 / x_[i];
    const double high = 1 / (1 - x_[i]);
    gradient_[i] = linear_[i] - image_[i] + mu_ * (low - high);
    curvature_[i] = mu_ * (low * low + high * high);
  }
  is_fresh_ = false;
  stale_steps_ = 0;
}

double UnitBoxQp::Work::plain_value(std::span<const double> x,
                                    std::span<const double> image) const {
  double sum = 0;
  for (std::size_t i = 0; i < n_; ++i) sum += x[i] * (linear_[i] - 0.5 * image[i]);
  return sum;
}

double UnitBoxQp::Work::barrier(std::span<const double> x) const {
  double sum = 0;
  for (const double entry : x) sum += std::log(entry) + std::log1p(-entry);
  return mu_ * sum;
}

double UnitBoxQp::Work::gap() const {
  double sum = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double g = image_[i] - linear_[i];
    sum += g > 0 ? g * x_[i] : -g * (1 - x_[i]);
  }
  return sum;
}

void UnitBoxQp::Work::factor(DenseView h) {
  factor_rows_.clear();
  for (std::size_t i = 0; i < n_; ++i) {
    if (curvature_[i] <= ruled_by_barrier * h(i, i)) factor_rows_.push_back(i);
  }
  const std::size_t m = factor_rows_.size();
  double largest = 0;
  for (const std::size_t i : factor_rows_) largest = std::max(largest, h(i, i));
  double ridge = 0;
  factor_.reset();
  is_fresh_ = true;
  while (m > 0 && ridge <= largest) {
    auto matrix = DenseMatrix::uninitialized(m, m);
    parallel_chunks(threads_, m, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t a = begin; a < end; ++a) {
        const std::span<const double> from = h.row(factor_rows_[a]);
        const std::span<double> to = matrix.row(a);
        for (std::size_t b = 0; b <= a; ++b) to[b] = from[factor_rows_[b]];
        to[a] += curvature_[factor_rows_[a]] + ridge;
      }
    });
    factor_ = BlockCholesky::factor(
        std::move(matrix), threads_, [&](const Progress&) { return question(); });
    ++factorisations_;
    if (factor_) return;
    if (answer_ != Continue::yes) break;
    ridge = ridge == 0 ? first_ridge * largest : 100 * ridge;
  }
  factor_rows_.clear();
}

void UnitBoxQp::Work::precondition(DenseView h,
                                   std::span<const double> r,
                                   std::span<double> z) const {
  for (std::size_t i = 0; i < n_; ++i) z[i] = r[i] / (h(i, i) + curvature_[i]);
  if (!factor_) return;
  DenseMatrix part(1, factor_rows_.size());
  for (std::size_t a = 0; a < factor_rows_.size(); ++a) part(0, a) = r[factor_rows_[a]];
  factor_->solve_rows(part.view(), 1);
  for (std::size_t a = 0; a < factor_rows_.size(); ++a) z[factor_rows_[a]] = part(0, a);
}

bool UnitBoxQp::Work::conjugate_gradients(DenseView h,
                                          double share,
                                          std::size_t steps,
                                          std::span<double> z) {
  std::vector<double> residual(z.begin(), z.end());
  std::vector<double> solution(n_, 0.0);
  std::vector<double> scaled(n_);
  std::vector<double> image(n_);
  precondition(h, residual, scaled);
  std::vector<double> direction = scaled;
  // In the norm of the preconditioner, which weighs rows as the solution does.
  double along = dot(residual, scaled);
  const double wanted = share * share * along;
  bool good = !(along > 0);
  for (std::size_t k = 0; k < steps && !good; ++k) {
    if (k % steps_between_questions == steps_between_questions - 1 && question() != Continue::yes) {
      break;
    }
    if (!is_fresh_) ++stale_steps_;
    multiply(h, direction, image);
    for (std::size_t i = 0; i < n_; ++i) image[i] += curvature_[i] * direction[i];
    const double curvature = dot(direction, image);
    if (!(curvature > 0)) break;
    const double size = along / curvature;
    axpy(size, direction, solution);
    axpy(-size, image, residual);
    precondition(h, residual, scaled);
    const double next = dot(residual, scaled);
    good = !(next > wanted);
    const double carried = next / along;
    along = next;
    for (std::size_t i = 0; i < n_; ++i) direction[i] = scaled[i] + carried * direction[i];
  }
  std::ranges::copy(solution, z.begin());
  return good;
}

void UnitBoxQp::Work::solve_system(DenseView h, double share, std::span<double> z) {
  // A step costs two passes over n^2 numbers, a factor m^3 / 3 operations at some twenty times the
  // speed: so many steps with an older factor are worth a new one.
  const auto m = static_cast<double>(factor_rows_.size());
  const auto n = static_cast<double>(n_);
  const std::size_t worth = 3 + static_cast<std::size_t>(m * m * m / (60 * n * n));
  if (!is_fresh_) {
    if (factor_ && stale_steps_ < worth) {
      const std::vector<double> right(z.begin(), z.end());
      const bool good = conjugate_gradients(h, share, worth - stale_steps_, z);
      if (good) return;
      std::ranges::copy(right, z.begin());
    }
    factor(h);
  }
  (void)conjugate_gradients(h, share, most_steps, z);
}

bool UnitBoxQp::Work::line_search(DenseView h, double promised) {
  double step = 1;
  for (std::size_t i = 0; i < n_; ++i) {
    const double room = direction_[i] < 0 ? x_[i] : 1 - x_[i];
    step = std::min(step, way_to_bound * room / std::max(std::abs(direction_[i]), 1e-300));
  }
  multiply(h, direction_, trial_image_);
  // The objective along the ray is known from H x and H d.
  const double linear = plain_value(x_, image_);
  double slope = 0;
  double curvature = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    slope += direction_[i] * (linear_[i] - image_[i]);
    curvature += direction_[i] * trial_image_[i];
  }
  const double before = linear + barrier(x_);
  for (std::size_t trial = 0; trial < most_halvings; ++trial, step *= 0.5) {
    for (std::size_t i = 0; i < n_; ++i) trial_[i] = x_[i] + step * direction_[i];
    const double after = linear + step * slope - 0.5 * step * step * curvature + barrier(trial_);
    const double noise = 1e-15 * std::abs(before);
    if (after >= before + least_share * step * promised - noise) {
      std::swap(x_, trial_);
      axpy(step, trial_image_, image_);
      return true;
    }
  }
  return false;
}

UnitBoxQpReport UnitBoxQp::Work::solve(DenseView h, double mu, std::span<const double> linear) {
  require(h.rows == n_ && h.cols == n_, "UnitBoxQp.solve: the matrix has another size");
  require(linear.empty() || linear.size() == n_, "UnitBoxQp.solve: linear has another size");
  require_field(mu > 0 && std::isfinite(mu), "UnitBoxQp.solve: mu", mu, "finite and > 0");
  mu_ = mu;
  answer_ = Continue::yes;
  linear_.assign(n_, 1.0);
  if (!linear.empty()) std::ranges::copy(linear, linear_.begin());
  if (!started_) first_point(h);
  const std::uint64_t factors = factorisations_;
  UnitBoxQpReport report;
  multiply(h, x_, image_);
  for (;;) {
    differentiate();
    if (question() != Continue::yes) {
      report.status = status_of(answer_);
      break;
    }
    std::ranges::copy(gradient_, direction_.begin());
    solve_system(h, newton_share, direction_);
    const double promised = dot(gradient_, direction_);
    const double value = plain_value(x_, image_);
    if (!std::isfinite(promised)) {
      report.status = Status::numerical_failure;
      break;
    }
    if (promised <= options_.tolerance * std::abs(value)) break;
    if (report.iterations >= options_.max_iterations) {
      report.status = Status::iteration_limit;
      break;
    }
    ++report.iterations;
    if (!line_search(h, promised)) {
      report.status = Status::no_progress;
      break;
    }
  }
  multiply(h, x_, image_);
  report.value = plain_value(x_, image_);
  report.smooth_value = report.value + barrier(x_);
  report.gap = gap();
  report.factorisations = factorisations_ - factors;
  return report;
}

UnitBoxQp::UnitBoxQp(std::size_t n, const UnitBoxQpOptions& options) {
  require(n > 0, "UnitBoxQp: n must be > 0");
  validate(options);
  work_ = std::make_unique<Work>(n, options);
}
UnitBoxQp::~UnitBoxQp() = default;

UnitBoxQpReport UnitBoxQp::solve(DenseView h, double mu, std::span<const double> linear) {
  return work_->solve(h, mu, linear);
}
std::span<const double> UnitBoxQp::x() const noexcept { return work_->x(); }
void UnitBoxQp::solve_hessian(DenseView h, std::span<double> z) { work_->solve_hessian(h, z); }

}  // namespace maxmargin
