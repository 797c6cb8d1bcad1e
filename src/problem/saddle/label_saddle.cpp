// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/saddle/label_saddle.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "problem/slack_proof.hpp"

namespace maxmargin {

namespace {

using slack_proof::Slack;
using slack_proof::SureSum;

bool has_labels(const LabelSaddle& problem) {
  return std::ranges::any_of(problem.labels, [](signed char label) { return label != 0; });
}

void require_fitting(const LabelSaddle& problem, const LabelCertificate& certificate) {
  const std::size_t n = problem.size();
  require(certificate.lambda.size() == n && certificate.diagonal.size() == label_rows(problem),
          "label_saddle_bound: lambda must have one number a point and diagonal one a row of G");
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

/// Row of G and sign of every point.
struct Place {
  std::size_t row = 0;
  double sign = 1;
};
std::vector<Place> places_of(const LabelSaddle& problem) {
  std::vector<Place> places(problem.size());
  std::size_t next = has_labels(problem) ? 1 : 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool given = !problem.labels.empty() && problem.labels[i] != 0;
    if (given) {
      places[i] = {.row = 0, .sign = static_cast<double>(problem.labels[i])};
    } else {
      places[i] = {.row = next++};
    }
  }
  return places;
}

/// P'b and t: B is made of these.
struct BalanceRows {
  std::vector<double> b = {};
  std::vector<double> t = {};
  std::vector<double> b_sizes = {};
  std::vector<double> t_sizes = {};
};
BalanceRows balance_rows(const LabelSaddle& problem,
                         const LabelCertificate& certificate,
                         const std::vector<Place>& places) {
  const std::size_t rows = label_rows(problem);
  BalanceRows found{.b = std::vector<double>(rows, 0.0),
                    .t = std::vector<double>(rows, 0.0),
                    .b_sizes = std::vector<double>(rows, 0.0),
                    .t_sizes = std::vector<double>(rows, 0.0)};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double b = problem.balance == LabelBalance::rows ? certificate.balance[i] : 0.0;
    found.b[places[i].row] += places[i].sign * b;
    found.b_sizes[places[i].row] += std::abs(b);
    found.t[places[i].row] += places[i].sign;
    found.t_sizes[places[i].row] += 1;
  }
  found.t[0] -= problem.centre;
  found.t_sizes[0] += std::abs(problem.centre);
  return found;
}

/// Adds B to S, and its terms taken as positive to their sizes.
void add_balance(const LabelSaddle& problem,
                 const LabelCertificate& certificate,
                 const std::vector<Place>& places,
                 DenseMatrix& matrix,
                 DenseMatrix& sizes) {
  if (problem.balance == LabelBalance::none) return;
  const BalanceRows rows = balance_rows(problem, certificate, places);
  const double total = problem.balance == LabelBalance::total ? certificate.balance.front() : 0.0;
  for (std::size_t k = 0; k < matrix.rows(); ++k) {
    for (std::size_t m = 0; m <= k; ++m) {
      matrix(k, m) +=
          total * rows.t[k] * rows.t[m] + 0.5 * (rows.b[k] * rows.t[m] + rows.t[k] * rows.b[m]);
      sizes(k, m) += total * rows.t_sizes[k] * rows.t_sizes[m] +
                     0.5 * (rows.b_sizes[k] * rows.t_sizes[m] + rows.t_sizes[k] * rows.b_sizes[m]);
    }
  }
}

Slack slack_of(const LabelSaddle& problem, const LabelCertificate& certificate) {
  const std::size_t n = problem.size();
  const std::size_t rows = label_rows(problem);
  const std::vector<double>& l = certificate.lambda;
  const std::vector<Place> places = places_of(problem);
  Slack slack{.matrix = DenseMatrix(rows, rows)};
  DenseMatrix sizes(rows, rows);
  // With labels the entries of row and column 0 are sums over points, and their corner of such
  // sums.
  if (has_labels(problem)) slack.terms = 2 * static_cast<double>(n) + 8;
  std::vector<double> own(rows);
  std::vector<double> own_sizes(rows);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = places[i].row;
    std::fill_n(own.begin(), row + 1, 0.0);
    std::fill_n(own_sizes.begin(), row + 1, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
      if (places[j].row > row) continue;
      const double a = 0.5 * problem.c * problem.matrix(i, j) * l[i] * l[j];
      own[places[j].row] -= places[j].sign * a;
      own_sizes[places[j].row] += std::abs(a);
    }
    for (std::size_t k = 0; k <= row; ++k) {
      slack.matrix(row, k) += places[i].sign * own[k];
      sizes(row, k) += own_sizes[k];
    }
  }
  add_balance(problem, certificate, places, slack.matrix, sizes);
  double sum = 0;
  for (std::size_t k = 0; k < rows; ++k) {
    slack.matrix(k, k) += certificate.diagonal[k];
    sizes(k, k) += std::abs(certificate.diagonal[k]);
    for (std::size_t m = 0; m <= k; ++m) sum += (m == k ? 1 : 2) * sizes(k, m) * sizes(k, m);
  }
  slack.size = std::sqrt(sum);
  return slack;
}

/// e'l - e'y - cost.
SureSum sum_of(const LabelSaddle& problem, const LabelCertificate& certificate) {
  SureSum sum;
  for (const double l : certificate.lambda) sum.add(l);
  for (const double y : certificate.diagonal) sum.add(-y);
  for (const double multiplier : certificate.balance) {
    sum.add(problem.balance == LabelBalance::rows
                ? -problem.imbalance * std::abs(multiplier)
                : -problem.imbalance * problem.imbalance * multiplier);
  }
  return sum;
}

/// Labels +1, -1 or 0, one a point; the imbalance they force on every M is allowed.
void require_labels(const LabelSaddle& problem) {
  const std::size_t n = problem.size();
  require(problem.labels.empty() || problem.labels.size() == n,
          "LabelSaddle.labels: " + std::to_string(problem.labels.size()) + " for " +
              std::to_string(n) + " points");
  for (const signed char label : problem.labels) {
    require_field(label >= -1 && label <= 1, "LabelSaddle.labels", label, "-1, 0 or 1");
  }
  require_field(std::isfinite(problem.centre) && (problem.centre == 0 || has_labels(problem)),
                "LabelSaddle.centre",
                problem.centre,
                "finite, and 0 unless labels are given");
  if (problem.balance == LabelBalance::none) return;
  const double least = least_imbalance(problem);
  require(
      problem.imbalance >= least,
      "LabelSaddle.imbalance = " + format_number(problem.imbalance) + ": " +
          (n == 1 ? std::string("one point cannot be balanced")
                  : std::string("the labels given allow no less than ") + format_number(least)) +
          ", must be >= " + format_number(least));
}

}  // namespace

std::size_t label_rows(const LabelSaddle& problem) noexcept {
  const auto given = static_cast<std::size_t>(
      std::ranges::count_if(problem.labels, [](signed char label) { return label != 0; }));
  return given == 0 ? problem.size() : problem.size() - given + 1;
}

double least_imbalance(const LabelSaddle& problem) noexcept {
  double given = -problem.centre;
  std::size_t free = problem.size();
  for (const signed char label : problem.labels) {
    given += label;
    if (label != 0) --free;
  }
  // |z|^2 = given^2 + 2 given g + 1 with one free point, g its product with the labelled ones.
  const double over = std::abs(given) - static_cast<double>(free);
  return free == 1 ? std::abs(over) : std::max(0.0, over);
}

std::size_t balance_multipliers(const LabelSaddle& problem) noexcept {
  if (problem.balance == LabelBalance::none) return 0;
  return problem.balance == LabelBalance::rows ? problem.size() : 1;
}

void LabelSaddle::describe(OptionVisitor& visit) {
  visit.number({.name = "C", .help = "weight of the losses; larger fits the points closer"},
               c,
               rules::positive);
  visit.name({.name = "balance", .help = "what keeps the classes of about equal size"}, balance);
  visit.number({.name = "imbalance", .help = "largest difference of the classes' sizes"},
               imbalance,
               rules::not_negative);
  visit.check([this] {
    slack_proof::require_kernel(matrix, "LabelSaddle.matrix");
    require_labels(*this);
  });
}

double label_saddle_bound(const LabelSaddle& problem, const LabelCertificate& certificate) {
  require_fitting(problem, certificate);
  require_memory_for_numbers(3 * problem.size(), problem.size(), "label_saddle_bound: a matrix");
  return slack_proof::bound_of(slack_of(problem, certificate), sum_of(problem, certificate));
}

bool proves_label_bound(const LabelSaddle& problem,
                        const LabelCertificate& certificate,
                        double bound) {
  require_fitting(problem, certificate);
  if (!(bound > 0)) return true;  // omega is never below 0
  require_memory_for_numbers(2 * problem.size(), problem.size(), "proves_label_bound: a matrix");
  return slack_proof::proves(slack_of(problem, certificate), sum_of(problem, certificate), bound);
}

}  // namespace maxmargin
