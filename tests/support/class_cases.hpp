// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "label_cases.hpp"
#include "maxmargin/problem/saddle/class_saddle.hpp"
#include "maxmargin/problem/sdp/sdp.hpp"
#include "simplex_ascent.hpp"

/// Plain twins for maximum-margin labels of several classes and the points of their golden values.
namespace maxmargin {

/// Golden MC of the notes on Xu's thesis.
inline DenseMatrix golden_mc() { return rbf_gram({{0}, {0.4}, {2}, {2.5}, {5}, {5.3}}, 1); }

/// Xu's units: beta = 1/C, every class of (1/kappa +- epsilon) n points.
inline ClassSaddle class_problem(const DenseMatrix& gram,
                                 double beta,
                                 std::size_t classes,
                                 double epsilon,
                                 std::vector<std::int32_t> labels = {}) {
  const auto n = static_cast<double>(gram.rows());
  const double share = 1 / static_cast<double>(classes);
  return {.matrix = gram.view(),
          .c = 1 / beta,
          .classes = classes,
          .labels = std::move(labels),
          .least = std::vector<double>(classes, std::max(0.0, (share - epsilon) * n)),
          .most = std::vector<double>(classes, (share + epsilon) * n)};
}

/// Calls visit for every labelling that agrees with the known classes and keeps the sizes; without
/// known classes once for all that differ in names alone (all classes must have equal ranges then).
inline void for_each_labelling(const ClassSaddle& problem,
                               const std::function<void(const std::vector<std::int32_t>&)>& visit) {
  const std::size_t n = problem.size();
  std::vector<std::int32_t> labels(n, 0);
  for (;;) {
    bool allowed = true;
    std::int32_t used = 0;
    std::vector<double> sizes(problem.classes, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      allowed = allowed && (problem.is_anchored() || labels[i] <= used);
      used = std::max(used, labels[i] + 1);
      ++sizes[static_cast<std::size_t>(labels[i])];
      allowed = allowed &&
                (problem.labels.empty() || problem.labels[i] < 0 || problem.labels[i] == labels[i]);
    }
    for (std::size_t r = 0; r < problem.classes; ++r) {
      allowed = allowed && sizes[r] >= problem.least[r] && sizes[r] <= problem.most[r];
    }
    if (allowed) visit(labels);
    std::size_t place = 0;
    while (place < n && ++labels[place] == static_cast<std::int32_t>(problem.classes)) {
      labels[place++] = 0;
    }
    if (place == n) return;
  }
}

/// omega of a labelling, by plain projected gradient.
inline double labelling_omega(const ClassSaddle& problem,
                              const std::vector<std::int32_t>& labels,
                              int steps = 2000) {
  DenseMatrix kernel(problem.size(), problem.size());
  for (std::size_t i = 0; i < problem.size(); ++i) {
    std::ranges::copy(problem.matrix.row(i), kernel.row(i).begin());
  }
  const DenseMatrix d = indicator(labels, problem.classes);
  return xu_omega(equivalence(d), d, kernel, 1 / problem.c, steps);
}

/// The least omega of all labellings.
inline double best_labelling_omega(const ClassSaddle& problem, int steps = 2000) {
  double best = std::numeric_limits<double>::infinity();
  for_each_labelling(problem, [&](const std::vector<std::int32_t>& labels) {
    best = std::min(best, labelling_omega(problem, labels, steps));
  });
  return best;
}

/// The published program (4.8) in full, its value being omega less n as printed: blocks [[I, D'],
/// [D, M]], the Schur complement of order n kappa + 1, and V >= 0. Its free variables alpha and
/// zeta are put into the cost. `row_sums`: De = e and the sizes of classes by D, which are missing
/// in print.
inline SdpProblem full_class_program(const ClassSaddle& problem, bool row_sums) {
  const std::size_t n = problem.size();
  const std::size_t kappa = problem.classes;
  const double c = problem.c;
  SdpBuilder builder;
  const std::size_t labels = builder.add_block(SdpCone::semidefinite, kappa + n);
  const std::size_t schur = builder.add_block(SdpCone::semidefinite, n * kappa + 1);
  const std::size_t slack = builder.add_block(SdpCone::nonnegative, n * kappa);
  const std::size_t corner = n * kappa;
  using Terms = std::vector<SdpEntry>;
  // One entry of a symmetric block, times a factor.
  const auto at = [](std::size_t block, std::size_t i, std::size_t j, double factor) {
    return SdpEntry{static_cast<std::uint32_t>(block),
                    static_cast<std::uint32_t>(std::max(i, j)),
                    static_cast<std::uint32_t>(std::min(i, j)),
                    i == j ? factor : factor / 2};
  };
  const auto d = [&](std::size_t i, std::size_t r, double factor) {
    return at(labels, kappa + i, r, factor);
  };
  const auto m = [&](std::size_t i, std::size_t j, double factor) {
    return at(labels, kappa + i, kappa + j, factor);
  };
  // alpha_i = p_ir - (C K D)_ir + D_ir - V_ir, the same for every r; times a factor.
  const auto alpha = [&](std::size_t i, std::size_t r, double factor) {
    Terms terms = {at(schur, corner, r * n + i, factor),
                   d(i, r, factor),
                   at(slack, r * n + i, r * n + i, -factor)};
    for (std::size_t j = 0; j < n; ++j)
      terms.push_back(d(j, r, -factor * c * problem.matrix(i, j)));
    return terms;
  };
  // zeta = corner / (2 C) - C/2 <K, M> - e'alpha.
  builder.add_cost(at(schur, corner, corner, 1 / (2 * c)));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      builder.add_cost(m(i, j, -c / 2 * problem.matrix(i, j)));
    }
    for (const SdpEntry& term : alpha(i, 0, -1)) builder.add_cost(term);
    for (std::size_t r = 1; r < kappa; ++r) {
      Terms terms = alpha(i, 0, 1);
      for (const SdpEntry& term : alpha(i, r, -1)) terms.push_back(term);
      builder.add_equality(terms, 0);
    }
  }
  // I (x) K.
  for (std::size_t a = 0; a < corner; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const double value = a / n == b / n ? problem.matrix(a % n, b % n) : 0.0;
      builder.add_equality(Terms{at(schur, a, b, 1)}, value);
    }
  }
  for (std::size_t r = 0; r < kappa; ++r) {
    for (std::size_t s = 0; s <= r; ++s) {
      builder.add_equality(Terms{at(labels, r, s, 1)}, r == s ? 1 : 0);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    Terms sum;
    Terms size;
    for (std::size_t r = 0; r < kappa; ++r) {
      const bool known = !problem.labels.empty() && problem.labels[i] >= 0;
      if (known) {
        const bool own = static_cast<std::size_t>(problem.labels[i]) == r;
        builder.add_equality(Terms{d(i, r, 1)}, own ? 1 : 0);
      } else {
        builder.add_inequality(Terms{d(i, r, 1)}, SdpSense::at_least, 0);
        sum.push_back(d(i, r, 1));
      }
    }
    if (row_sums && !sum.empty()) builder.add_equality(sum, 1);
    builder.add_equality(Terms{m(i, i, 1)}, 1);
    for (std::size_t j = 0; j < n; ++j) {
      if (j < i) builder.add_inequality(Terms{m(i, j, 1)}, SdpSense::at_least, 0);
      size.push_back(m(i, j, 1));
    }
    builder.add_inequality(size, SdpSense::at_least, problem.row_least());
    builder.add_inequality(size, SdpSense::at_most, problem.row_most());
  }
  for (std::size_t r = 0; row_sums && r < kappa; ++r) {
    Terms size;
    for (std::size_t i = 0; i < n; ++i) size.push_back(d(i, r, 1));
    builder.add_inequality(size, SdpSense::at_least, problem.least[r]);
    builder.add_inequality(size, SdpSense::at_most, problem.most[r]);
  }
  return builder.build();
}

}  // namespace maxmargin
