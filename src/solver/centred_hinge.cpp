// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/s3vm.md, "The convex step on the features"
#include "maxmargin/solver/centred_hinge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/linear_finish.hpp"
#include "solver/linear_rows.hpp"

namespace maxmargin {

namespace {

/// One solve. With v = sum_i b_i x_i, sigma = sum_i b_i, q_i = centre.x_i and tau = sum_i b_i q_i
/// the weights are w = v - sigma centre, and w.(x_i - centre) = v.x_i - sigma q_i - tau + sigma
/// |centre|^2: a step costs the entries of one row, whatever the centre holds.
template <class Rows>
class CentredAscent {
 public:
  CentredAscent(const CentredHinge& problem, const Rows& rows, const LinearOptions& options)
      : problem_(problem),
        rows_(rows),
        options_(options),
        rng_(options.seed, "centred hinge"),
        b_(problem.rows(), 0.0),
        v_(problem.cols() + 1, 0.0),
        centre_products_(problem.rows(), 0.0),
        curvature_(problem.rows(), 0.0) {}

  [[nodiscard]] CentredHingeSolution run(std::span<const double> start) {
    timer_.enter("solve");
    setup(start);
    if (!start.empty() || used_.empty()) {
      measure();
      if (converged()) return finish(Status::solved);
    }
    for (;;) {
      if (options_.max_iterations && passes_ >= *options_.max_iterations) {
        return finish(Status::iteration_limit);
      }
      const bool promising = sweep();
      if (!std::isfinite(dual_)) return finish(Status::numerical_failure);
      const Continue answer = ask(options_.on_progress, progress());
      if (answer != Continue::yes) return finish(status_of(answer));
      if (!promising) continue;
      measure();
      if (converged()) return finish(Status::solved);
      if (idle_ >= most_idle) return finish(Status::no_progress);
    }
  }

 private:
  static constexpr int most_idle = 30;

  void setup(std::span<const double> start) {
    std::vector<double> padded(problem_.centre.begin(), problem_.centre.end());
    padded.push_back(0.0);
    for (const double value : problem_.centre) centre_norm_ += value * value;
    constexpr double least_curvature = 1e-300;  // a row at the centre moves to a bound at once
    for (std::size_t i = 0; i < b_.size(); ++i) {
      if (!(problem_.costs[i] > 0)) continue;
      used_.push_back(i);
      centre_products_[i] = rows_.dot(i, padded.data());
      curvature_[i] =
          std::max(rows_.squared_norm(i) - 2 * centre_products_[i] + centre_norm_, least_curvature);
      if (!start.empty()) {
        b_[i] =
            problem_.signs[i] * std::clamp(problem_.signs[i] * start[i], 0.0, problem_.costs[i]);
      }
    }
    combine();
    dual_ = dual_value();
  }

  /// v, sigma and tau from scratch: a long run of small updates would let them drift.
  void combine() {
    std::ranges::fill(v_, 0.0);
    sigma_ = 0;
    tau_ = 0;
    for (const std::size_t i : used_) {
      if (b_[i] == 0) continue;
      rows_.add(i, b_[i], v_.data());
      sigma_ += b_[i];
      tau_ += b_[i] * centre_products_[i];
    }
  }

  [[nodiscard]] double score(std::size_t i) const {
    return rows_.dot(i, v_.data()) - sigma_ * centre_products_[i] - tau_ + sigma_ * centre_norm_;
  }

  /// 1/2 |w|^2.
  [[nodiscard]] double half_norm() const {
    const double plain = 2 * linear::half_squared_norm(v_);
    return 0.5 * std::max(plain - 2 * sigma_ * tau_ + sigma_ * sigma_ * centre_norm_, 0.0);
  }

  [[nodiscard]] double dual_value() const {
    double sum = -half_norm();
    for (const std::size_t i : used_) sum += problem_.margins[i] * problem_.signs[i] * b_[i];
    return sum;
  }

  /// One pass over all rows in random order. Whether a measurement is worth its pass: the rows'
  /// shares of the gap, each when it was visited, are small, or nothing moves any more.
  [[nodiscard]] bool sweep() {
    rng_.shuffle(std::span(used_));
    double gap = 0;
    double gain = 0;
    for (const std::size_t i : used_) {
      const double margin = problem_.signs[i] * score(i);
      const double slope = margin - problem_.margins[i];
      const double a = problem_.signs[i] * b_[i];
      gap += problem_.costs[i] * std::max(-slope, 0.0) + a * slope;
      const double next = std::clamp(a - slope / curvature_[i], 0.0, problem_.costs[i]);
      const double move = next - a;
      if (move == 0) continue;
      gain -= move * (slope + curvature_[i] * move / 2);
      const double signed_move = problem_.signs[i] * move;
      b_[i] = problem_.signs[i] * next;
      rows_.add(i, signed_move, v_.data());
      sigma_ += signed_move;
      tau_ += signed_move * centre_products_[i];
    }
    ++passes_;
    dual_ += gain;
    measured_ = false;
    const double scale = std::max(std::abs(dual_), 1e-12);
    seen_gap_ = gap / scale;
    return gain <= std::numeric_limits<double>::epsilon() * scale ||
           seen_gap_ <= 2 * options_.tolerance;
  }

  /// Primal and dual at the present point.
  void measure() {
    combine();
    const double norm = half_norm();
    double loss = 0;
    for (const std::size_t i : used_) {
      loss += problem_.costs[i] * std::max(problem_.margins[i] - problem_.signs[i] * score(i), 0.0);
    }
    primal_ = norm + loss;
    dual_ = dual_value();
    measured_ = true;
    const double gap = primal_ - dual_;
    idle_ = gap < least_gap_ ? 0 : idle_ + 1;
    least_gap_ = std::min(least_gap_, gap);
  }

  [[nodiscard]] bool converged() const {
    return relative_gap(primal_, dual_) <= options_.tolerance;
  }

  [[nodiscard]] Progress progress() const {
    return {.phase = "dual coordinate descent",
            .iteration = passes_,
            .max_iterations = options_.max_iterations,
            .dual_objective = dual_,
            .gap = seen_gap_,
            .target = options_.tolerance};
  }

  [[nodiscard]] CentredHingeSolution finish(Status status) {
    CentredHingeSolution solution;
    if (status != Status::numerical_failure) {
      if (!measured_) measure();
      solution.report.primal_objective = primal_;
      solution.report.dual_objective = dual_;
    }
    solution.w.assign(v_.begin(), v_.end() - 1);
    for (std::size_t j = 0; j < solution.w.size(); ++j) {
      solution.w[j] -= sigma_ * problem_.centre[j];
    }
    solution.coefficients = b_;
    linear::close_report(solution.report, status, passes_, "passes", options_.tolerance, timer_);
    return solution;
  }

  const CentredHinge& problem_;
  Rows rows_;
  const LinearOptions& options_;
  Rng rng_;
  PhaseTimer timer_ = {};
  std::vector<double> b_;
  std::vector<double> v_;  ///< one entry a column, and the bias feature of Rows, always 0
  std::vector<double> centre_products_;  ///< q
  std::vector<double> curvature_;        ///< |x_i - centre|^2
  std::vector<std::size_t> used_ = {};
  double centre_norm_ = 0;
  double sigma_ = 0;
  double tau_ = 0;
  std::uint64_t passes_ = 0;
  double seen_gap_ = 0;
  double primal_ = 0;
  double dual_ = 0;
  bool measured_ = false;
  double least_gap_ = std::numeric_limits<double>::infinity();
  int idle_ = 0;
};

void require_one_a_row(std::span<const double> values, std::size_t rows, const char* field) {
  require_field(values.size() == rows,
                field,
                std::to_string(values.size()) + " numbers",
                std::to_string(rows) + ", one a row");
}

/// What linear::with_rows wants to see.
struct RowsOfExamples {
  const std::variant<SparseView, DenseView>& examples;
  double bias = 0;
};

}  // namespace

std::size_t CentredHinge::rows() const noexcept {
  if (const auto* sparse = std::get_if<SparseView>(&examples)) return sparse->rows();
  return std::get<DenseView>(examples).rows;
}

std::size_t CentredHinge::cols() const noexcept {
  return std::visit([](const auto& view) { return view.cols; }, examples);
}

void CentredHinge::validate() const {
  require_one_a_row(signs, rows(), "CentredHinge.signs");
  require_one_a_row(margins, rows(), "CentredHinge.margins");
  require_one_a_row(costs, rows(), "CentredHinge.costs");
  require_field(centre.size() == cols(),
                "CentredHinge.centre",
                std::to_string(centre.size()) + " numbers",
                std::to_string(cols()) + ", one a column");
  for (const double value : centre) {
    require_field(std::isfinite(value), "CentredHinge.centre", value, "finite");
  }
  for (std::size_t i = 0; i < rows(); ++i) {
    require_field(std::abs(signs[i]) == 1, "CentredHinge.signs", signs[i], "+1 or -1");
    require_field(std::isfinite(margins[i]), "CentredHinge.margins", margins[i], "finite");
    require_field(std::isfinite(costs[i]) && costs[i] >= 0,
                  "CentredHinge.costs",
                  costs[i],
                  "finite and >= 0");
  }
}

CentredHingeSolution solve_centred_hinge(const CentredHinge& problem,
                                         const LinearOptions& options,
                                         std::span<const double> start) {
  problem.validate();
  options.validate();
  require(start.empty() || start.size() == problem.rows(),
          "centred hinge: the start must have one coefficient a row");
  return linear::with_rows(RowsOfExamples{problem.examples}, [&](const auto& rows) {
    using Rows = std::decay_t<decltype(rows)>;
    return CentredAscent<Rows>(problem, rows, options).run(start);
  });
}

}  // namespace maxmargin
