// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-multiclass.md
#include "maxmargin/problem/saddle/class_saddle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "problem/slack_proof.hpp"

namespace maxmargin {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// What a row of Lambda may miss its sum by.
constexpr double row_sum_slack = 1e-9;

/// A sum that knows how large its terms were: rounding is in proportion to that.
struct SureSum {
  double sum = 0;
  double magnitude = 0;
  void add(double term) {
    sum += term;
    magnitude += std::abs(term);
  }
  void add(double factor, const SureSum& terms) {
    sum += factor * terms.sum;
    magnitude += std::abs(factor) * terms.magnitude;
  }
};

void require_size(bool holds, const std::string& what) {
  require(holds, "class_saddle_bound: " + what);
}

template <class Numbers>
void require_numbers(const Numbers& numbers, bool nonnegative, const std::string& name) {
  for (const double x : numbers) {
    require_field(std::isfinite(x) && (x >= 0 || !nonnegative),
                  "ClassCertificate." + name,
                  x,
                  nonnegative ? "finite and >= 0" : "finite");
  }
}

void require_fitting(const ClassSaddle& problem, const ClassCertificate& given, std::size_t u) {
  const std::size_t kappa = problem.classes;
  require_size(given.lambda.rows() == problem.size() && given.lambda.cols() == kappa,
               "lambda must be points x classes");
  require_size(given.diagonal.size() == u && given.rows.size() == u,
               "diagonal and rows must have one number a point of unknown class");
  require_size(given.sizes.size() == kappa, "sizes must have one number a class");
  require_size(given.entries.rows() == u && given.entries.cols() == u,
               "entries must be square, one row a point of unknown class");
  require_size(given.memberships.rows() == u && given.memberships.cols() == kappa,
               "memberships must be points of unknown class x classes");
  require_size(given.corner.rows() == kappa && given.corner.cols() == kappa,
               "corner must be classes x classes");
  require_numbers(given.lambda.values(), true, "lambda");
  require_numbers(given.diagonal, false, "diagonal");
  require_numbers(given.rows, false, "rows");
  require_numbers(given.sizes, false, "sizes");
  require_numbers(given.entries.values(), true, "entries");
  require_numbers(given.memberships.values(), true, "memberships");
  require_numbers(given.corner.values(), false, "corner");
}

/// Lambda with rows of sum 1.
DenseMatrix stochastic(const DenseMatrix& lambda) {
  DenseMatrix rows = lambda;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double sum = std::accumulate(rows.row(i).begin(), rows.row(i).end(), 0.0);
    require(std::abs(sum - 1) <= row_sum_slack,
            "ClassCertificate.lambda: row " + std::to_string(i) + " has the sum " +
                format_number(sum) + ", must be 1");
    for (double& x : rows.row(i)) x /= sum;
  }
  return rows;
}

/// The bound's parts for one certificate.
class Prover {
 public:
  Prover(const ClassSaddle& problem, const ClassCertificate& given)
      : problem_(problem),
        given_(given),
        lambda_(stochastic(given.lambda)),
        unknown_(problem.unknown()),
        known_sizes_(problem.known_sizes()),
        n_(problem.size()),
        u_(unknown_.size()),
        kappa_(problem.classes),
        slack_(kappa_ + u_, kappa_ + u_) {}

  double bound() {
    add_lambda();
    add_memberships();
    add_matrix();
    add_corner();
    add_ranges();
    const auto order = static_cast<double>(kappa_ + u_);
    const double least = eigenvalues_symmetric(slack_.view()).front();
    const double doubt = (2 * order + 16) * epsilon * std::sqrt(square_);
    const double classes = static_cast<double>(kappa_);
    const double trace = (classes - 1) * (1 + static_cast<double>(u_) / classes);
    // The longest chains of additions: the rows of <Lambda Lambda', K>.
    const double chain = static_cast<double>(n_) * (classes + 3) + 4 * order + 32;
    return total_.sum - chain * epsilon * total_.magnitude - trace * std::max(0.0, doubt - least);
  }

 private:
  [[nodiscard]] bool known(std::size_t i) const {
    return !problem_.labels.empty() && problem_.labels[i] >= 0;
  }
  [[nodiscard]] std::size_t class_of(std::size_t i) const {
    return static_cast<std::size_t>(problem_.labels[i]);
  }
  [[nodiscard]] double t(std::size_t r) const { return static_cast<double>(known_sizes_[r]); }
  /// The share of the average in an entry of a matrix of u rows.
  [[nodiscard]] double share() const { return 1 / static_cast<double>(kappa_); }

  /// Puts an entry below the diagonal of S.
  void put(std::size_t i, std::size_t j, double value, double magnitude) {
    slack_(i, j) = value;
    square_ += (i == j ? 1 : 2) * magnitude * magnitude;
  }

  /// (C K Lambda - Lambda)_ir, less C K_iL Y where asked.
  [[nodiscard]] SureSum gradient(std::size_t i, std::size_t r, bool less_known) const {
    SureSum products;
    for (std::size_t j = 0; j < n_; ++j) {
      const bool own = less_known && known(j) && class_of(j) == r;
      products.add(problem_.matrix(i, j) * (lambda_(j, r) - (own ? 1.0 : 0.0)));
    }
    SureSum sum;
    sum.add(problem_.c, products);
    sum.add(-lambda_(i, r));
    return sum;
  }

  /// n - C/2 <Lambda Lambda', K>, and what the known points contribute.
  void add_lambda() {
    total_.add(static_cast<double>(n_));
    for (std::size_t i = 0; i < n_; ++i) {
      SureSum row;
      for (std::size_t j = 0; j < n_; ++j) {
        double product = 0;
        for (std::size_t r = 0; r < kappa_; ++r) product += lambda_(i, r) * lambda_(j, r);
        row.add(problem_.matrix(i, j) * product);
      }
      total_.add(-problem_.c / 2, row);
      if (!known(i)) continue;
      total_.add(1, gradient(i, class_of(i), false));
      SureSum same;
      for (std::size_t j = 0; j < n_; ++j) {
        if (known(j) && class_of(j) == class_of(i)) same.add(problem_.matrix(i, j));
      }
      total_.add(-problem_.c / 2, same);
    }
  }

  /// S_D: its average to the bound, the rest to S.
  void add_memberships() {
    std::vector<SureSum> row(kappa_);
    for (std::size_t j = 0; j < u_; ++j) {
      SureSum all;
      for (std::size_t r = 0; r < kappa_; ++r) {
        row[r] = gradient(unknown_[j], r, true);
        row[r].add(-given_.memberships(j, r));
        row[r].add(-given_.rows[j] * t(r));
        row[r].add(-given_.sizes[r]);
        all.add(1, row[r]);
      }
      total_.add(share(), all);
      for (std::size_t r = 0; r < kappa_; ++r) {
        put(kappa_ + j,
            r,
            (row[r].sum - share() * all.sum) / 2,
            // The sums over n points come with rounding of their own.
            (static_cast<double>(n_) / 2 + 4) * (row[r].magnitude + share() * all.magnitude) / 2);
      }
    }
  }

  /// S_M: e'S_M e / kappa to the bound, and all of it to S.
  void add_matrix() {
    for (std::size_t j = 0; j < u_; ++j) {
      SureSum row;
      for (std::size_t k = 0; k <= j; ++k) {
        SureSum entry;
        entry.add(-problem_.c / 2 * problem_.matrix(unknown_[j], unknown_[k]));
        entry.add(-given_.entries(j, k));
        entry.add(-given_.rows[j] / 2);
        entry.add(-given_.rows[k] / 2);
        if (j == k) entry.add(-given_.diagonal[j]);
        put(kappa_ + j, kappa_ + k, entry.sum, entry.magnitude);
        row.add(j == k ? 1 : 2, entry);
      }
      total_.add(share(), row);
      total_.add(given_.diagonal[j]);
    }
  }

  /// P Gamma P, and -<P, Gamma> to the bound.
  void add_corner() {
    const auto gamma = [&](std::size_t r, std::size_t s) {
      return given_.corner(std::max(r, s), std::min(r, s));
    };
    std::vector<SureSum> means(kappa_);
    SureSum mean;
    for (std::size_t r = 0; r < kappa_; ++r) {
      for (std::size_t s = 0; s < kappa_; ++s) means[r].add(gamma(r, s) * share());
      mean.add(share(), means[r]);
    }
    for (std::size_t r = 0; r < kappa_; ++r) {
      for (std::size_t s = 0; s <= r; ++s) {
        SureSum entry;
        entry.add(gamma(r, s));
        entry.add(-1, means[r]);
        entry.add(-1, means[s]);
        entry.add(1, mean);
        put(r, s, entry.sum, (static_cast<double>(kappa_) + 4) * entry.magnitude);
      }
      total_.add(-gamma(r, r));
    }
    total_.add(static_cast<double>(kappa_), mean);
  }

  /// The least that the multipliers of row sums and sizes can take.
  void add_ranges() {
    for (const double b : given_.rows) {
      total_.add(std::min(b * problem_.row_least(), b * problem_.row_most()));
    }
    for (std::size_t r = 0; r < kappa_; ++r) {
      const double a = given_.sizes[r];
      total_.add(std::min(a * (problem_.least[r] - t(r)), a * (problem_.most[r] - t(r))));
    }
  }

  const ClassSaddle& problem_;
  const ClassCertificate& given_;
  DenseMatrix lambda_;
  std::vector<std::size_t> unknown_;
  std::vector<std::size_t> known_sizes_;
  std::size_t n_;
  std::size_t u_;
  std::size_t kappa_;
  /// S below its diagonal, classes first, and the sum of squares of its terms' magnitudes.
  DenseMatrix slack_;
  double square_ = 0;
  SureSum total_ = {};
};

void require_known_classes(const ClassSaddle& problem) {
  require(problem.labels.empty() || problem.labels.size() == problem.size(),
          "ClassSaddle.labels: " + std::to_string(problem.labels.size()) +
              " labels, must be one a point");
  for (const std::int32_t label : problem.labels) {
    require_field(label >= -1 && label < static_cast<std::int64_t>(problem.classes),
                  "ClassSaddle.labels",
                  static_cast<double>(label),
                  "-1 or a class below " + std::to_string(problem.classes));
  }
}

/// There are sizes of the classes within their ranges that add up to n.
void require_sizes(const ClassSaddle& problem) {
  const std::vector<double>& least = problem.least;
  const std::vector<double>& most = problem.most;
  require(least.size() == problem.classes && most.size() == problem.classes,
          "ClassSaddle: least and most must have one number a class");
  const std::vector<std::size_t> known = problem.known_sizes();
  double fewest = 0;
  double largest = 0;
  for (std::size_t r = 0; r < problem.classes; ++r) {
    require_field(
        least[r] >= 0 && least[r] <= most[r] && std::isfinite(most[r]),
        "ClassSaddle.least",
        least[r],
        "from 0 to " + format_number(most[r]) + ", the most points of class " + std::to_string(r));
    require(static_cast<double>(known[r]) <= most[r],
            "ClassSaddle.most: class " + std::to_string(r) + " may have " + format_number(most[r]) +
                " points, but " + std::to_string(known[r]) + " are known to be of it");
    fewest += std::max(least[r], static_cast<double>(known[r]));
    largest += most[r];
  }
  const auto points = static_cast<double>(problem.size());
  const double rounding = 1e-9 * points;
  require(fewest <= points + rounding && points <= largest + rounding,
          "ClassSaddle: sizes of classes from " + format_number(fewest) + " to " +
              format_number(largest) + " in all do not allow " + std::to_string(problem.size()) +
              " points");
}

}  // namespace

std::vector<std::size_t> ClassSaddle::unknown() const {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < size(); ++i) {
    if (labels.empty() || labels[i] < 0) rows.push_back(i);
  }
  return rows;
}

std::vector<std::size_t> ClassSaddle::known_sizes() const {
  std::vector<std::size_t> sizes(classes, 0);
  for (const std::int32_t label : labels) {
    if (label >= 0) ++sizes[static_cast<std::size_t>(label)];
  }
  return sizes;
}

bool ClassSaddle::is_anchored() const {
  return std::ranges::any_of(labels, [](std::int32_t label) { return label >= 0; });
}

double ClassSaddle::row_least() const { return *std::ranges::min_element(least); }
double ClassSaddle::row_most() const { return *std::ranges::max_element(most); }

void ClassSaddle::describe(OptionVisitor& visit) {
  visit.number({.name = "C", .help = "weight of the losses; larger fits the points closer"},
               c,
               rules::positive);
  visit.whole({.name = "classes", .help = "number of classes"}, classes, {.least = 2});
  visit.check([this] {
    slack_proof::require_kernel(matrix, "ClassSaddle.matrix");
    require_known_classes(*this);
    require_sizes(*this);
  });
}

double class_saddle_function(const ClassSaddle& problem,
                             DenseView m,
                             DenseView d,
                             DenseView lambda) {
  const std::size_t n = problem.size();
  require(m.rows == n && m.cols == n && d.rows == n && d.cols == problem.classes &&
              lambda.rows == n && lambda.cols == problem.classes,
          "class_saddle_function: m must be n x n, d and lambda n x classes");
  double sum = static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < problem.classes; ++r) sum -= d(i, r) * lambda(i, r);
    double row = 0;
    for (std::size_t j = 0; j < n; ++j) {
      double products = -m(i, j) / 2;
      for (std::size_t r = 0; r < problem.classes; ++r) {
        products += (d(j, r) - lambda(j, r) / 2) * lambda(i, r);
      }
      row += problem.matrix(i, j) * products;
    }
    sum += problem.c * row;
  }
  return sum;
}

double class_saddle_bound(const ClassSaddle& problem, const ClassCertificate& certificate) {
  validate(problem);
  const std::size_t u = problem.unknown().size();
  require_fitting(problem, certificate, u);
  require_memory_for_numbers(
      2 * (problem.classes + u), problem.classes + u, "class_saddle_bound: a matrix");
  return Prover(problem, certificate).bound();
}

}  // namespace maxmargin
