// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/label_saddle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/linalg/blas.hpp"
#include "maxmargin/linalg/eigen_symmetric.hpp"

namespace maxmargin {

namespace {

/// Entries that mirror each other may differ by this share of the largest.
constexpr double symmetry = 1e-9;

void require_symmetric(DenseView matrix) {
  double largest = 0;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (const double entry : matrix.row(i)) {
      require(
          std::isfinite(entry),
          "LabelSaddle.matrix: row " + std::to_string(i) + " holds a number that is not finite");
      largest = std::max(largest, std::abs(entry));
    }
    require(matrix(i, i) >= 0,
            "LabelSaddle.matrix: diagonal entry " + std::to_string(i) + " = " +
                format_number(matrix(i, i)) + ", must be >= 0");
  }
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      require(std::abs(matrix(i, j) - matrix(j, i)) <= symmetry * largest,
              "LabelSaddle.matrix: entries (" + std::to_string(i) + ", " + std::to_string(j) +
                  ") and its mirror image differ, must be symmetric");
    }
  }
}

void require_fitting(const LabelSaddle& problem, const LabelCertificate& certificate) {
  const std::size_t n = problem.size();
  require(certificate.lambda.size() == n && certificate.diagonal.size() == n,
          "label_saddle_bound: lambda and diagonal must have one number a point");
  const std::size_t wanted = balance_multipliers(problem);
  require(certificate.balance.size() == wanted,
          "label_saddle_bound: balance has " + std::to_string(certificate.balance.size()) +
              " numbers, must have " + std::to_string(wanted));
  for (const double l : certificate.lambda) {
    require_field(l >= 0 && l <= 1, "LabelCertificate.lambda", l, "in [0, 1]");
  }
  for (const double y : certificate.diagonal) {
    require_field(std::isfinite(y), "LabelCertificate.diagonal", y, "finite");
  }
  for (const double b : certificate.balance) {
    require_field(std::isfinite(b) && (b >= 0 || problem.balance == LabelBalance::rows),
                  "LabelCertificate.balance",
                  b,
                  "finite, and >= 0 for a total");
  }
}

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// S of a certificate, below its diagonal, and the Frobenius norm of its terms' magnitudes: that is
/// what its rounding is in proportion to.
struct Slack {
  DenseMatrix matrix = {};
  double size = 0;
};
Slack slack_of(const LabelSaddle& problem, const LabelCertificate& certificate) {
  const std::size_t n = problem.size();
  const std::vector<double>& l = certificate.lambda;
  const std::vector<double>& b = certificate.balance;
  Slack slack{.matrix = DenseMatrix(n, n)};
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double a = 0.5 * problem.c * problem.matrix(i, j) * l[i] * l[j];
      double shift = 0;
      double shift_size = 0;
      if (problem.balance == LabelBalance::rows) {
        shift = 0.5 * (b[i] + b[j]);
        shift_size = 0.5 * (std::abs(b[i]) + std::abs(b[j]));
      } else if (problem.balance == LabelBalance::total) {
        shift = b.front();
        shift_size = b.front();
      }
      const double own = i == j ? certificate.diagonal[i] : 0.0;
      slack.matrix(i, j) = own + shift - a;
      const double magnitude = std::abs(own) + shift_size + std::abs(a);
      sum += (i == j ? 1 : 2) * magnitude * magnitude;
    }
  }
  slack.size = std::sqrt(sum);
  return slack;
}

/// e'l - e'y - cost, less what rounding may have added.
double sure_sum(const LabelSaddle& problem, const LabelCertificate& certificate) {
  double sum = 0;
  double magnitude = 0;
  const auto take = [&](double term) {
    sum += term;
    magnitude += std::abs(term);
  };
  for (std::size_t i = 0; i < problem.size(); ++i) {
    take(certificate.lambda[i]);
    take(-certificate.diagonal[i]);
  }
  for (const double multiplier : certificate.balance) {
    take(problem.balance == LabelBalance::rows
             ? -problem.imbalance * std::abs(multiplier)
             : -problem.imbalance * problem.imbalance * multiplier);
  }
  return sum - (3 * static_cast<double>(problem.size()) + 8) * epsilon * magnitude;
}

}  // namespace

std::string_view to_string(LabelBalance balance) noexcept {
  switch (balance) {
    case LabelBalance::none:
      return "none";
    case LabelBalance::rows:
      return "rows";
    case LabelBalance::total:
      return "total";
  }
  return "unknown";
}

std::size_t balance_multipliers(const LabelSaddle& problem) noexcept {
  if (problem.balance == LabelBalance::none) return 0;
  return problem.balance == LabelBalance::rows ? problem.size() : 1;
}

void LabelSaddle::validate() const {
  require(matrix.rows == matrix.cols && matrix.rows > 0,
          "LabelSaddle.matrix: must be square and not empty");
  require_field(c > 0 && std::isfinite(c), "LabelSaddle.c", c, "finite and > 0");
  require_field(imbalance >= 0 && std::isfinite(imbalance),
                "LabelSaddle.imbalance",
                imbalance,
                "finite and >= 0");
  require(balance == LabelBalance::none || matrix.rows > 1 || imbalance >= 1,
          "LabelSaddle.imbalance = " + format_number(imbalance) +
              ": one point cannot be balanced, must be >= 1");
  require_symmetric(matrix);
}

double label_saddle_bound(const LabelSaddle& problem, const LabelCertificate& certificate) {
  require_fitting(problem, certificate);
  const auto points = static_cast<double>(problem.size());
  require_memory_for_numbers(2 * problem.size(), problem.size(), "label_saddle_bound: a matrix");
  const Slack slack = slack_of(problem, certificate);
  const double least = eigenvalues_symmetric(slack.matrix.view()).front();
  const double doubt = (2 * points + 16) * epsilon * slack.size;
  return sure_sum(problem, certificate) - points * std::max(0.0, doubt - least);
}

bool proves_label_bound(const LabelSaddle& problem,
                        const LabelCertificate& certificate,
                        double bound) {
  require_fitting(problem, certificate);
  if (!(bound > 0)) return true;  // omega is never below 0
  const std::size_t n = problem.size();
  const auto points = static_cast<double>(n);
  require_memory_for_numbers(n, n, "proves_label_bound: a matrix");
  // The sum leaves this much for n max(0, -lambda_min(S)).
  const double room = (sure_sum(problem, certificate) - bound) / points;
  if (!(room > 0)) return false;
  Slack slack = slack_of(problem, certificate);
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) trace += std::abs(slack.matrix(i, i)) + room;
  const double doubt = epsilon * ((points + 8) * trace + 8 * slack.size);
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

}  // namespace maxmargin
