// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/s3vm.md, "The convex step on the features"
#include "solver/linear/centred_hinge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/gap.hpp"
#include "solver/linear/default_passes.hpp"
#include "solver/linear/finish.hpp"
#include "solver/linear/rows.hpp"

namespace maxmargin {

namespace {

/// w = sum_i b_i (x_i - centre) of dense rows. The centre is subtracted entry by entry, so rows far
/// from 0 lose nothing.
class DenseCombination {
 public:
  DenseCombination(const DenseView& rows, std::span<const double> centre)
      : rows_(rows), centre_(centre), w_(rows.cols, 0.0) {}

  /// |x_i - centre|^2 from above, as far as rounding lets.
  [[nodiscard]] double squared_distance(std::size_t i) const {
    const double* x = rows_.row(i).data();
    return sum([&](std::size_t j) { return (x[j] - centre_[j]) * (x[j] - centre_[j]); });
  }
  void clear() { std::ranges::fill(w_, 0.0); }
  void add(std::size_t i, double t) {
    const double* x = rows_.row(i).data();
    for (std::size_t j = 0; j < w_.size(); ++j) w_[j] += t * (x[j] - centre_[j]);
  }
  /// w.(x_i - centre).
  [[nodiscard]] double score(std::size_t i) const {
    const double* x = rows_.row(i).data();
    return sum([&](std::size_t j) { return w_[j] * (x[j] - centre_[j]); });
  }

  /// To be called before what follows: score and w without the rounding of the steps.
  void settle() {}
  [[nodiscard]] double settled_score(std::size_t i) const { return score(i); }
  [[nodiscard]] const std::vector<double>& w() const { return w_; }
  /// How far rounding may move an objective, beyond that of any sum.
  [[nodiscard]] static double rounding() { return 0; }

 private:
  /// Eight interleaved sums, an order that vector instructions can follow.
  template <class Term>
  [[nodiscard]] double sum(const Term& term) const {
    constexpr std::size_t lanes = 8;
    std::array<double, lanes> sums = {};
    const std::size_t whole = w_.size() - w_.size() % lanes;
    for (std::size_t j = 0; j < whole; j += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += term(j + lane);
    }
    for (std::size_t j = whole; j < w_.size(); ++j) sums[j - whole] += term(j);
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7]));
  }

  DenseView rows_;
  std::span<const double> centre_;
  std::vector<double> w_;
};

/// The same for sparse rows. With v = sum_i b_i x_i, sigma = sum_i b_i, q_i = centre.x_i and tau =
/// sum_i b_i q_i the weights are w = v - sigma centre, and w.(x_i - centre) = v.x_i - sigma q_i -
/// tau + sigma |centre|^2: a step costs the entries of one row, whatever the centre holds. Where
/// the centre is long beside the distances from it these differences lose digits; rounding() says
/// how many.
template <class Rows>
class SparseCombination {
 public:
  SparseCombination(const Rows& rows, std::size_t count, std::span<const double> centre)
      : rows_(rows), centre_(centre), v_(centre.size() + 1, 0.0), w_(centre.size() + 1, 0.0) {
    std::vector<double> padded(centre.begin(), centre.end());
    padded.push_back(0.0);
    for (const double value : centre) centre_norm_ += value * value;
    for (std::size_t i = 0; i < count; ++i) {
      products_.push_back(rows_.dot(i, padded.data()));
      lengths_.push_back(std::sqrt(rows_.squared_norm(i)));
    }
  }

  [[nodiscard]] double squared_distance(std::size_t i) const {
    const double row_norm = lengths_[i] * lengths_[i];
    const double difference = row_norm - 2 * products_[i] + centre_norm_;
    // Too large a curvature shortens steps; too small a one could make them go astray.
    return std::max(difference, 0.0) + 4 * epsilon * (row_norm + centre_norm_);
  }
  void clear() {
    std::ranges::fill(v_, 0.0);
    sigma_ = tau_ = size_ = 0;
  }
  void add(std::size_t i, double t) {
    rows_.add(i, t, v_.data());
    sigma_ += t;
    tau_ += t * products_[i];
    size_ += std::abs(t) * lengths_[i];
  }
  [[nodiscard]] double score(std::size_t i) const {
    return rows_.dot(i, v_.data()) - sigma_ * products_[i] - tau_ + sigma_ * centre_norm_;
  }

  void settle() {
    w_ = v_;
    at_centre_ = 0;
    for (std::size_t j = 0; j < centre_.size(); ++j) {
      w_[j] -= sigma_ * centre_[j];
      at_centre_ += w_[j] * centre_[j];
    }
  }
  [[nodiscard]] double settled_score(std::size_t i) const {
    return rows_.dot(i, w_.data()) - at_centre_;
  }
  /// With a 0 at the end, for the bias feature of Rows.
  [[nodiscard]] const std::vector<double>& w() const { return w_; }
  /// An error of epsilon in each addend of v and sigma centre moves 1/2 |w|^2 by |w| times it.
  [[nodiscard]] double rounding() const {
    const double length = std::sqrt(2 * linear::half_squared_norm(w_));
    return epsilon * length * (size_ + std::abs(sigma_) * std::sqrt(centre_norm_));
  }

 private:
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();

  Rows rows_;
  std::span<const double> centre_;
  std::vector<double> v_;  ///< one entry a column, and the bias feature of Rows, always 0
  std::vector<double> w_;
  std::vector<double> products_ = {};  ///< q
  std::vector<double> lengths_ = {};   ///< |x_i|
  double centre_norm_ = 0;
  double sigma_ = 0;
  double tau_ = 0;
  double size_ = 0;  ///< sum of |b_i| |x_i|
  double at_centre_ = 0;
};

/// One solve.
template <class Combination>
class CentredAscent {
 public:
  CentredAscent(const CentredHinge& problem, Combination combination, const LinearOptions& options)
      : problem_(problem),
        combination_(std::move(combination)),
        options_(options),
        rng_(options.context.seed, "centred hinge"),
        b_(problem.rows(), 0.0),
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
      const Continue answer = options_.context.ask(progress());
      if (answer != Continue::yes) return finish(status_of(answer));
      if (!promising && passes_ % passes_between_measurements != 0) continue;
      measure();
      if (converged()) return finish(Status::solved);
      if (idle_ >= most_idle) return finish(Status::no_progress);
    }
  }

 private:
  static constexpr int most_idle = 30;
  /// Steps lost in rounding may look promising for ever, so the gap is looked at now and then.
  static constexpr std::uint64_t passes_between_measurements = 100;

  void setup(std::span<const double> start) {
    constexpr double least_curvature = 1e-300;  // a row at the centre moves to a bound at once
    for (std::size_t i = 0; i < b_.size(); ++i) {
      if (!(problem_.costs[i] > 0)) continue;
      used_.push_back(i);
      curvature_[i] = std::max(combination_.squared_distance(i), least_curvature);
      if (!start.empty()) {
        b_[i] =
            problem_.signs[i] * std::clamp(problem_.signs[i] * start[i], 0.0, problem_.costs[i]);
      }
    }
    combine();
    dual_ = dual_value();
  }

  /// The weights from scratch: a long run of small updates would let them drift.
  void combine() {
    combination_.clear();
    for (const std::size_t i : used_) {
      if (b_[i] != 0) combination_.add(i, b_[i]);
    }
    combination_.settle();
  }

  /// Requires settled weights.
  [[nodiscard]] double dual_value() const {
    double sum = -linear::half_squared_norm(combination_.w());
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
      const double margin = problem_.signs[i] * combination_.score(i);
      const double slope = margin - problem_.margins[i];
      const double a = problem_.signs[i] * b_[i];
      gap += problem_.costs[i] * std::max(-slope, 0.0) + a * slope;
      const double next = std::clamp(a - slope / curvature_[i], 0.0, problem_.costs[i]);
      const double move = next - a;
      if (move == 0) continue;
      gain -= move * (slope + curvature_[i] * move / 2);
      b_[i] = problem_.signs[i] * next;
      combination_.add(i, problem_.signs[i] * move);
    }
    ++passes_;
    dual_ += gain;
    measured_ = false;
    const double scale = std::abs(dual_);
    seen_gap_ = relative_gap(dual_ + gap, dual_);
    return gain <= std::numeric_limits<double>::epsilon() * scale ||
           gap <= 2 * options_.tolerance * scale;
  }

  /// Primal and dual at the present point.
  void measure() {
    combine();
    double loss = 0;
    for (const std::size_t i : used_) {
      const double margin = problem_.signs[i] * combination_.settled_score(i);
      loss += problem_.costs[i] * std::max(problem_.margins[i] - margin, 0.0);
    }
    primal_ = linear::half_squared_norm(combination_.w()) + loss;
    dual_ = dual_value();
    measured_ = true;
    const double gap = primal_ - dual_;
    idle_ = gap < least_gap_ ? 0 : idle_ + 1;
    least_gap_ = std::min(least_gap_, gap);
  }

  [[nodiscard]] bool converged() const { return is_within(primal_, dual_, options_.tolerance); }

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
    if (!measured_) measure();
    const double scale = std::max(std::abs(primal_), std::abs(dual_));
    if (combination_.rounding() > options_.tolerance * scale) status = Status::numerical_failure;
    if (status != Status::numerical_failure) {
      solution.report.primal_objective = primal_;
      solution.report.dual_objective = dual_;
    }
    solution.w = combination_.w();
    solution.w.resize(problem_.cols());
    solution.coefficients = b_;
    linear::close_report(solution.report, status, passes_, "passes", options_.tolerance, timer_);
    return solution;
  }

  const CentredHinge& problem_;
  Combination combination_;
  const LinearOptions& options_;
  Rng rng_;
  PhaseTimer timer_ = {};
  std::vector<double> b_;
  std::vector<double> curvature_;  ///< |x_i - centre|^2
  std::vector<std::size_t> used_ = {};
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

void require_fitting(const CentredHinge& problem) {
  const std::size_t rows = problem.rows();
  require_one_a_row(problem.signs, rows, "CentredHinge.signs");
  require_one_a_row(problem.margins, rows, "CentredHinge.margins");
  require_one_a_row(problem.costs, rows, "CentredHinge.costs");
  require_field(problem.centre.size() == problem.cols(),
                "CentredHinge.centre",
                std::to_string(problem.centre.size()) + " numbers",
                std::to_string(problem.cols()) + ", one a column");
  for (const double value : problem.centre) {
    require_field(std::isfinite(value), "CentredHinge.centre", value, "finite");
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const double sign = problem.signs[i];
    const double margin = problem.margins[i];
    const double cost = problem.costs[i];
    require_field(std::abs(sign) == 1, "CentredHinge.signs", sign, "+1 or -1");
    require_field(std::isfinite(margin), "CentredHinge.margins", margin, "finite");
    require_field(std::isfinite(cost) && cost >= 0, "CentredHinge.costs", cost, "finite and >= 0");
  }
}

/// What linear::with_rows wants to see.
struct RowsOfExamples {
  const std::variant<SparseView, DenseView>& examples;
  double bias = 0;
};

}  // namespace

std::size_t CentredHinge::rows() const {
  if (const auto* sparse = std::get_if<SparseView>(&examples)) return sparse->rows();
  return std::get<DenseView>(examples).rows;
}

std::size_t CentredHinge::cols() const {
  return std::visit([](const auto& view) { return view.cols; }, examples);
}

CentredHingeSolution solve_centred_hinge(const CentredHinge& problem,
                                         const LinearOptions& options,
                                         std::span<const double> start) {
  require_fitting(problem);
  validate(options);
  require(start.empty() || start.size() == problem.rows(),
          "centred hinge: the start must have one coefficient a row");
  const LinearOptions limited = linear::with_default_passes(options, problem.examples);
  return linear::with_rows(RowsOfExamples{problem.examples}, [&](const auto& rows) {
    using Rows = std::decay_t<decltype(rows)>;
    if constexpr (std::is_same_v<Rows, linear::DenseRows>) {
      const DenseView& dense = std::get<DenseView>(problem.examples);
      return CentredAscent(problem, DenseCombination(dense, problem.centre), limited).run(start);
    } else {
      return CentredAscent(
                 problem, SparseCombination<Rows>(rows, problem.rows(), problem.centre), limited)
          .run(start);
    }
  });
}

}  // namespace maxmargin
