// SPDX-License-Identifier: Apache-2.0
#include "problem/sdp/exact_neighbour.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "problem/sdp/definite.hpp"

namespace maxmargin {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr auto long_epsilon = static_cast<double>(std::numeric_limits<long double>::epsilon());
/// A A' is a dense matrix of this many rows at most.
constexpr std::size_t most_rows = 3000;

/// The rows of the blocks of X that are not 0.
std::vector<std::vector<std::size_t>> rows_of_face(const SdpProblem& problem,
                                                   const BlockMatrix& x) {
  std::vector<std::vector<std::size_t>> rows(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    const bool vector = problem.blocks()[k].cone == SdpCone::nonnegative;
    for (std::size_t i = 0; i < x[k].cols(); ++i) {
      const bool is_live = vector
                               ? x[k](0, i) != 0
                               : std::ranges::any_of(x[k].row(i), [](double v) { return v != 0; });
      if (is_live) rows[k].push_back(i);
    }
  }
  return rows;
}

/// No more than the least eigenvalue of X on its face.
double least_on_face(const SdpProblem& problem,
                     const BlockMatrix& x,
                     const std::vector<std::vector<std::size_t>>& rows) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (problem.blocks()[k].cone == SdpCone::nonnegative) {
      for (const std::size_t i : rows[k]) least = std::min(least, x[k](0, i));
      continue;
    }
    if (rows[k].empty()) continue;
    DenseMatrix part(rows[k].size(), rows[k].size());
    for (std::size_t i = 0; i < part.rows(); ++i) {
      for (std::size_t j = 0; j < part.rows(); ++j) part(i, j) = x[k](rows[k][i], rows[k][j]);
    }
    least = std::min(least, proven_least_eigenvalue(part));
  }
  return least;
}

/// The constraints on the face, each times a power of two that brings its length to 1/2 .. 1.
class FaceRows {
 public:
  FaceRows(const SdpProblem& problem,
           const BlockMatrix& x,
           const std::vector<std::vector<std::size_t>>& rows)
      : problem_(&problem), x_(&x) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      is_live_.emplace_back(problem.blocks()[k].size, false);
      for (const std::size_t i : rows[k]) is_live_.back()[i] = true;
    }
    for (std::size_t i = 0; i < problem.constraints(); ++i) add(problem.constraint(i));
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// No less than |A(X)|_2.
  [[nodiscard]] double miss() const {
    return static_cast<double>(std::sqrt(squares_)) * (1 + 4 * epsilon);
  }
  /// No more than the least eigenvalue of A A'.
  [[nodiscard]] double least_eigenvalue() {
    DenseMatrix gram(size_, size_);
    std::ranges::sort(terms_, [](const Term& a, const Term& b) {
      return std::tie(a.block, a.row, a.column, a.number) <
             std::tie(b.block, b.row, b.column, b.number);
    });
    const auto same_place = [](const Term& a, const Term& b) {
      return std::tie(a.block, a.row, a.column) == std::tie(b.block, b.row, b.column);
    };
    for (std::size_t begin = 0; begin < terms_.size();) {
      std::size_t end = begin;
      for (; end < terms_.size() && same_place(terms_[begin], terms_[end]); ++end) {
        const double weight = terms_[end].row == terms_[end].column ? 1 : 2;
        for (std::size_t other = begin; other <= end; ++other) {
          gram(terms_[end].number, terms_[other].number) +=
              weight * terms_[end].value * terms_[other].value;
        }
      }
      begin = end;
    }
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < i; ++j) gram(j, i) = gram(i, j);
    }
    // Rows are no longer than 1, so an entry is off by as many ulps as it has terms.
    const double error =
        static_cast<double>(size_) * static_cast<double>(most_terms_ + 4) * epsilon;
    return proven_least_eigenvalue(gram) - error;
  }

 private:
  struct Term {
    std::uint32_t block = 0;
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    std::uint32_t number = 0;
    double value = 0;
  };

  void add(std::span<const SdpEntry> constraint) {
    const std::size_t first = terms_.size();
    long double length = 0;
    for (const SdpEntry& entry : constraint) {
      if (!is_live_[entry.block][entry.row] || !is_live_[entry.block][entry.column]) continue;
      const long double value = entry.value;
      length += (entry.row == entry.column ? 1 : 2) * value * value;
      terms_.push_back({.block = entry.block,
                        .row = entry.row,
                        .column = entry.column,
                        .number = static_cast<std::uint32_t>(size_),
                        .value = entry.value});
    }
    const std::size_t count = terms_.size() - first;
    if (count == 0) return;
    ++size_;
    most_terms_ = std::max(most_terms_, count);
    const int exponent = std::ilogb(std::sqrt(length)) + 1;
    long double sum = 0;
    long double magnitude = 0;
    for (std::size_t t = first; t < terms_.size(); ++t) {
      Term& term = terms_[t];
      // Exact, but for entries that are nothing beside the others of the row.
      term.value = std::ldexp(term.value, -exponent);
      const bool vector = problem_->blocks()[term.block].cone == SdpCone::nonnegative;
      const long double x = (*x_)[term.block](vector ? 0 : term.row, term.column);
      const long double product = (term.row == term.column ? 1 : 2) * x * term.value;
      sum += product;
      magnitude += std::abs(product);
    }
    const long double rounding = 2 * static_cast<long double>(count + 2) * long_epsilon * magnitude;
    const long double miss = std::abs(sum) + rounding;
    squares_ += miss * miss;
  }

  const SdpProblem* problem_;
  const BlockMatrix* x_;
  std::vector<std::vector<bool>> is_live_ = {};
  std::vector<Term> terms_ = {};
  std::size_t size_ = 0;
  std::size_t most_terms_ = 0;
  long double squares_ = 0;
};

}  // namespace

bool has_exact_neighbour(const SdpProblem& problem, const BlockMatrix& x, double slope) {
  const std::vector<std::vector<std::size_t>> rows = rows_of_face(problem, x);
  const double reach = least_on_face(problem, x, rows);
  if (!(reach > 0)) return false;
  FaceRows equations(problem, x, rows);
  if (equations.size() > most_rows) return false;
  if (equations.size() == 0) return true;
  const double least = equations.least_eigenvalue();
  if (!(least > 0)) return false;
  const double move = equations.miss() / std::sqrt(least) * (1 + 8 * epsilon);
  double cost = 0;
  for (const SdpEntry& entry : problem.cost()) cost += 2 * std::abs(entry.value);
  return move < reach && slope + 1.01 * cost * move < 0;
}

}  // namespace maxmargin
