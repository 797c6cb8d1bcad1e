// SPDX-License-Identifier: Apache-2.0
//
// docs/algorithms/sdp-low-rank.md. Symbols: X = R R'; a = A(X) - b; y the multipliers, sigma the
// penalty; S = C - sum y_i A_i. Everything is in the scale of ScaledSdp.
#include "solver/sdp/low_rank.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "core/parallel.hpp"
#include "core/stoppable.hpp"
#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/problem/sdp/residuals.hpp"
#include "solver/sdp/factored.hpp"
#include "solver/sdp/lbfgs.hpp"
#include "solver/sdp/proven_end.hpp"
#include "solver/sdp/rays.hpp"
#include "solver/sdp/scaled.hpp"

namespace maxmargin {

namespace {

constexpr std::uint64_t ask_interval = 20;
constexpr std::uint64_t steps_per_round = 3000;
constexpr double largest_penalty = 1e9;
/// A scaled program with a solution of moderate size has no such value (minus).
constexpr double runaway = 1e8;
/// Blocks up to this size have all eigenvalues computed, larger ones a few by Lanczos.
constexpr std::size_t largest_dense = 300;
/// Restarts of Lanczos before all eigenvalues are computed instead.
constexpr std::size_t lanczos_restarts = 50;
/// Share of R (at least of 1) that a given start gets as a random column: no start is stationary.
constexpr double start_noise = 1e-4;
/// Directions of escape per block and round.
constexpr std::size_t escapes = 3;

/// The negative end of S: what it lacks to the cone, and where.
struct NegativePart {
  /// Frobenius norm of what was found, and whether that is all of it.
  double size = 0;
  bool is_complete = true;
  /// sum over blocks of bound_k |lambda_min|, +inf without bounds where it matters.
  double loss = 0;
  /// Unit vectors in rows, block by block, with their eigenvalues.
  std::vector<EigenPairs> pairs = {};
};

class LowRank {
 public:
  LowRank(const ScaledSdp& program, const SdpLowRankOptions& options, const SdpStart* start)
      : program_(program),
        options_(options),
        threads_(thread_count(options.context.threads)),
        operators_(program, threads_),
        bounds_(implied_bounds(*program.problem)),
        y_(program.constraints(), 0.0),
        rays_(program, options.context),
        end_(program, options.tolerance, options.context) {
    if (start != nullptr && !start->y.empty()) y_ = program.scaled_y(start->y);
    if (start != nullptr && !start->x.empty()) {
      begin_at(program.scaled_x(start->x));
    } else {
      begin_at_random();
    }
    set_image();
  }

  void run(SdpSolution& solution) {
    try {
      iterate(solution);
    } catch (const Stopped& stopped) {
      // In the midst of a proof.
      solution.report.status = status_of(stopped.answer());
    }
    finish(solution);
  }

 private:
  void iterate(SdpSolution& solution) {
    SolveReport& report = solution.report;
    double last_miss = std::numeric_limits<double>::infinity();
    for (std::uint64_t round = 0;; ++round) {
      Continue answer = minimise();  // step 1
      report.iterations = steps_;
      axpy(-sigma_, miss_, y_);  // step 2
      operators_.set_dual(y_);
      if (answer == Continue::yes) answer = ask_caller();
      if (is_stopped(answer, solution)) break;
      NegativePart negative = negative_part(false);  // step 3
      // A few eigenvalues do not tell what all of them add up to.
      if (!negative.is_complete && is_near(negative)) negative = negative_part(true);
      if (is_finished(negative, solution)) break;
      const double miss = std::sqrt(dot(miss_, miss_));  // step 4
      if (has_ray(miss, last_miss, solution)) break;
      if (miss > 0.25 * last_miss) sigma_ = std::min(largest_penalty, 2 * sigma_);
      // Too few columns may leave the equations without a solution: then they no longer improve.
      const bool is_stuck = is_feasible() ? precision_ <= finest() : miss > 0.9 * last_miss;
      last_miss = miss;
      if (is_stationary_ && is_stuck) escape(negative);  // step 5
      precision_ = std::max(finest(), 0.3 * precision_);
    }
  }

  [[nodiscard]] double finest() const { return 0.1 * end_.target(); }
  /// What the relative gap is measured by.
  [[nodiscard]] double unit() const {
    return program_.least_unit() / program_.value_scale() + std::abs(cost_value_) +
           std::abs(dot(program_.rhs, y_));
  }
  [[nodiscard]] bool is_feasible() const {
    return program_.primal_infeasibility(miss_) <= end_.target();
  }

  void begin_at_random() {
    Rng rng(options_.context.seed, "low-rank start");
    for (const SdpBlockRows& block : program_.blocks) {
      const auto m = static_cast<double>(block.rows());
      const auto wanted = static_cast<std::size_t>(std::ceil(std::sqrt(2 * m))) + 1;
      const std::size_t rank =
          std::max<std::size_t>(1, std::min(block.size, options_.rank.value_or(wanted)));
      const std::size_t rows = block.is_vector() ? 1 : block.size;
      r_.emplace_back(rows, block.is_vector() ? block.size : rank);
      for (double& value : r_.back().values()) {
        value = rng.normal() / std::sqrt(static_cast<double>(r_.back().cols()));
      }
    }
    // The multiple of R R' that comes nearest to A(X) = b.
    const Image image = operators_.image(r_, r_);
    const double squares = dot(image.values, image.values);
    const double along = dot(image.values, program_.rhs);
    const double factor = squares > 0 && along > 0 ? std::sqrt(along / squares) : 0.1;
    for (DenseMatrix& block : r_) {
      for (double& value : block.values()) value *= factor;
    }
  }

  void begin_at(const BlockMatrix& x) {
    Rng rng(options_.context.seed, "low-rank start");
    for (std::size_t k = 0; k < x.size(); ++k) {
      const std::size_t n = x[k].cols();
      if (program_.blocks[k].is_vector()) {
        r_.push_back(x[k]);
        for (double& value : r_.back().values()) {
          value = std::max(start_noise, std::sqrt(std::max(value, 0.0)));
        }
        continue;
      }
      const EigenPairs pairs = eigen_symmetric(x[k].view());
      std::size_t first = 0;
      while (first + 1 < n && pairs.values[first] <= 1e-10 * pairs.values.back()) ++first;
      r_.emplace_back(n, n == 0 ? 1 : n - first + 1);
      double trace = 0;
      for (std::size_t c = first; c < n; ++c) {
        const double root = std::sqrt(std::max(pairs.values[c], 0.0));
        trace += root * root;
        for (std::size_t i = 0; i < n; ++i) r_.back()(i, c - first) = root * pairs.vectors(c, i);
      }
      const double noise =
          start_noise * std::max(1.0, std::sqrt(trace)) / std::sqrt(static_cast<double>(n));
      for (std::size_t i = 0; i < n; ++i) r_.back()(i, n - first) = noise * rng.normal();
    }
  }

  void set_image() {
    Image image = operators_.image(r_, r_);
    cost_value_ = image.cost;
    miss_ = std::move(image.values);
    axpy(-1.0, program_.rhs, miss_);
  }

  /// The gradient of the augmented Lagrangian: 2 S R with multipliers y - sigma a.
  [[nodiscard]] Factor gradient() {
    std::vector<double> multipliers = y_;
    axpy(-sigma_, miss_, multipliers);
    operators_.set_dual(multipliers);
    Factor result = r_;
    operators_.gradient(r_, result);
    return result;
  }

  /// Minimises over R until <gradient, R> is small against the values.
  Continue minimise() {
    LbfgsMemory memory;
    Factor g = gradient();
    is_stationary_ = false;
    for (std::uint64_t step = 0; step < steps_per_round && steps_ < options_.max_iterations;
         ++step, ++steps_) {
      const double size = std::sqrt(inner_product(g, g));
      const double reach = std::sqrt(inner_product(r_, r_));
      is_stationary_ = 0.5 * size * reach <= precision_ * unit();
      if (is_stationary_ || !std::isfinite(size)) break;
      if (cost_value_ < -runaway) break;
      if (steps_ % ask_interval == 0) {
        const Continue answer = ask_caller();
        if (answer != Continue::yes) return answer;
      }
      Factor d = memory.direction(g);
      if (!(inner_product(g, d) < 0)) {
        memory.clear();
        d = memory.direction(g);
      }
      const double length = search(d);
      if (length == 0) break;
      for (DenseMatrix& block : d) {
        for (double& value : block.values()) value *= length;
      }
      add_blocks(1.0, d, r_);
      // Updated images drift; a fresh one now and then costs little.
      if (step % 50 == 49) set_image();
      Factor next = gradient();
      Factor change = next;
      add_blocks(-1.0, g, change);
      memory.remember(std::move(d), std::move(change));
      g = std::move(next);
    }
    set_image();
    return Continue::yes;
  }

  /// The exact minimum along R + alpha D, where the augmented Lagrangian is a quartic; updates the
  /// image and returns alpha (0: no decrease).
  double search(const Factor& d) {
    Image first = operators_.image(r_, d);
    first.cost *= 2;
    for (double& value : first.values) value *= 2;
    const Image second = operators_.image(d, d);
    const double p1 = first.cost - dot(y_, first.values) + sigma_ * dot(miss_, first.values);
    const double p2 = second.cost - dot(y_, second.values) +
                      sigma_ * (0.5 * dot(first.values, first.values) + dot(miss_, second.values));
    const double p3 = sigma_ * dot(first.values, second.values);
    const double p4 = 0.5 * sigma_ * dot(second.values, second.values);
    // Also where they are not numbers: R then stays as it is.
    if (!(p1 < 0) || !std::isfinite(p1 + p2 + p3 + p4)) return 0;
    // Along a direction without end a long step shows it soonest.
    const double alpha = least_of_quartic(p1, p2, p3, p4).value_or(100.0);
    axpy(alpha, first.values, miss_);
    axpy(alpha * alpha, second.values, miss_);
    cost_value_ += alpha * first.cost + alpha * alpha * second.cost;
    return alpha;
  }

  Continue ask_caller() const {
    return options_.context.ask({.phase = "low rank",
                                 .iteration = steps_,
                                 .max_iterations = options_.max_iterations,
                                 .primal_objective = cost_value_ * program_.value_scale(),
                                 .gap = program_.primal_infeasibility(miss_),
                                 .target = options_.tolerance});
  }

  /// Negative eigenvalues of S: all of a small block, and a few of a large one unless `complete`.
  [[nodiscard]] NegativePart negative_part(bool complete) const {
    NegativePart part;
    double squares = 0;
    for (std::size_t k = 0; k < program_.blocks.size(); ++k) {
      const std::size_t n = program_.blocks[k].size;
      part.pairs.emplace_back();
      if (n == 0) continue;
      double least = 0;
      if (program_.blocks[k].is_vector()) {
        const std::span<const double> s = operators_.diagonal(k);
        for (std::size_t j = 0; j < n; ++j) {
          if (s[j] >= 0) continue;
          squares += s[j] * s[j];
          least = std::min(least, s[j]);
          part.loss += -s[j] * bounds_.diagonal[k][j];
        }
        continue;
      }
      ExtremeEigen found;
      if (n > largest_dense && !complete) {
        found = extreme_eigenpairs(n,
                                   [&](std::span<const double> x, std::span<double> result) {
                                     operators_.multiply(k, x, result);
                                   },
                                   {.count = escapes,
                                    .end = SpectrumEnd::smallest,
                                    .tolerance = 1e-8,
                                    .max_iterations = lanczos_restarts,
                                    .context = options_.context});
      }
      part.is_complete = part.is_complete && !found.converged;
      if (!found.converged) {
        found.pairs = eigen_symmetric(operators_.dense(k).view());
        found.residual = 0;
      }
      EigenPairs& pairs = found.pairs;
      for (const double value : pairs.values) {
        if (value < 0) squares += value * value;
      }
      least = std::min(least, pairs.values.front() - found.residual);
      if (least < 0) part.loss += -least * bounds_.trace[k];
      part.pairs.back() = std::move(pairs);
    }
    part.loss *= program_.cost_scale;
    part.size = std::sqrt(squares);
    return part;
  }

  /// Whether the misses are small enough for a proof.
  [[nodiscard]] bool is_near(const NegativePart& negative) const {
    const double dual = dot(program_.rhs, y_);
    const double scale = program_.value_scale();
    const bool tight =
        !std::isfinite(negative.loss) || negative.loss <= end_.target() * scale * unit();
    return is_feasible() && program_.relative_gap(cost_value_, dual) <= end_.target() &&
           program_.dual_infeasibility(negative.size) <= end_.target() && tight;
  }

  /// By the caller, or since S has no eigenvalues any more.
  bool is_stopped(Continue answer, SdpSolution& solution) const {
    SolveReport& report = solution.report;
    if (!std::isfinite(cost_value_ + dot(miss_, miss_) + dot(y_, y_))) {
      report.status = Status::numerical_failure;
      report.message = "the iterate is not finite";
      return true;
    }
    if (answer == Continue::yes) return false;
    report.status = status_of(answer);
    return true;
  }

  bool is_finished(const NegativePart& negative, SdpSolution& solution) {
    SolveReport& report = solution.report;
    if (is_near(negative)) {
      // Later iterates may miss more: this is what a run without a proof hands out.
      nearest_ = Iterate{.r = r_, .y = y_};
      if (end_.is_proven(y_, cost_value_, steps_)) {
        report.status = Status::solved;
        nearest_->y = end_.multipliers();
        return true;
      }
    }
    // Without a proof settle() calls it inaccurate.
    if (end_.is_out_of_patience(steps_)) {
      report.status = Status::solved;
      return true;
    }
    if (steps_ >= options_.max_iterations) {
      report.status = Status::iteration_limit;
      return true;
    }
    // Rounds whose penalty is at its limit and which take no step cannot help any more.
    stalled_rounds_ = steps_ == steps_at_round_ ? stalled_rounds_ + 1 : 0;
    steps_at_round_ = steps_;
    if (stalled_rounds_ < 50) return false;
    if (end_.was_near()) return true;
    report.status = Status::no_progress;
    report.message = "the gradient vanishes without the equations holding";
    return true;
  }

  bool has_ray(double miss, double last_miss, SdpSolution& solution) {
    // The nearest point to A(X) = b leaves a miss that is a proof (it is -A(X) + b as y).
    if (miss > 0.8 * last_miss && !is_feasible()) {
      std::vector<double> ray = miss_;
      for (double& value : ray) value = -value;
      if (rays_.accept_dual(ray, solution)) return true;
    }
    if (cost_value_ > -runaway) return false;
    return rays_.accept_primal(program_.scaled_x(point()), solution);
  }

  /// New columns along the negative eigenvectors of S, scaled to the minimum along them. Columns
  /// that R does not use make room first.
  void escape(const NegativePart& negative) {
    for (std::size_t k = 0; k < r_.size(); ++k) {
      if (program_.blocks[k].is_vector()) {
        escape_vector(k);
      } else if (program_.blocks[k].size > 0) {
        escape_block(k, negative.pairs[k]);
      }
    }
    set_image();
  }

  void escape_vector(std::size_t k) {
    const std::span<const double> s = operators_.diagonal(k);
    const double unit_size = std::max(1e-12, std::sqrt(inner_product(r_, r_)));
    for (std::size_t j = 0; j < s.size(); ++j) {
      double& r = r_[k](0, j);
      if (s[j] < 0 && std::abs(r) < 1e-3 * unit_size) r = std::sqrt(r * r - s[j] / sigma_);
    }
  }

  void escape_block(std::size_t k, const EigenPairs& pairs) {
    const std::size_t n = program_.blocks[k].size;
    std::size_t added = 0;
    while (added < std::min(escapes, pairs.values.size()) && pairs.values[added] < 0) ++added;
    if (added == 0) return;
    const DenseMatrix kept = used_columns(r_[k]);
    const std::size_t columns = std::max<std::size_t>(1, kept.cols());
    DenseMatrix grown(n, columns + added);
    for (std::size_t i = 0; i < n; ++i) {
      std::copy(kept.row(i).begin(), kept.row(i).end(), grown.row(i).begin());
      for (std::size_t e = 0; e < added; ++e) {
        // |A(vv')| <= sqrt(m) is about 1 in this scale.
        grown(i, columns + e) = std::sqrt(-pairs.values[e] / sigma_) * pairs.vectors(e, i);
      }
    }
    r_[k] = std::move(grown);
  }

  /// R turned so that its columns are orthogonal, without those that vanish: the same R R'.
  static DenseMatrix used_columns(const DenseMatrix& r) {
    DenseMatrix gram(r.cols(), r.cols());
    gemm(Transpose::yes, Transpose::no, 1.0, r.view(), r.view(), 0.0, gram.view());
    const EigenPairs pairs = eigen_symmetric(gram.view());
    std::size_t first = 0;
    while (first < r.cols() && pairs.values[first] <= 1e-12 * pairs.values.back()) ++first;
    if (first == r.cols()) return DenseMatrix(r.rows(), 0);
    DenseMatrix turned(r.rows(), r.cols() - first);
    gemm(Transpose::no,
         Transpose::yes,
         1.0,
         r.view(),
         pairs.vectors.view().middle_rows(first, r.cols()),
         0.0,
         turned.view());
    return turned;
  }

  /// X in the program's scale.
  [[nodiscard]] BlockMatrix point() const {
    BlockMatrix x = program_.problem->zero_point();
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (program_.blocks[k].is_vector()) {
        for (std::size_t j = 0; j < x[k].cols(); ++j) x[k](0, j) = r_[k](0, j) * r_[k](0, j);
      } else if (x[k].rows() > 0) {
        syrk_lower(Transpose::no, 1.0, r_[k].view(), 0.0, x[k].view());
        mirror_lower(x[k].view());
      }
    }
    return program_.original_x(x);
  }

  void finish(SdpSolution& solution) {
    if (nearest_) {
      r_ = std::move(nearest_->r);
      y_ = std::move(nearest_->y);
    }
    solution.x = point();
    solution.y = program_.original_y(y_);
    operators_.set_dual(y_);
    BlockMatrix z;
    for (std::size_t k = 0; k < r_.size(); ++k) {
      z.push_back(operators_.dense(k));
      if (program_.blocks[k].is_vector()) {
        for (double& value : z.back().values()) value = std::max(value, 0.0);
      } else if (z.back().rows() > 0) {
        z.back() = project_psd(z.back().view());
      }
    }
    solution.z = program_.original_z(z);
  }

  const ScaledSdp& program_;
  const SdpLowRankOptions& options_;
  std::size_t threads_;
  FactoredSdp operators_;
  SdpBounds bounds_;
  std::vector<double> y_;
  Factor r_ = {};
  RaySearch rays_;
  ProvenEnd end_;
  struct Iterate {
    Factor r = {};
    std::vector<double> y = {};
  };
  std::optional<Iterate> nearest_ = std::nullopt;  ///< the last one near enough for a proof
  double sigma_ = 10;
  double precision_ = 1e-2;

  double cost_value_ = 0;
  std::vector<double> miss_ = {};
  std::uint64_t steps_ = 0;
  std::uint64_t steps_at_round_ = 0;
  int stalled_rounds_ = 0;
  /// Whether the last round ended where the gradient vanishes.
  bool is_stationary_ = false;
};

}  // namespace

void SdpLowRankOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "tolerance", .help = "relative gap and infeasibilities at which it stops"},
               tolerance,
               NumberRule{"a number from 1e-9 to 0.1",
                          {.least = 1e-9, .most = 1e-1, .has_least = true, .has_most = true}});
  visit.whole({.name = "max-iterations", .help = "gradient steps over all rounds at most"},
              max_iterations,
              {.least = 1});
  visit.whole({.name = "rank",
               .help = "columns of the factor of every block at the start",
               .fallback = "by the number of constraints"},
              rank,
              {.least = 1});
}

SdpSolution solve_sdp_low_rank(const SdpProblem& problem,
                               const SdpLowRankOptions& options,
                               const SdpStart* start) {
  validate(options);
  check_start(problem, start);
  // X, Z, S and what their eigenvalues need, at the end. Rows that depend on others do no harm.
  constexpr std::size_t own_points = 8;
  const SdpNeeds needs{.phase = "low rank",
                       .tolerance = options.tolerance,
                       .points = own_points + ProvenEnd::points,
                       .independent_rows = false};
  return solve_presolved(problem, needs, [&](const ScaledSdp& program, SdpSolution& solution) {
    LowRank(program, options, start).run(solution);
  });
}

}  // namespace maxmargin
