// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "maxmargin/core/progress.hpp"
#include "solver/saddle/form.hpp"

/// Private to solver: docs/algorithms/saddle.md, step 5.
namespace maxmargin::saddle {

/// The least eigenvalue of S = Diag(y) + B(p) + L(l, p) - T'A T, as an eigensolver sees it, and its
/// vector.
struct LeastEigenvalue {
  double value = 0;
  std::vector<double> vector = {};
};

/// Good to about `resolution`, where that is possible. Not a proof: the value may be too large.
[[nodiscard]] LeastEigenvalue estimate_least_eigenvalue(const Form& form,
                                                        const Certificate& certificate,
                                                        double resolution,
                                                        std::uint64_t seed,
                                                        std::size_t threads,
                                                        const ProgressCallback& on_progress);

/// The bound of a certificate given lambda_min(S) >= least, without rounding.
[[nodiscard]] double bound_of(const Form& form, const Certificate& certificate, double least);

/// The same with proof: a shift is looked for, from -least up, with which a Cholesky factor of S +
/// shift I exists; what rounding may have hidden is taken off. -infinity when there is none that
/// proves more than `floor`, and when `on_progress` says to stop.
[[nodiscard]] double prove_bound(const Form& form,
                                 const Certificate& certificate,
                                 double least,
                                 double resolution,
                                 double floor,
                                 std::size_t threads,
                                 const ProgressCallback& on_progress);

}  // namespace maxmargin::saddle
