// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/crammer-singer.md, kernel machines.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/parallel.hpp"
#include "solver/crammer_singer/run.hpp"

namespace maxmargin {

namespace {

/// Examples worked on together.
constexpr std::size_t working_set_size = 512;
/// The share of a working set's gap at which it is left, and the steps in it at most, in multiples
/// of its size.
constexpr double left_over = 0.3;
constexpr std::size_t most_steps = 20;
/// Examples handed to one task.
constexpr std::size_t chunk = 512;

/// target[i] += sum_b factors[b] rows[b][i] for i in [begin, end).
template <class Rows>
void add_rows(const Rows& rows,
              std::span<const double> factors,
              std::size_t begin,
              std::size_t end,
              std::span<double> target) {
  for (std::size_t b = 0; b < rows.size(); ++b) {
    if (factors[b] == 0) continue;
    const double factor = factors[b];
    const auto row = rows[b];
    for (std::size_t i = begin; i < end; ++i) target[i] += factor * static_cast<double>(row[i]);
  }
}

/// The chosen examples with everything their steps need. Classes come first, so that a loop over
/// the members works on neighbours.
struct WorkingSet {
  std::vector<std::size_t> members;
  std::vector<CrammerSingerExample> examples;
  /// Inner products among them.
  DenseMatrix matrix;
  /// Classes x members: G, coefficients, and what the coefficients were.
  DenseMatrix gradient;
  DenseMatrix coefficients;
  DenseMatrix before;
  /// One a member: its cost, G of its own class, and its gap.
  std::vector<double> costs;
  std::vector<double> own;
  std::vector<double> slacks;
  std::vector<double> gaps;

  /// Computes the gaps, as example_gap does, and returns their sum.
  double update_gaps() {
    const std::size_t q = members.size();
    for (std::size_t b = 0; b < q; ++b) own[b] = gradient(examples[b].own, b);
    std::ranges::fill(slacks, 0.0);
    std::ranges::fill(gaps, 0.0);
    for (std::size_t r = 0; r < gradient.rows(); ++r) {
      const double* slope = gradient.row(r).data();
      const double* coefficient = coefficients.row(r).data();
      for (std::size_t b = 0; b < q; ++b) {
        const double difference = slope[b] - own[b];
        slacks[b] = slacks[b] < difference ? difference : slacks[b];
        gaps[b] += coefficient[b] * difference;
      }
    }
    double total = 0;
    for (std::size_t b = 0; b < q; ++b) {
      gaps[b] = std::max(0.0, gaps[b] + costs[b] * slacks[b]);
      total += gaps[b];
    }
    return total;
  }

  /// Adds the moves of one member to the gradients of all.
  void move_gradients(std::size_t moved, std::span<const double> changes) {
    const double* column = matrix.row(moved).data();
    for (std::size_t r = 0; r < changes.size(); ++r) {
      if (changes[r] == 0) continue;
      double* slope = gradient.row(r).data();
      for (std::size_t b = 0; b < members.size(); ++b) slope[b] += column[b] * changes[r];
    }
  }
};

class KernelRun {
 public:
  KernelRun(const CrammerSinger& problem,
            const CrammerSingerOptions& options,
            CrammerSingerSolution& solution)
      : problem_(problem),
        matrix_(*std::get<const SymmetricMatrix*>(problem.points)),
        solution_(solution),
        threads_(thread_count(options.context.threads)),
        constant_(problem.bias * problem.bias),
        stop_(options, solution.report),
        step_(problem.class_count),
        values_(problem.class_count, problem.size(), 0.0),
        gaps_(problem.size(), 0.0) {}

  void run() {
    compute_values();
    Objectives now = measure();
    bool fresh = true;
    while (true) {
      if (stop_.is_solved(now)) {
        if (fresh) break;
        compute_values();
        now = measure();
        fresh = true;
        continue;
      }
      if (stop_.should_stop(now)) return;
      improve();
      fresh = false;
      now = measure();
      if (stop_.is_stuck(now)) {
        compute_values();
        stop_.finish(Status::no_progress, measure(), "steps no longer close the gap");
        return;
      }
    }
    stop_.finish(Status::solved, now);
  }

 private:
  [[nodiscard]] CrammerSingerExample example(std::size_t i) const {
    return {problem_.class_of(i), problem_.costs[i], matrix_.diagonal()[i] + constant_};
  }

  /// G of example i.
  void gradient_at(std::size_t i, std::span<double> gradient) const {
    const std::size_t own = problem_.class_of(i);
    for (std::size_t r = 0; r < gradient.size(); ++r) {
      gradient[r] = values_(r, i) + (r == own ? 0.0 : 1.0);
    }
  }

  /// Adds the rows of a block to the values of all examples: `changes` has one row a class and one
  /// column a row of the block.
  void add_to_values(const RowBlock& block, const DenseMatrix& changes) {
    parallel_chunks(
        threads_, problem_.size(), chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
          for (std::size_t r = 0; r < problem_.class_count; ++r) {
            const std::span<double> target = values_.row(r);
            double shift = 0;
            for (const double change : changes.row(r)) shift += constant_ * change;
            std::visit(
                [&](const auto& rows) { add_rows(rows, changes.row(r), begin, end, target); },
                block.rows);
            for (std::size_t i = begin; i < end; ++i) target[i] += shift;
          }
        });
  }

  /// All values from the coefficients.
  void compute_values() {
    std::ranges::fill(values_.values(), 0.0);
    std::vector<std::size_t> members;
    const auto flush = [&] {
      if (members.empty()) return;
      DenseMatrix changes(problem_.class_count, members.size());
      for (std::size_t b = 0; b < members.size(); ++b) {
        for (std::size_t r = 0; r < problem_.class_count; ++r) {
          changes(r, b) = solution_.coefficients(members[b], r);
        }
      }
      add_to_values(matrix_.rows(members), changes);
      members.clear();
    };
    for (std::size_t i = 0; i < problem_.size(); ++i) {
      const std::span<const double> own = solution_.coefficients.row(i);
      if (std::ranges::all_of(own, [](double t) { return t == 0; })) continue;
      members.push_back(i);
      if (members.size() == working_set_size) flush();
    }
    flush();
  }

  /// Gaps of all examples and both objectives (steps 1 of the page).
  Objectives measure() {
    struct Parts {
      double gap = 0;
      double gain = 0;
      double squared_norm = 0;
      Parts& operator+=(const Parts& other) {
        gap += other.gap;
        gain += other.gain;
        squared_norm += other.squared_norm;
        return *this;
      }
    };
    const Parts parts = parallel_sum(threads_,
                                     problem_.size(),
                                     chunk,
                                     Parts{},
                                     [&](std::size_t, std::size_t begin, std::size_t end) {
                                       std::vector<double> gradient(problem_.class_count);
                                       Parts part;
                                       for (std::size_t i = begin; i < end; ++i) {
                                         gradient_at(i, gradient);
                                         const std::span<const double> own =
                                             solution_.coefficients.row(i);
                                         gaps_[i] = example_gap(example(i), gradient, own);
                                         part.gap += gaps_[i];
                                         part.gain += own[problem_.class_of(i)];
                                         for (std::size_t r = 0; r < own.size(); ++r) {
                                           part.squared_norm += own[r] * values_(r, i);
                                         }
                                       }
                                       return part;
                                     });
    const double dual = parts.gain - parts.squared_norm / 2;
    return {dual + parts.gap, dual};
  }

  /// Steps 2 to 4 of the page.
  void improve() {
    WorkingSet set;
    set.members = worst_examples();
    const RowBlock block = matrix_.rows(set.members);
    fill(set, block);
    solve(set);
    for (std::size_t r = 0; r < problem_.class_count; ++r) {
      for (std::size_t b = 0; b < set.members.size(); ++b) {
        solution_.coefficients(set.members[b], r) = set.coefficients(r, b);
        set.coefficients(r, b) -= set.before(r, b);
      }
    }
    add_to_values(block, set.coefficients);
  }

  /// The examples of largest gap, in ascending order.
  [[nodiscard]] std::vector<std::size_t> worst_examples() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < problem_.size(); ++i) {
      if (gaps_[i] > 0) order.push_back(i);
    }
    const auto worse_than = [&](std::size_t a, std::size_t b) {
      return gaps_[a] != gaps_[b] ? gaps_[a] > gaps_[b] : a < b;
    };
    if (order.size() > working_set_size) {
      const auto middle = order.begin() + static_cast<std::ptrdiff_t>(working_set_size);
      std::ranges::nth_element(order, middle, worse_than);
      order.resize(working_set_size);
    }
    std::ranges::sort(order);
    return order;
  }

  void fill(WorkingSet& set, const RowBlock& block) const {
    const std::size_t q = set.members.size();
    const std::size_t k = problem_.class_count;
    set.matrix = DenseMatrix::uninitialized(q, q);
    set.gradient = DenseMatrix::uninitialized(k, q);
    set.coefficients = DenseMatrix::uninitialized(k, q);
    set.own.resize(q);
    set.slacks.resize(q);
    set.gaps.resize(q);
    for (std::size_t b = 0; b < q; ++b) {
      const std::size_t i = set.members[b];
      set.examples.push_back(example(i));
      set.costs.push_back(problem_.costs[i]);
      std::visit(
          [&](const auto& rows) {
            for (std::size_t a = 0; a < q; ++a) {
              set.matrix(b, a) = static_cast<double>(rows[b][set.members[a]]) + constant_;
            }
          },
          block.rows);
      set.matrix(b, b) = set.examples[b].curvature;
      for (std::size_t r = 0; r < k; ++r) {
        set.gradient(r, b) = values_(r, i) + (r == problem_.class_of(i) ? 0.0 : 1.0);
        set.coefficients(r, b) = solution_.coefficients(i, r);
      }
    }
    set.before = set.coefficients;
  }

  /// Steps on the member of largest gap until little of the working set's gap is left.
  void solve(WorkingSet& set) {
    const std::size_t k = problem_.class_count;
    std::vector<double> gradient(k);
    std::vector<double> coefficients(k);
    const double target = left_over * set.update_gaps();
    for (std::size_t steps = 0; steps < most_steps * set.members.size(); ++steps) {
      if (stop_.out_of_steps()) break;
      const auto worst =
          static_cast<std::size_t>(std::ranges::max_element(set.gaps) - set.gaps.begin());
      for (std::size_t r = 0; r < k; ++r) {
        gradient[r] = set.gradient(r, worst);
        coefficients[r] = set.coefficients(r, worst);
      }
      ++solution_.report.iterations;
      step_.solve(set.examples[worst], gradient, coefficients);
      for (std::size_t r = 0; r < k; ++r) set.coefficients(r, worst) = coefficients[r];
      set.move_gradients(worst, step_.changes());
      if (set.update_gaps() <= target) break;
    }
  }

  const CrammerSinger& problem_;
  const SymmetricMatrix& matrix_;
  CrammerSingerSolution& solution_;
  std::size_t threads_;
  double constant_;
  CrammerSingerStop stop_;
  ExampleStep step_;
  /// Classes x examples: f_r(x_i).
  DenseMatrix values_;
  std::vector<double> gaps_;
};

}  // namespace

void solve_kernel(const CrammerSinger& problem,
                  const CrammerSingerOptions& options,
                  CrammerSingerSolution& solution) {
  KernelRun(problem, options, solution).run();
}

}  // namespace maxmargin
