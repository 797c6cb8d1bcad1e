// SPDX-License-Identifier: Apache-2.0
#include "problem/saddle/weight_saddle.hpp"

#include <cmath>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "problem/slack_proof.hpp"

namespace maxmargin {

namespace {

using slack_proof::Slack;
using slack_proof::SureSum;

void require_fitting(const WeightSaddle& problem, const WeightCertificate& certificate) {
  const std::size_t n = problem.size();
  require(certificate.lambda.size() == n && certificate.diagonal.size() == n + 1,
          "weight_saddle_bound: lambda must have n numbers and diagonal n + 1");
  for (const double l : certificate.lambda) {
    require_field(l >= 0 && l <= 1, "WeightCertificate.lambda", l, "in [0, 1]");
  }
  for (const double y : certificate.diagonal) {
    require_field(std::isfinite(y), "WeightCertificate.diagonal", y, "finite");
  }
  require_field(std::isfinite(certificate.kept) && certificate.kept >= 0,
                "WeightCertificate.kept",
                certificate.kept,
                "finite and >= 0");
  require_field(problem.kept || certificate.kept == 1,
                "WeightCertificate.kept",
                certificate.kept,
                "1 for the robust hinge");
}

Slack slack_of(const WeightSaddle& problem, const WeightCertificate& certificate) {
  const std::size_t n = problem.size();
  const std::vector<double>& l = certificate.lambda;
  Slack slack{.matrix = DenseMatrix(n + 1, n + 1), .terms = 2 * static_cast<double>(n)};
  double squares = 0;  // of the entries' sizes
  double corner = 0;
  double corner_size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double row_sum = 0;  // (A e)_i
    double row_size = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double a = 0.5 * problem.c * problem.matrix(i, j) * l[i] * l[j];
      row_sum += a;
      row_size += std::abs(a);
      if (j > i) continue;
      const double own = i == j ? certificate.diagonal[i + 1] : 0.0;
      slack.matrix(i + 1, j + 1) = own - 0.25 * a;
      const double size = std::abs(own) + 0.25 * std::abs(a);
      squares += (i == j ? 1 : 2) * size * size;
    }
    slack.matrix(i + 1, 0) = 0.25 * (l[i] - certificate.kept - row_sum);
    const double size = 0.25 * (l[i] + certificate.kept + row_size);
    squares += 2 * size * size;
    corner += row_sum;
    corner_size += row_size;
  }
  slack.matrix(0, 0) = certificate.diagonal[0] - 0.25 * corner;
  corner_size = std::abs(certificate.diagonal[0]) + 0.25 * corner_size;
  slack.size = std::sqrt(squares + corner_size * corner_size);
  return slack;
}

/// s r n + 1/2 e'(l - s e) - e'y.
SureSum sum_of(const WeightSaddle& problem, const WeightCertificate& certificate) {
  const auto n = static_cast<double>(problem.size());
  SureSum sum;
  sum.add(certificate.kept * problem.kept.value_or(1) * n);
  sum.add(-0.5 * certificate.kept * n);
  for (const double l : certificate.lambda) sum.add(0.5 * l);
  for (const double y : certificate.diagonal) sum.add(-y);
  return sum;
}

}  // namespace

void WeightSaddle::describe(OptionVisitor& visit) {
  visit.number({.name = "C", .help = "weight of the losses; larger fits the points closer"},
               c,
               rules::positive);
  visit.number({.name = "kept", .help = "share of the examples that is kept"},
               kept,
               rules::share_above_zero);
  visit.check([this] { slack_proof::require_kernel(matrix, "WeightSaddle.matrix"); });
}

double weight_saddle_bound(const WeightSaddle& problem, const WeightCertificate& certificate) {
  require_fitting(problem, certificate);
  require_memory_for_numbers(
      2 * problem.size() + 2, problem.size() + 1, "weight_saddle_bound: a matrix");
  return slack_proof::bound_of(slack_of(problem, certificate), sum_of(problem, certificate));
}

bool proves_weight_bound(const WeightSaddle& problem,
                         const WeightCertificate& certificate,
                         double bound) {
  require_fitting(problem, certificate);
  if (!(bound > 0)) return true;  // no objective is below 0
  require_memory_for_numbers(
      problem.size() + 1, problem.size() + 1, "proves_weight_bound: a matrix");
  return slack_proof::proves(slack_of(problem, certificate), sum_of(problem, certificate), bound);
}

}  // namespace maxmargin
