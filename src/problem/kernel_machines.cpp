// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/smo.md, "One dual"
#include "maxmargin/problem/kernel_machines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "maxmargin/core/number.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void require_rows(const SymmetricMatrix& matrix, std::size_t count, const char* what) {
  require(count == matrix.size(),
          std::string(what) + ": one is wanted for every row of the matrix");
}

void require_share(double nu) { require_field(nu > 0 && nu <= 1, "nu", nu, "in (0, 1]"); }

double total(std::span<const double> weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

/// Room for `count` variables within [0, 0].
SvmDual empty_dual(const SymmetricMatrix& matrix, std::size_t count) {
  SvmDual dual;
  dual.matrix = &matrix;
  dual.linear.assign(count, 0.0);
  dual.lower.assign(count, 0.0);
  dual.upper.assign(count, 0.0);
  return dual;
}

/// Regression without its groups: variable i in [0, C_i] and n + i in [-C_i, 0], both on row i.
SvmDual tube(const SymmetricMatrix& matrix,
             std::span<const double> targets,
             std::span<const double> weights,
             double c,
             double epsilon) {
  require_rows(matrix, targets.size(), "targets");
  require_rows(matrix, weights.size(), "weights");
  require_field(c > 0 && std::isfinite(c), "C", c, "finite and > 0");
  const std::size_t n = matrix.size();
  SvmDual dual = empty_dual(matrix, 2 * n);
  dual.row.resize(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    dual.linear[i] = epsilon - targets[i];
    dual.linear[n + i] = -epsilon - targets[i];
    dual.upper[i] = c * weights[i];
    dual.lower[n + i] = -c * weights[i];
    dual.row[i] = static_cast<std::uint32_t>(i);
    dual.row[n + i] = static_cast<std::uint32_t>(i);
  }
  return dual;
}

}  // namespace

SvmDual c_svc_dual(const SymmetricMatrix& matrix,
                   std::span<const std::int8_t> signs,
                   std::span<const double> weights,
                   const SvcProblem& problem) {
  require_rows(matrix, signs.size(), "signs");
  require_rows(matrix, weights.size(), "weights");
  require_field(problem.c > 0, "C", problem.c, "> 0");
  const std::size_t n = matrix.size();
  SvmDual dual = empty_dual(matrix, n);
  const bool squared = problem.slacks == SlackPower::two && std::isfinite(problem.c);
  if (squared) dual.ridge.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double cost = weights[i] > 0 ? problem.c * weights[i] : 0.0;
    const double bound = squared && cost > 0 ? infinity : cost;
    if (squared && cost > 0) dual.ridge[i] = 1 / (2 * cost);
    dual.linear[i] = signs[i] > 0 ? -1.0 : 1.0;
    (signs[i] > 0 ? dual.upper[i] : dual.lower[i]) = signs[i] > 0 ? bound : -bound;
  }
  if (problem.bias) {
    dual.group.assign(n, 0);
    dual.group_sum = {0.0};
  }
  return dual;
}

SvmDual nu_svc_dual(const SymmetricMatrix& matrix,
                    std::span<const std::int8_t> signs,
                    std::span<const double> weights,
                    double nu) {
  require_rows(matrix, signs.size(), "signs");
  require_rows(matrix, weights.size(), "weights");
  require_share(nu);
  const std::size_t n = matrix.size();
  SvmDual dual = empty_dual(matrix, n);
  dual.group.assign(n, 0);
  double positive = 0;
  double negative = 0;
  for (std::size_t i = 0; i < n; ++i) {
    (signs[i] > 0 ? positive : negative) += weights[i];
    (signs[i] > 0 ? dual.upper[i] : dual.lower[i]) = signs[i] > 0 ? weights[i] : -weights[i];
    dual.group[i] = signs[i] > 0 ? 0 : 1;
  }
  const double half = 0.5 * nu * (positive + negative);
  const double most = 2 * std::min(positive, negative) / (positive + negative);
  // The sum of the bounds in another order may differ in its last digits.
  if (!(half <= std::min(positive, negative) * (1 + 1e-12))) {
    throw InvalidArgument(
        breach("nu",
               format_number(nu),
               "at most " + format_number(most) + " for the weights of these two classes"));
  }
  const double reached = std::min({half, positive, negative});
  dual.group_sum = {reached, -reached};
  return dual;
}

SvmDual svr_dual(const SymmetricMatrix& matrix,
                 std::span<const double> targets,
                 std::span<const double> weights,
                 double c,
                 double epsilon,
                 bool bias) {
  require_field(epsilon >= 0 && std::isfinite(epsilon), "epsilon", epsilon, "finite and >= 0");
  SvmDual dual = tube(matrix, targets, weights, c, epsilon);
  if (bias) {
    dual.group.assign(dual.variables(), 0);
    dual.group_sum = {0.0};
  }
  return dual;
}

SvmDual nu_svr_dual(const SymmetricMatrix& matrix,
                    std::span<const double> targets,
                    std::span<const double> weights,
                    double c,
                    double nu) {
  require_share(nu);
  SvmDual dual = tube(matrix, targets, weights, c, 0.0);
  const double half = 0.5 * c * nu * total(weights);
  dual.group.assign(dual.variables(), 0);
  std::fill(dual.group.begin() + static_cast<std::ptrdiff_t>(matrix.size()), dual.group.end(), 1);
  dual.group_sum = {half, -half};
  return dual;
}

SvmDual one_class_dual(const SymmetricMatrix& matrix, std::span<const double> weights, double nu) {
  require_rows(matrix, weights.size(), "weights");
  require_share(nu);
  SvmDual dual = empty_dual(matrix, matrix.size());
  dual.upper.assign(weights.begin(), weights.end());
  dual.group.assign(matrix.size(), 0);
  dual.group_sum = {nu * total(weights)};
  return dual;
}

SvmDual svdd_dual(const SymmetricMatrix& matrix, std::span<const double> weights, double nu) {
  require_rows(matrix, weights.size(), "weights");
  require_field(nu >= 0 && nu < 1, "nu", nu, "in [0, 1)");
  const std::size_t n = matrix.size();
  const double sum = total(weights);
  SvmDual dual = empty_dual(matrix, n);
  for (std::size_t i = 0; i < n; ++i) {
    dual.linear[i] = -0.5 * matrix.diagonal()[i];
    if (weights[i] > 0) dual.upper[i] = nu > 0 ? std::min(1.0, weights[i] / (nu * sum)) : 1.0;
  }
  dual.group.assign(n, 0);
  dual.group_sum = {1.0};
  return dual;
}

}  // namespace maxmargin
