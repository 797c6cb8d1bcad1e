// SPDX-License-Identifier: Apache-2.0
#include "model/semi/class_proof.hpp"

#include <algorithm>
#include <vector>

namespace maxmargin {

namespace {

/// Calls `take` with every number of the certificate but Lambda, in the order they are kept; both
/// ways go through it.
template <class Numbers, class Take>
void each_multiplier(Numbers& certificate, const Take& take) {
  for (auto& y : certificate.diagonal) take(y);
  for (auto& b : certificate.rows) take(b);
  for (auto& a : certificate.sizes) take(a);
  for (auto& x : certificate.memberships.values()) take(x);
  // Their lower triangles are all that is read.
  for (auto* matrix : {&certificate.corner, &certificate.entries}) {
    for (std::size_t i = 0; i < matrix->rows(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) take((*matrix)(i, j));
    }
  }
}

std::size_t triangle(std::size_t order) { return order * (order + 1) / 2; }

/// Vectors that hold the multipliers: as many for every class.
std::size_t multiplier_vectors(std::size_t rows, std::size_t unlabelled, std::size_t classes) {
  const std::size_t numbers =
      (2 + classes) * unlabelled + classes + triangle(classes) + triangle(unlabelled);
  const std::size_t vectors = (numbers + rows - 1) / rows;
  return (vectors + classes - 1) / classes * classes;
}

/// Lambda of the rows and multipliers 0.
ClassCertificate certificate_with_lambda(const DualPoint& kept,
                                         std::size_t first,
                                         std::span<const std::size_t> rows,
                                         std::size_t unlabelled,
                                         std::size_t classes) {
  ClassCertificate certificate{.lambda = DenseMatrix(rows.size(), classes),
                               .diagonal = std::vector<double>(unlabelled, 0.0),
                               .rows = std::vector<double>(unlabelled, 0.0),
                               .sizes = std::vector<double>(classes, 0.0),
                               .entries = DenseMatrix(unlabelled, unlabelled),
                               .memberships = DenseMatrix(unlabelled, classes),
                               .corner = DenseMatrix(classes, classes)};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (std::size_t r = 0; r < classes; ++r) {
      certificate.lambda(k, r) = kept[first + r][rows[k]];
    }
  }
  return certificate;
}

}  // namespace

std::size_t kept_class_vectors(SemiBound bound,
                               std::size_t classes,
                               std::size_t rows,
                               std::size_t unlabelled) {
  switch (bound) {
    case SemiBound::trivial:
      return 1;
    case SemiBound::supervised:
      return 2;
    case SemiBound::relaxation:
      return 2 + multiplier_vectors(rows, unlabelled, classes) / classes;
  }
  return 1;
}

DualPoint keep_lambda(const DenseMatrix& lambda,
                      std::span<const std::size_t> of_rows,
                      std::size_t rows) {
  DualPoint kept(lambda.cols(), std::vector<double>(rows, 0.0));
  for (std::size_t k = 0; k < of_rows.size(); ++k) {
    for (std::size_t r = 0; r < lambda.cols(); ++r) kept[r][of_rows[k]] = lambda(k, r);
  }
  return kept;
}

DualPoint keep_multipliers(const ClassCertificate& certificate,
                           std::size_t rows,
                           std::size_t classes) {
  DualPoint kept(multiplier_vectors(rows, certificate.diagonal.size(), classes),
                 std::vector<double>(rows, 0.0));
  std::size_t next = 0;
  each_multiplier(certificate, [&](double number) {
    kept[next / rows][next % rows] = number;
    ++next;
  });
  return kept;
}

ClassCertificate supervised_certificate(const DualPoint& kept,
                                        std::size_t first,
                                        std::span<const std::size_t> labelled,
                                        std::size_t classes) {
  return certificate_with_lambda(kept, first, labelled, 0, classes);
}

ClassCertificate relaxation_certificate(const DualPoint& kept,
                                        std::size_t first,
                                        std::size_t unlabelled,
                                        std::size_t classes) {
  const std::size_t rows = kept.front().size();
  std::vector<std::size_t> all(rows);
  for (std::size_t i = 0; i < rows; ++i) all[i] = i;
  ClassCertificate certificate = certificate_with_lambda(kept, first, all, unlabelled, classes);
  std::size_t next = (first + classes) * rows;
  each_multiplier(certificate, [&](double& number) {
    number = kept[next / rows][next % rows];
    ++next;
  });
  return certificate;
}

}  // namespace maxmargin
