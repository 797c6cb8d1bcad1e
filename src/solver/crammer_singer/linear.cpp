// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/crammer-singer.md, linear machines.
#include <algorithm>
#include <limits>
#include <vector>

#include "core/parallel.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/rng.hpp"
#include "solver/crammer_singer/run.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The weights of all classes, feature by feature with the classes side by side: an entry of an
/// example meets all classes at once. The constant feature comes last.
class ClassWeightTable {
 public:
  ClassWeightTable(const PointRows& points, std::size_t classes, double bias)
      : points_(points), classes_(classes), bias_(bias) {
    require_memory_for_numbers(points.cols() + 1, classes, "the weights of all classes");
    table_ = DenseMatrix(points.cols() + 1, classes, 0.0);
  }

  /// values[r] = f_r(x_i).
  void evaluate(std::size_t i, std::span<double> values) const {
    const double* last = table_.row(points_.cols()).data();
    for (std::size_t r = 0; r < classes_; ++r) values[r] = bias_ * last[r];
    points_.row(i).for_each([&](std::size_t j, double x) {
      const double* line = table_.row(j).data();
      for (std::size_t r = 0; r < classes_; ++r) values[r] += x * line[r];
    });
  }

  /// w_r += factors[r] x_i.
  void add(std::size_t i, std::span<const double> factors) {
    double* last = table_.row(points_.cols()).data();
    for (std::size_t r = 0; r < classes_; ++r) last[r] += bias_ * factors[r];
    points_.row(i).for_each([&](std::size_t j, double x) {
      double* line = table_.row(j).data();
      for (std::size_t r = 0; r < classes_; ++r) line[r] += x * factors[r];
    });
  }

  /// The weights of these coefficients, summed up in long double; returns the sum of the
  /// coefficients of the examples' own classes.
  double sum_up(const CrammerSinger& problem, const DenseMatrix& coefficients) {
    const std::size_t d = points_.cols();
    std::vector<long double> sums((d + 1) * classes_, 0.0L);
    double gain = 0;
    for (std::size_t i = 0; i < problem.size(); ++i) {
      const std::span<const double> t = coefficients.row(i);
      gain += t[problem.class_of(i)];
      const auto add = [&](std::size_t j, double x) {
        for (std::size_t r = 0; r < classes_; ++r) {
          sums[j * classes_ + r] += static_cast<long double>(t[r]) * x;
        }
      };
      points_.row(i).for_each(add);
      add(d, bias_);
    }
    std::ranges::transform(
        sums, table_.values().begin(), [](long double sum) { return static_cast<double>(sum); });
    return gain;
  }

  void clear() { std::ranges::fill(table_.values(), 0.0); }

  /// Classes x features, without the constant feature.
  [[nodiscard]] DenseMatrix by_class() const {
    DenseMatrix weights = DenseMatrix::uninitialized(classes_, points_.cols());
    for (std::size_t j = 0; j < points_.cols(); ++j) {
      for (std::size_t r = 0; r < classes_; ++r) weights(r, j) = table_(j, r);
    }
    return weights;
  }
  /// Sum over classes of the squared norm, the constant feature included.
  [[nodiscard]] double squared_norm() const {
    double sum = 0;
    for (const double w : table_.values()) sum += w * w;
    return sum;
  }

 private:
  const PointRows& points_;
  std::size_t classes_;
  double bias_;
  DenseMatrix table_;
};

class LinearRun {
 public:
  LinearRun(const CrammerSinger& problem,
            const CrammerSingerOptions& options,
            CrammerSingerSolution& solution)
      : problem_(problem),
        points_(std::get<PointRows>(problem.points)),
        options_(options),
        solution_(solution),
        stop_(options, solution.report),
        weights_(points_, problem.class_count, problem.bias),
        step_(problem.class_count),
        gradient_(problem.class_count) {
    for (std::size_t i = 0; i < problem.size(); ++i) {
      curvatures_.push_back(points_.row(i).squared_norm() + problem.bias * problem.bias);
      std::size_t entries = 1;
      points_.row(i).for_each([&](std::size_t, double) { ++entries; });
      entries_.push_back(entries);
    }
  }

  /// Whether it gave up.
  [[nodiscard]] bool run(std::optional<double> operations) {
    most_operations_ = operations;
    solve();
    solution_.weights = weights_.by_class();
    return gave_up_;
  }

  /// In more digits than a run needs: on raw features the weights are far smaller than their terms.
  void measure_as_is() {
    const double gain = weights_.sum_up(problem_, solution_.coefficients);
    const Objectives now = measure_weights(gain);
    solution_.report.primal_objective = now.primal;
    solution_.report.dual_objective = now.dual;
    solution_.weights = weights_.by_class();
  }

 private:
  /// What a pass over the active examples found.
  struct Pass {
    double gap = 0;
    double violation = 0;
    double growth = 0;
  };

  [[nodiscard]] CrammerSingerExample example(std::size_t i) const {
    return {problem_.class_of(i), problem_.costs[i], curvatures_[i]};
  }

  /// Multiplications and additions of one look at an example.
  [[nodiscard]] double operations_of(std::size_t i) const {
    return static_cast<double>(entries_[i] * problem_.class_count);
  }

  /// G of example i.
  void gradient_at(std::size_t i, std::span<double> gradient) const {
    weights_.evaluate(i, gradient);
    const std::size_t own = problem_.class_of(i);
    for (std::size_t r = 0; r < gradient.size(); ++r) gradient[r] += r == own ? 0.0 : 1.0;
  }

  void solve() {
    activate_all();
    Objectives now = measure();
    double last_violation = infinity;
    // A pass sums gaps of different moments; its target shrinks when that has proved too rosy.
    double share = 1;
    bool measured = true;
    double stuck_gap = infinity;
    while (!(measured && stop_.is_solved(now))) {
      if (stop_.should_stop(now)) {
        if (!measured) now = measure();
        stop_.finish(solution_.report.status, now);
        return;
      }
      gave_up_ = most_operations_ && operations_ > *most_operations_;
      if (gave_up_) {
        if (!measured) now = measure();
        stop_.finish(Status::no_progress, now, "many steps, and the gap is not closed");
        return;
      }
      const Pass pass = pass_over_active(last_violation);
      last_violation = pass.violation;
      if (!(last_violation > 0)) last_violation = infinity;
      const double dual = now.dual + pass.growth;
      now = {dual + pass.gap, dual};
      const bool stuck = stop_.is_stuck(now);
      measured = stuck || is_within(now.primal, now.dual, share * options_.tolerance);
      if (!measured) continue;
      now = measure();
      // Stuck on the active examples may mean stuck because of those left out: try once more.
      const double gap = now.primal - now.dual;
      if (stuck && gap > 0.99 * stuck_gap) {
        stop_.finish(Status::no_progress, now, "steps no longer close the gap");
        return;
      }
      if (stuck) stuck_gap = gap;
      share = std::max(share / 2, 1.0 / 64);
      activate_all();
      last_violation = infinity;
    }
    stop_.finish(Status::solved, now);
  }

  void activate_all() {
    stop_.forget_progress();
    active_.clear();
    for (std::size_t i = 0; i < problem_.size(); ++i) {
      if (problem_.costs[i] > 0) active_.push_back(i);
    }
  }

  Pass pass_over_active(double last_violation) {
    Rng rng(options_.context.seed, "crammer-singer pass", pass_number_++);
    rng.shuffle(std::span<std::size_t>(active_));
    Pass pass;
    std::size_t kept = 0;
    for (std::size_t a = 0; a < active_.size(); ++a) {
      const std::size_t i = active_[a];
      active_[kept++] = i;
      if (stop_.out_of_steps()) continue;
      gradient_at(i, gradient_);
      operations_ += operations_of(i);
      const std::span<double> coefficients = solution_.coefficients.row(i);
      const ExampleState state = example_state(example(i), gradient_, coefficients);
      if (options_.shrinking && state.at_corner && state.slack > last_violation) {
        --kept;
        continue;
      }
      ++solution_.report.iterations;
      pass.violation = std::max(pass.violation, state.violation);
      const double gap = example_gap(example(i), gradient_, coefficients);
      pass.gap += gap;
      if (gap <= 1e-14 * problem_.costs[i]) continue;
      pass.growth += step_.solve(example(i), gradient_, coefficients);
      weights_.add(i, step_.changes());
      operations_ += operations_of(i);
    }
    active_.resize(kept);
    return pass;
  }

  /// Builds the weights anew from the coefficients and measures both objectives.
  Objectives measure() {
    weights_.clear();
    double gain = 0;
    for (std::size_t i = 0; i < problem_.size(); ++i) {
      const std::span<const double> coefficients = solution_.coefficients.row(i);
      gain += coefficients[problem_.class_of(i)];
      if (std::ranges::any_of(coefficients, [](double t) { return t != 0; })) {
        weights_.add(i, coefficients);
      }
    }
    return measure_weights(gain);
  }

  /// Of the weights at hand, where coefficients of own classes sum to `gain`.
  Objectives measure_weights(double gain) const {
    constexpr std::size_t chunk = 512;
    const double loss =
        parallel_sum(thread_count(options_.context.threads),
                     problem_.size(),
                     chunk,
                     0.0,
                     [&](std::size_t, std::size_t begin, std::size_t end) {
                       std::vector<double> gradient(problem_.class_count);
                       double sum = 0;
                       for (std::size_t i = begin; i < end; ++i) {
                         gradient_at(i, gradient);
                         const double own = gradient[problem_.class_of(i)];
                         sum += problem_.costs[i] * (*std::ranges::max_element(gradient) - own);
                       }
                       return sum;
                     });
    const double half_norm = weights_.squared_norm() / 2;
    return {half_norm + loss, gain - half_norm};
  }

  const CrammerSinger& problem_;
  const PointRows& points_;
  const CrammerSingerOptions& options_;
  CrammerSingerSolution& solution_;
  CrammerSingerStop stop_;
  ClassWeightTable weights_;
  ExampleStep step_;
  std::vector<double> gradient_;
  std::vector<double> curvatures_;
  std::vector<std::size_t> entries_;  ///< of an example, and the constant feature
  std::vector<std::size_t> active_;
  std::uint64_t pass_number_ = 0;
  std::optional<double> most_operations_ = std::nullopt;
  double operations_ = 0;
  bool gave_up_ = false;
};

}  // namespace

bool solve_linear(const CrammerSinger& problem,
                  const CrammerSingerOptions& options,
                  std::optional<double> operations,
                  CrammerSingerSolution& solution) {
  return LinearRun(problem, options, solution).run(operations);
}

void measure_linear(const CrammerSinger& problem,
                    const CrammerSingerOptions& options,
                    CrammerSingerSolution& solution) {
  LinearRun(problem, options, solution).measure_as_is();
}

}  // namespace maxmargin
