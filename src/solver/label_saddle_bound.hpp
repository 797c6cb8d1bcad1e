// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/problem/label_saddle.hpp"

/// Private to solver: docs/algorithms/mmc.md, step 5.
namespace maxmargin::label_saddle {

/// The least eigenvalue of S of a certificate as an iteration finds it: near, but no proof.
struct LeastEigenvalue {
  double value = 0;
  std::vector<double> vector = {};
};
/// `resolution`: differences of eigenvalues below it do not matter. When `on_progress` ends it, the
/// value is too large.
[[nodiscard]] LeastEigenvalue estimate_least_eigenvalue(const LabelSaddle& problem,
                                                        const LabelCertificate& certificate,
                                                        double resolution,
                                                        std::uint64_t seed,
                                                        std::size_t threads,
                                                        const ProgressCallback& on_progress);

/// The bound of a certificate given lambda_min(S) >= least, without rounding.
[[nodiscard]] double bound_of(const LabelSaddle& problem,
                              const LabelCertificate& certificate,
                              double least);

/// The same with proof: a shift is looked for, from -least up, with which a Cholesky factor of S +
/// shift I exists; what rounding may have hidden is taken off. -infinity when there is none that
/// proves more than `floor`, and when `on_progress` says to stop.
[[nodiscard]] double prove_bound(const LabelSaddle& problem,
                                 const LabelCertificate& certificate,
                                 double least,
                                 double resolution,
                                 double floor,
                                 std::size_t threads,
                                 const ProgressCallback& on_progress);

}  // namespace maxmargin::label_saddle
