// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/problem/svm_dual.hpp"
#include "solver/smo/offset_search.hpp"

/// Where a run of SMO stands: the point, its function values, and what they prove.
namespace maxmargin {

/// Objectives at a point, and the offsets at which the primal was taken.
struct SmoObjectives {
  double primal = 0;
  double dual = 0;
  std::vector<double> offsets = {};

  /// The larger of the two.
  [[nodiscard]] double size() const { return std::max(std::abs(primal), std::abs(dual)); }
};

class SmoState {
 public:
  /// Begins at `start`, or at the point nearest to zero that satisfies the group sums. Its values
  /// are there after sum_up() alone.
  SmoState(const SvmDual& problem, std::span<const double> start, std::size_t threads);

  /// Sums up the values of the first point, with up to `batch` matrix rows at a time. Between two
  /// batches the context is asked: after anything but yes the values are estimates, the sums so far
  /// made as large as the coefficients that are in them have a share in all.
  [[nodiscard]] Continue sum_up(std::size_t batch, const Context& context);
  /// The values of the first point, of a caller who knows them.
  void take_values(std::vector<double> values);

  [[nodiscard]] const SvmDual& problem() const noexcept { return problem_; }
  [[nodiscard]] std::span<const double> coefficients() const noexcept { return b_; }
  [[nodiscard]] std::span<const double> values() const noexcept { return values_; }
  [[nodiscard]] bool pairs() const noexcept { return !problem_.group.empty(); }
  [[nodiscard]] std::size_t groups() const noexcept {
    return pairs() ? problem_.group_sum.size() : 1;
  }
  [[nodiscard]] std::size_t group_of(std::size_t v) const noexcept {
    return pairs() ? problem_.group[v] : 0;
  }
  [[nodiscard]] double ridge_of(std::size_t v) const noexcept {
    return problem_.ridge.empty() ? 0.0 : problem_.ridge[v];
  }
  /// Minus the derivative of the objective.
  [[nodiscard]] double score(std::size_t v) const noexcept {
    return -values_[problem_.row_of(v)] - problem_.linear[v] - ridge_of(v) * b_[v];
  }
  [[nodiscard]] bool can_grow(std::size_t v) const noexcept { return b_[v] < problem_.upper[v]; }
  [[nodiscard]] bool can_fall(std::size_t v) const noexcept { return b_[v] > problem_.lower[v]; }

  /// Is there a bound at infinity without a ridge?
  [[nodiscard]] bool has_hard_margin() const noexcept { return hard_; }

  /// The rows on which values are kept up to date; sorted. All rows until `keep_rows`.
  [[nodiscard]] bool all_rows_kept() const noexcept { return kept_.empty(); }
  [[nodiscard]] std::size_t rows_kept() const noexcept {
    return kept_.empty() ? values_.size() : kept_.size();
  }
  /// From now on only the values of these rows are updated. Requires all_rows_kept().
  void keep_rows(std::vector<std::uint32_t> rows);
  /// Brings the values of all rows up to date again, with up to `batch` matrix rows at a time.
  void catch_up(std::size_t batch);

  /// Could the rounding of all changes so far move the primal by more than a tenth of `allowed`?
  [[nodiscard]] bool may_have_drifted(double allowed) const noexcept;
  /// What rounding of the steps took from the sum of a group, beside the coefficients of the rows:
  /// changes that give it back. Empty where it is no more than they themselves round.
  struct Change {
    std::size_t variable;
    double to;
  };
  [[nodiscard]] std::vector<Change> lost_sums() const;
  /// Other coefficients, within the bounds and with the sums of the groups.
  void move_to(std::vector<double> coefficients, std::size_t batch);
  /// Sums up the values of all rows from the coefficients alone.
  void sum_up_again(std::size_t batch);

  /// Changes coefficients and updates the values, `rows` being the matrix rows of the variables.
  void apply(std::span<const Change> changes, const RowBlock& rows);

  /// Of the values as they stand, with the primal at its best offsets.
  [[nodiscard]] SmoObjectives objectives() const { return objectives_at({}); }
  /// The same with the primal at the given offsets (empty: the best), which is quicker.
  [[nodiscard]] SmoObjectives objectives_at(std::span<const double> offsets) const;

 private:
  [[nodiscard]] std::vector<double> first_point() const;
  void add_rows(const RowBlock& block,
                std::span<const double> factors,
                std::span<const std::uint32_t> targets);
  [[nodiscard]] double largest_bound(std::size_t v) const noexcept {
    return std::max(std::abs(problem_.lower[v]), std::abs(problem_.upper[v]));
  }
  /// How much the primal sees of an error in every value: the sum of the largest coefficients that
  /// the bounds allow, or of those there are where nothing bounds them.
  [[nodiscard]] double reach() const noexcept;
  [[nodiscard]] OffsetSearch::Term term_of(std::size_t v) const noexcept;
  [[nodiscard]] SmoObjectives hard_objectives(SmoObjectives known, double norm) const;

  const SvmDual& problem_;
  std::size_t threads_;
  std::vector<double> b_;
  std::vector<double> values_;
  std::vector<double> row_coefficient_;  ///< sum of b over the variables on each row
  std::vector<double> caught_up_;        ///< row_coefficient_ when all values were last exact
  std::vector<std::uint32_t> kept_;
  bool hard_ = false;
  double largest_diagonal_ = 0;
  double finite_bounds_ = 0;  ///< sum of their magnitudes
  double changed_ = 0;        ///< sum of |change| since the values were last summed up
};

}  // namespace maxmargin
