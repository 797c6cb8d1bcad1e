// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/smo.md
#include "solver/smo/state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "core/vector_clones.hpp"
#include "maxmargin/core/require.hpp"
#include "solver/smo/offset_search.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Rows of values updated together: they stay in the first-level cache.
constexpr std::size_t value_chunk = 2048;

/// values[begin + k] += sum_r factors[r] rows[r][begin + k], four rows at a time.
template <class T>
MAXMARGIN_INLINE void accumulate(const std::span<const T>* rows,
                                 const double* factors,
                                 std::size_t count,
                                 std::size_t begin,
                                 std::size_t end,
                                 double* values) {
  std::size_t r = 0;
  for (; r + 4 <= count; r += 4) {
    const T* a = rows[r].data();
    const T* b = rows[r + 1].data();
    const T* c = rows[r + 2].data();
    const T* d = rows[r + 3].data();
    for (std::size_t k = begin; k < end; ++k) {
      values[k] +=
          (factors[r] * static_cast<double>(a[k]) + factors[r + 1] * static_cast<double>(b[k])) +
          (factors[r + 2] * static_cast<double>(c[k]) + factors[r + 3] * static_cast<double>(d[k]));
    }
  }
  for (; r < count; ++r) {
    const T* a = rows[r].data();
    for (std::size_t k = begin; k < end; ++k) values[k] += factors[r] * static_cast<double>(a[k]);
  }
}
MAXMARGIN_VECTOR_CLONES void accumulate_rows(const std::span<const float>* rows,
                                             const double* factors,
                                             std::size_t count,
                                             std::size_t begin,
                                             std::size_t end,
                                             double* values) {
  accumulate(rows, factors, count, begin, end, values);
}
MAXMARGIN_VECTOR_CLONES void accumulate_rows(const std::span<const double>* rows,
                                             const double* factors,
                                             std::size_t count,
                                             std::size_t begin,
                                             std::size_t end,
                                             double* values) {
  accumulate(rows, factors, count, begin, end, values);
}

/// The same for some places alone; sums in the same order.
template <class T>
void accumulate_some(const std::span<const T>* rows,
                     const double* factors,
                     std::size_t count,
                     std::span<const std::uint32_t> targets,
                     double* values) {
  std::size_t r = 0;
  for (; r + 4 <= count; r += 4) {
    for (const std::uint32_t k : targets) {
      values[k] += (factors[r] * static_cast<double>(rows[r][k]) +
                    factors[r + 1] * static_cast<double>(rows[r + 1][k])) +
                   (factors[r + 2] * static_cast<double>(rows[r + 2][k]) +
                    factors[r + 3] * static_cast<double>(rows[r + 3][k]));
    }
  }
  for (; r < count; ++r) {
    for (const std::uint32_t k : targets) {
      values[k] += factors[r] * static_cast<double>(rows[r][k]);
    }
  }
}

}  // namespace

SmoState::SmoState(const SvmDual& problem, std::span<const double> start, std::size_t threads)
    : problem_(problem), threads_(threads), values_(problem.matrix->size(), 0.0) {
  require(start.empty() || start.size() == problem.variables(),
          "SMO: the start must have one coefficient a variable");
  b_ = start.empty() ? first_point() : std::vector<double>(start.begin(), start.end());
  row_coefficient_.assign(values_.size(), 0.0);
  for (std::size_t v = 0; v < b_.size(); ++v) {
    require(b_[v] >= problem.lower[v] && b_[v] <= problem.upper[v],
            "SMO: the start must lie within the bounds");
    row_coefficient_[problem.row_of(v)] += b_[v];
    const double bound = largest_bound(v);
    if (std::isfinite(bound)) finite_bounds_ += bound;
    hard_ = hard_ ||
            (ridge_of(v) == 0 && (std::isinf(problem.lower[v]) || std::isinf(problem.upper[v])));
  }
  if (pairs() && !start.empty()) {
    std::vector<double> missing = problem.group_sum;
    for (std::size_t v = 0; v < b_.size(); ++v) {
      missing[problem.group[v]] -= b_[v];
    }
    for (const double rest : missing) {
      require(std::abs(rest) <= 1e-9 * reach(),
              "SMO: the coefficients of the start must add up to the sum of each group");
    }
  }
  for (const double entry : problem.matrix->diagonal()) {
    largest_diagonal_ = std::max(largest_diagonal_, std::abs(entry));
  }
  caught_up_.assign(values_.size(), 0.0);
}

Continue SmoState::sum_up(std::size_t batch, const Context& context) {
  double all = 0;
  for (const double coefficient : row_coefficient_) all += std::abs(coefficient);
  double done = 0;
  std::vector<std::size_t> rows;
  std::vector<double> factors;
  const auto flush = [&] {
    if (rows.empty()) return;
    add_rows(problem_.matrix->rows(rows), factors, {});
    for (const double factor : factors) done += std::abs(factor);
    rows.clear();
    factors.clear();
  };
  for (std::size_t row = 0; row < values_.size(); ++row) {
    if (row_coefficient_[row] == 0) continue;
    if (rows.size() == batch) {
      flush();
      const Continue answer = context.ask({});
      if (answer != Continue::yes) {
        for (double& value : values_) value *= all / done;
        return answer;
      }
    }
    rows.push_back(row);
    factors.push_back(row_coefficient_[row]);
  }
  flush();
  caught_up_ = row_coefficient_;
  return Continue::yes;
}

void SmoState::take_values(std::vector<double> values) {
  values_ = std::move(values);
  caught_up_ = row_coefficient_;
}

double SmoState::reach() const noexcept {
  double sum = finite_bounds_;
  for (std::size_t v = 0; v < b_.size(); ++v) {
    if (!std::isfinite(largest_bound(v))) sum += std::abs(b_[v]);
  }
  return sum;
}

bool SmoState::may_have_drifted(double allowed) const noexcept {
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  return rounding * changed_ * largest_diagonal_ * reach() > 0.1 * allowed;
}

void SmoState::move_to(std::vector<double> coefficients, std::size_t batch) {
  b_ = std::move(coefficients);
  sum_up_again(batch);
}

void SmoState::sum_up_again(std::size_t batch) {
  std::ranges::fill(values_, 0.0);
  std::ranges::fill(caught_up_, 0.0);
  // Coefficients of a row are added up afresh, too.
  std::ranges::fill(row_coefficient_, 0.0);
  for (std::size_t v = 0; v < b_.size(); ++v) row_coefficient_[problem_.row_of(v)] += b_[v];
  kept_.clear();
  catch_up(batch);
  changed_ = 0;
}

std::vector<double> SmoState::first_point() const {
  std::vector<double> b(problem_.variables());
  std::vector<double> missing = problem_.group_sum;
  for (std::size_t v = 0; v < b.size(); ++v) {
    b[v] = std::clamp(0.0, problem_.lower[v], problem_.upper[v]);
    if (pairs()) missing[problem_.group[v]] -= b[v];
  }
  if (!pairs()) return b;
  for (std::size_t v = 0; v < b.size(); ++v) {
    double& rest = missing[problem_.group[v]];
    const double to = std::clamp(b[v] + rest, problem_.lower[v], problem_.upper[v]);
    rest -= to - b[v];
    b[v] = to;
  }
  return b;
}

void SmoState::keep_rows(std::vector<std::uint32_t> rows) {
  caught_up_ = row_coefficient_;
  kept_ = std::move(rows);
}

void SmoState::catch_up(std::size_t batch) {
  std::vector<std::uint32_t> behind;
  std::size_t next = 0;
  for (std::uint32_t row = 0; row < values_.size(); ++row) {
    if (next < kept_.size() && kept_[next] == row) {
      ++next;
    } else {
      behind.push_back(row);
    }
  }
  const bool all = behind.size() == values_.size();
  std::vector<std::size_t> rows;
  std::vector<double> factors;
  const auto flush = [&] {
    if (rows.empty()) return;
    add_rows(problem_.matrix->rows(rows), factors, all ? std::span<const std::uint32_t>() : behind);
    rows.clear();
    factors.clear();
  };
  for (std::size_t row = 0; row < values_.size(); ++row) {
    const double change = row_coefficient_[row] - caught_up_[row];
    if (change == 0) continue;
    rows.push_back(row);
    factors.push_back(change);
    if (rows.size() == batch) flush();
  }
  flush();
  kept_.clear();
  caught_up_ = row_coefficient_;
}

void SmoState::add_rows(const RowBlock& block,
                        std::span<const double> factors,
                        std::span<const std::uint32_t> targets) {
  std::visit(
      [&](const auto& rows) {
        const std::size_t count = targets.empty() ? values_.size() : targets.size();
        // Below this many products starting threads takes longer than the work.
        constexpr std::size_t worth_threads = 1 << 20;
        const std::size_t threads = rows.size() * count < worth_threads ? 1 : threads_;
        parallel_chunks(
            threads, count, value_chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
              if (targets.empty()) {
                accumulate_rows(
                    rows.data(), factors.data(), rows.size(), begin, end, values_.data());
              } else {
                accumulate_some(rows.data(),
                                factors.data(),
                                rows.size(),
                                targets.subspan(begin, end - begin),
                                values_.data());
              }
            });
      },
      block.rows);
}

void SmoState::apply(std::span<const Change> changes, const RowBlock& rows) {
  std::vector<double> factors;
  factors.reserve(changes.size());
  for (const Change& change : changes) {
    const double difference = change.to - b_[change.variable];
    b_[change.variable] = change.to;
    row_coefficient_[problem_.row_of(change.variable)] += difference;
    factors.push_back(difference);
    changed_ += std::abs(difference);
  }
  add_rows(rows, factors, kept_);
}

std::vector<SmoState::Change> SmoState::lost_sums() const {
  if (!pairs()) return {};
  // Two variables of a row may be far larger than what they leave of each other.
  double size = 0;
  for (const double coefficient : row_coefficient_) size += std::abs(coefficient);
  constexpr double rounding = 1e-11;
  std::vector<long double> missing(problem_.group_sum.begin(), problem_.group_sum.end());
  for (std::size_t v = 0; v < b_.size(); ++v) missing[problem_.group[v]] -= b_[v];
  std::vector<Change> changes;
  for (std::size_t g = 0; g < missing.size(); ++g) {
    const auto rest = static_cast<double>(missing[g]);
    if (!(std::abs(rest) > rounding * size)) continue;
    // To the one between its bounds, after it too, that has the finest last digit.
    std::optional<std::size_t> finest;
    for (std::size_t v = 0; v < b_.size(); ++v) {
      const bool takes = problem_.group[v] == g && can_grow(v) && can_fall(v) &&
                         b_[v] + rest > problem_.lower[v] && b_[v] + rest < problem_.upper[v];
      if (takes && (!finest || std::abs(b_[v]) < std::abs(b_[*finest]))) finest = v;
    }
    if (finest) changes.push_back({*finest, b_[*finest] + rest});
  }
  return changes;
}

SmoObjectives SmoState::objectives_at(std::span<const double> offsets) const {
  SmoObjectives result;
  double norm = 0;
  double rest = 0;
  for (std::size_t v = 0; v < b_.size(); ++v) {
    if (b_[v] == 0) continue;
    norm += b_[v] * values_[problem_.row_of(v)];
    rest += b_[v] * (problem_.linear[v] + 0.5 * ridge_of(v) * b_[v]);
  }
  result.dual = -0.5 * norm - rest;
  result.offsets.assign(problem_.group_sum.size(), 0.0);
  if (hard_) return hard_objectives(std::move(result), norm);
  result.primal = 0.5 * norm;
  if (!offsets.empty() || !pairs()) {
    if (pairs()) result.offsets.assign(offsets.begin(), offsets.end());
    for (std::size_t v = 0; v < b_.size(); ++v) {
      const double offset = pairs() ? result.offsets[problem_.group[v]] : 0.0;
      result.primal += OffsetSearch::cost(term_of(v), offset);
    }
    for (std::size_t g = 0; g < result.offsets.size(); ++g) {
      result.primal += result.offsets[g] * problem_.group_sum[g];
    }
    return result;
  }
  for (std::size_t g = 0; g < groups(); ++g) {
    OffsetSearch search;
    for (std::size_t v = 0; v < b_.size(); ++v) {
      if (group_of(v) == g) search.add(term_of(v));
    }
    const double offset = search.best(problem_.group_sum[g]);
    result.offsets[g] = offset;
    result.primal += search.cost(offset) + offset * problem_.group_sum[g];
  }
  return result;
}

OffsetSearch::Term SmoState::term_of(std::size_t v) const noexcept {
  return {.centre = -values_[problem_.row_of(v)] - problem_.linear[v],
          .lower = problem_.lower[v],
          .upper = problem_.upper[v],
          .ridge = ridge_of(v)};
}

SmoObjectives SmoState::hard_objectives(SmoObjectives known, double norm) const {
  // The widest offset between the two sides, then the scale at which every margin is 1.
  double least = infinity;
  double most = -infinity;
  for (std::size_t v = 0; v < b_.size(); ++v) {
    const double value = values_[problem_.row_of(v)];
    if (std::isinf(problem_.upper[v])) least = std::min(least, value);
    if (std::isinf(problem_.lower[v])) most = std::max(most, value);
  }
  if (pairs() && (std::isinf(least) || std::isinf(most))) {
    // One side alone: the offset by itself keeps every margin.
    std::ranges::fill(known.offsets, std::isinf(most) ? 1 - least : -1 - most);
    known.primal = 0.5 * norm;
    return known;
  }
  const double offset = pairs() ? -0.5 * (least + most) : 0.0;
  std::ranges::fill(known.offsets, offset);
  const double margin = std::min(least + offset, -(most + offset));
  known.primal = margin > 0 ? 0.5 * norm / (margin * margin) : infinity;
  return known;
}

}  // namespace maxmargin
