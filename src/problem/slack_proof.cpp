// SPDX-License-Identifier: Apache-2.0
#include "problem/slack_proof.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin::slack_proof {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Entries that mirror each other may differ by this share of the largest.
constexpr double symmetry = 1e-9;

}  // namespace

double SureSum::value() const { return sum_ - terms_ * epsilon * magnitude_; }

double bound_of(const Slack& slack, const SureSum& sum) {
  const auto rows = static_cast<double>(slack.matrix.rows());
  const double least = eigenvalues_symmetric(slack.matrix.view()).front();
  const double doubt = (2 * rows + slack.terms + 15) * epsilon * slack.size;
  return sum.value() - rows * std::max(0.0, doubt - least);
}

bool proves(Slack slack, const SureSum& sum, double bound) {
  const std::size_t n = slack.matrix.rows();
  const auto rows = static_cast<double>(n);
  // The sum leaves this much for N max(0, -lambda_min(S)).
  const double room = (sum.value() - bound) / rows;
  if (!(room > 0)) return false;
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) trace += std::abs(slack.matrix(i, i)) + room;
  const double doubt = epsilon * ((rows + 8) * trace + (slack.terms + 7) * slack.size);
  // Does S + (room - doubt) I have a Cholesky factor?
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<double> row = slack.matrix.row(i);
    row[i] += room - doubt;
    for (std::size_t j = 0; j < i; ++j) {
      const std::span<const double> other = slack.matrix.row(j);
      row[j] = (row[j] - dot(row.first(j), other.first(j))) / other[j];
    }
    const double pivot = row[i] - dot(row.first(i), row.first(i));
    if (!(pivot > 0)) return false;
    row[i] = std::sqrt(pivot);
  }
  return true;
}

void require_kernel(DenseView matrix, const std::string& name) {
  require(matrix.rows == matrix.cols && matrix.rows > 0, name + ": must be square and not empty");
  // Messages are made for what is wrong alone: this passes over n^2 entries.
  double largest = 0;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (const double entry : matrix.row(i)) {
      if (!std::isfinite(entry)) {
        throw InvalidArgument(name + ": row " + std::to_string(i) +
                              " holds a number that is not finite");
      }
      largest = std::max(largest, std::abs(entry));
    }
    if (!(matrix(i, i) >= 0)) {
      throw InvalidArgument(name + ": diagonal entry " + std::to_string(i) + " = " +
                            format_number(matrix(i, i)) + ", must be >= 0");
    }
  }
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(matrix(i, j) - matrix(j, i)) > symmetry * largest) {
        throw InvalidArgument(name + ": entry (" + std::to_string(i) + ", " + std::to_string(j) +
                              ") and its mirror image differ, must be symmetric");
      }
    }
  }
}

}  // namespace maxmargin::slack_proof
