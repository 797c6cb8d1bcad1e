// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "maxmargin/linalg/matrix.hpp"

/// Private to problem: what certificates of saddles have in common. Plain loops; no solver uses it.
namespace maxmargin::slack_proof {

/// S of a certificate, its lower triangle.
struct Slack {
  DenseMatrix matrix = {};
  /// The Frobenius norm of the entries' terms, all taken as positive: that is what their rounding
  /// is in proportion to.
  double size = 0;
  /// The most terms of an entry.
  double terms = 1;
};

/// Adds numbers and remembers how large they were.
class SureSum {
 public:
  void add(double term) {
    sum_ += term;
    magnitude_ += term < 0 ? -term : term;
    terms_ += 1;
  }
  /// The sum, less what rounding may have added.
  [[nodiscard]] double value() const;

 private:
  double sum_ = 0;
  double magnitude_ = 0;
  double terms_ = 8;
};

/// sum - N max(0, -lambda_min(S)), less what rounding may have added; by LAPACK's eigenvalues.
[[nodiscard]] double bound_of(const Slack& slack, const SureSum& sum);

/// Is that at least `bound`? By one Cholesky factorisation, which the matrix is used up for.
[[nodiscard]] bool proves(Slack slack, const SureSum& sum, double bound);

/// Throws InvalidArgument, naming `name`, unless the matrix is square, not empty, symmetric and
/// finite with a diagonal >= 0.
void require_kernel(DenseView matrix, const std::string& name);

}  // namespace maxmargin::slack_proof
