// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-multiclass.md, steps 2 to 4.
#include "solver/saddle/class_splitting.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/blas.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {

namespace {

/// Passes over the rows of Lambda in one step; for a value, and between two questions.
constexpr std::size_t step_passes = 40;
constexpr std::size_t value_passes = 2000;
constexpr std::size_t question_passes = 10;

/// Copies of an entry of M and of D in the other variables: semidefinite (D on both sides of the
/// diagonal), nonnegative, and D in h.
constexpr double m_weight = 2;
constexpr double d_weight = 4;

}  // namespace

ClassData::ClassData(const ClassSaddle& given)
    : problem(given),
      n(given.size()),
      kappa(given.classes),
      anchored(given.is_anchored()),
      unknown(given.unknown()),
      known_labels(given.size(), given.classes) {
  u = unknown.size();
  for (const std::size_t size : given.known_sizes()) {
    known_sizes.push_back(static_cast<double>(size));
  }
  const double mean =
      std::accumulate(known_sizes.begin(), known_sizes.end(), 0.0) / static_cast<double>(kappa);
  for (const double size : known_sizes) spread.push_back(size - mean);
  cost = DenseMatrix(u, u);
  for (std::size_t j = 0; j < u; ++j) {
    for (std::size_t k = 0; k < u; ++k) {
      cost(j, k) = -given.c / 2 * given.matrix(unknown[j], unknown[k]);
    }
  }
  if (!anchored) return;
  for (std::size_t i = 0; i < n; ++i) {
    if (given.labels[i] >= 0) known_labels(i, static_cast<std::size_t>(given.labels[i])) = 1;
  }
  coupling = DenseMatrix(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) coupling(i, j) = given.c * given.matrix(i, j);
    coupling(i, i) -= 1;
  }
  DenseMatrix all(n, kappa);
  gemm(Transpose::no, Transpose::no, given.c, given.matrix, known_labels.view(), 0.0, all.view());
  pull = DenseMatrix(u, kappa);
  for (std::size_t j = 0; j < u; ++j) {
    std::ranges::copy(all.row(unknown[j]), pull.row(j).begin());
  }
}

ClassSizes::ClassSizes(const ClassData& data)
    : data_(data), divisor_(std::sqrt(static_cast<double>(std::max<std::size_t>(1, data.u)))) {
  const auto u = static_cast<double>(data.u);
  const auto kappa = static_cast<double>(data.kappa);
  const double known = static_cast<double>(data.n) - u;
  // Row sums: 1 from the diagonal, and known/kappa from the known points at D = 1/kappa.
  const double own = 1 + known / kappa;
  low_.assign(data.u, (data.problem.row_least() - own) / divisor_);
  high_.assign(data.u, (data.problem.row_most() - own) / divisor_);
  if (data.anchored) {
    for (std::size_t r = 0; r < data.kappa; ++r) {
      const double there = data.known_sizes[r] + u / kappa;
      low_.push_back((data.problem.least[r] - there) / divisor_);
      high_.push_back((data.problem.most[r] - there) / divisor_);
    }
  }
  // R W^-1 R' + I, in closed form: two row sums share one pair of entries of M.
  const std::size_t count = low_.size();
  DenseMatrix system(count, count);
  const double unit = 1 / (divisor_ * divisor_);
  const double spread = dot(data.spread, data.spread);
  for (std::size_t j = 0; j < data.u; ++j) {
    for (std::size_t k = 0; k < j; ++k) system(j, k) = unit * 0.5 / m_weight;
    system(j, j) = unit * 0.5 * (u - 1) / m_weight + 1;
    if (data.anchored) system(j, j) += unit * spread / d_weight;
  }
  for (std::size_t r = 0; data.anchored && r < data.kappa; ++r) {
    for (std::size_t j = 0; j < data.u; ++j) {
      system(data.u + r, j) = unit * data.spread[r] / d_weight;
    }
    for (std::size_t s = 0; s <= r; ++s) {
      const double projector = (r == s ? 1.0 : 0.0) - 1 / kappa;
      system(data.u + r, data.u + s) = unit * u * projector / d_weight + (r == s ? 1.0 : 0.0);
    }
  }
  if (count == 0) return;
  factor_ = Cholesky::factor(system.view());
  if (!factor_) throw InternalError("ClassSizes: I + R W^-1 R' has no Cholesky factor");
}

double ClassSizes::clamp(std::size_t k, double value) const {
  return std::clamp(value, low_[k], high_[k]);
}

std::vector<double> ClassSizes::apply(const ClassPoint& x) const {
  std::vector<double> sizes(count(), 0.0);
  for (std::size_t j = 0; j < data_.u; ++j) {
    double sum = 0;
    for (const double entry : x.m.row(j)) sum += entry;
    sum -= x.m(j, j);
    if (data_.anchored) sum += dot(x.d.row(j), data_.spread);
    sizes[j] = sum / divisor_;
    for (std::size_t r = 0; data_.anchored && r < data_.kappa; ++r) {
      sizes[data_.u + r] += x.d(j, r) / divisor_;
    }
  }
  return sizes;
}

void ClassSizes::pull(ClassPoint& x, std::span<const double> wanted) const {
  if (count() == 0) return;
  std::vector<double> b = apply(x);
  axpy(-1.0, wanted, b);
  factor_->solve(b);
  double mean = 0;
  for (std::size_t r = 0; data_.anchored && r < data_.kappa; ++r) {
    mean += b[data_.u + r] / static_cast<double>(data_.kappa);
  }
  for (std::size_t j = 0; j < data_.u; ++j) {
    for (std::size_t k = 0; k < data_.u; ++k) {
      if (j != k) x.m(j, k) -= (b[j] + b[k]) / (2 * m_weight * divisor_);
    }
    for (std::size_t r = 0; data_.anchored && r < data_.kappa; ++r) {
      x.d(j, r) -= (b[j] * data_.spread[r] + b[data_.u + r] - mean) / (d_weight * divisor_);
    }
  }
}

MembershipTerm::MembershipTerm(const ClassData& data)
    : data_(data),
      square_(data.n, data.n),
      step_matrix_(data.n, data.n),
      value_matrix_(data.n, data.n),
      step_qp_(data.n, data.kappa),
      value_qp_(data.n, data.kappa) {
  DenseMatrix rows(data.u, data.n);
  for (std::size_t j = 0; j < data.u; ++j) {
    std::ranges::copy(data.coupling.row(data.unknown[j]), rows.row(j).begin());
  }
  if (data.u > 0) syrk_lower(Transpose::yes, 1.0, rows.view(), 0.0, square_.view());
  mirror_lower(square_.view());
  for (std::size_t i = 0; i < data.n; ++i) {
    for (std::size_t j = 0; j < data.n; ++j) {
      value_matrix_(i, j) = data.problem.c * data.problem.matrix(i, j);
    }
  }
}

void MembershipTerm::set_penalty(double penalty) {
  penalty_ = penalty;
  const std::span<double> entries = step_matrix_.values();
  for (std::size_t k = 0; k < entries.size(); ++k) {
    entries[k] = square_.values()[k] / penalty + value_matrix_.values()[k];
  }
}

DenseMatrix MembershipTerm::step(const DenseMatrix& v, double tolerance) {
  DenseMatrix shifted = data_.known_labels;
  for (std::size_t j = 0; j < data_.u; ++j) {
    for (std::size_t r = 0; r < data_.kappa; ++r) {
      shifted(data_.unknown[j], r) = v(j, r) + data_.pull(j, r) / penalty_;
    }
  }
  DenseMatrix t(data_.n, data_.kappa);
  gemm(Transpose::no, Transpose::no, 1.0, data_.coupling.view(), shifted.view(), 0.0, t.view());
  (void)step_qp_.solve(step_matrix_.view(), t.view(), tolerance, step_passes);
  DenseMatrix e = gradient();
  const std::span<double> entries = e.values();
  for (std::size_t k = 0; k < entries.size(); ++k) {
    entries[k] = v.values()[k] - entries[k] / penalty_;
  }
  return e;
}

DenseMatrix MembershipTerm::gradient() const {
  DenseMatrix all(data_.n, data_.kappa);
  gemm(Transpose::no, Transpose::no, 1.0, data_.coupling.view(), lambda().view(), 0.0, all.view());
  DenseMatrix of_unknown(data_.u, data_.kappa);
  for (std::size_t j = 0; j < data_.u; ++j) {
    for (std::size_t r = 0; r < data_.kappa; ++r) {
      of_unknown(j, r) = all(data_.unknown[j], r) - data_.pull(j, r);
    }
  }
  return of_unknown;
}

double MembershipTerm::value(const DenseMatrix& d,
                             double tolerance,
                             const std::function<bool()>& go_on) {
  DenseMatrix t(data_.n, data_.kappa);
  gemm(Transpose::no, Transpose::no, 1.0, data_.coupling.view(), d.view(), 0.0, t.view());
  double gap = value_qp_.solve(value_matrix_.view(), t.view(), tolerance, 0);
  for (std::size_t pass = 0; pass < value_passes && gap > tolerance && go_on();
       pass += question_passes) {
    gap = value_qp_.solve(value_matrix_.view(), t.view(), tolerance, question_passes);
  }
  const DenseMatrix& lambda = value_qp_.point();
  DenseMatrix image(data_.n, data_.kappa);
  gemm(Transpose::no, Transpose::no, 1.0, value_matrix_.view(), lambda.view(), 0.0, image.view());
  return dot(t.values(), lambda.values()) - 0.5 * dot(image.values(), lambda.values()) + gap;
}

ClassCertificate class_certificate(const ClassData& data,
                                   const ClassSizes& sizes,
                                   const MembershipTerm* term,
                                   const ClassMultipliers& given) {
  const std::size_t u = data.u;
  const std::size_t kappa = data.kappa;
  const std::size_t corner = data.anchored ? kappa : 0;
  ClassCertificate proof{.lambda = term != nullptr
                                       ? term->lambda()
                                       : DenseMatrix(data.n, kappa, 1 / static_cast<double>(kappa)),
                         .diagonal = std::vector<double>(u),
                         .rows = std::vector<double>(u),
                         .sizes = std::vector<double>(kappa, 0.0),
                         .entries = DenseMatrix(u, u),
                         .memberships = DenseMatrix(u, kappa),
                         .corner = DenseMatrix(kappa, kappa)};
  for (std::size_t j = 0; j < u; ++j)
    proof.rows[j] = -given.rho * given.ranges[j] / sizes.divisor();
  for (std::size_t r = 0; r < corner; ++r) {
    proof.sizes[r] = -given.rho * given.ranges[u + r] / sizes.divisor();
    for (std::size_t s = 0; s < corner; ++s) {
      proof.corner(r, s) = -given.rho * given.semidefinite(u + r, u + s);
    }
  }
  // S is -rho U; what the other multipliers leave of it goes where a sign allows.
  for (std::size_t j = 0; j < u; ++j) {
    for (std::size_t k = 0; k < u; ++k) {
      const double left = data.cost(j, k) - (proof.rows[j] + proof.rows[k]) / 2 +
                          given.rho * given.semidefinite(j, k);
      if (j == k) {
        proof.diagonal[j] = left;
      } else {
        proof.entries(j, k) = std::max(0.0, left);
      }
    }
  }
  if (!data.anchored) return proof;
  const DenseMatrix gradient = term->gradient();
  for (std::size_t j = 0; j < u; ++j) {
    const std::span<double> row = proof.memberships.row(j);
    for (std::size_t r = 0; r < kappa; ++r) {
      row[r] = gradient(j, r) - proof.rows[j] * data.known_sizes[r] - proof.sizes[r] +
               2 * given.rho * given.semidefinite(j, u + r);
    }
    // D e = e: the least of a row is the multiplier of its sum.
    const double least = *std::ranges::min_element(row);
    for (double& entry : row) entry -= least;
  }
  return proof;
}

WholeLabels whole_labels(const ClassData& data, const ClassPoint& point) {
  const double mean = 1 / static_cast<double>(data.kappa);
  WholeLabels whole{.m = DenseMatrix(data.n, data.n), .d = DenseMatrix(data.n, data.kappa)};
  whole.d = data.known_labels;
  for (std::size_t j = 0; j < data.u; ++j) {
    for (std::size_t r = 0; r < data.kappa; ++r) {
      whole.d(data.unknown[j], r) = mean + (data.anchored ? point.d(j, r) : 0.0);
    }
  }
  // Where one of two points is known, M is the other's D there.
  for (std::size_t i = 0; i < data.n; ++i) {
    for (std::size_t j = 0; j < data.n; ++j) {
      whole.m(i, j) = dot(whole.d.row(i), whole.d.row(j));
    }
  }
  for (std::size_t j = 0; j < data.u; ++j) {
    for (std::size_t k = 0; k < data.u; ++k) {
      whole.m(data.unknown[j], data.unknown[k]) = point.m(j, k);
    }
  }
  return whole;
}

}  // namespace maxmargin
