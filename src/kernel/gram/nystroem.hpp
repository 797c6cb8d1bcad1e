// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Features for a kernel (Nystroem's method): docs/algorithms/mmc-alternating.md, "Features".
namespace maxmargin {

struct NystroemOptions {
  /// Landmarks at most; at least 1. Fewer are taken when they carry the kernel already.
  std::size_t landmarks = 200;
  /// Stop when no point misses more than this share of the largest K(x, x); in [0, 1).
  double tolerance = 1e-10;
  /// Callback: asked before every landmark; when it ends the choice, there are fewer of them.
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// Where a kernel is projected: the span of the images of some points, the landmarks, with an
/// orthonormal basis of that span as features z(x). Then z(x).z(x') <= K in the sense of
/// semidefinite matrices, and equal where x or x' is a landmark.
struct NystroemMap {
  Kernel kernel = Linear{};
  Examples landmarks = {};
  /// Rows of the landmarks in the training set, in the order they were chosen.
  std::vector<std::size_t> rows = {};
  /// Lower triangular; z(x) = basis * (K(x_l, x))_l.
  DenseMatrix basis = {};

  [[nodiscard]] std::size_t features() const noexcept { return basis.rows(); }
  /// z of every example, one row each.
  [[nodiscard]] DenseMatrix transform(const Examples& examples,
                                      std::optional<std::size_t> threads = std::nullopt) const;
  /// w.z(x) = sum_l c_l K(x_l, x): the c that go with a row of w, one column a row.
  [[nodiscard]] DenseMatrix landmark_coefficients(DenseView weights) const;
};

struct NystroemFit {
  NystroemMap map = {};
  /// z of the training points.
  DenseMatrix features = {};
  /// K(x, x) - |z(x)|^2 >= 0 of the training points: what the features miss. The matrix K - Z Z' is
  /// positive semidefinite and has this diagonal.
  std::vector<double> missed = {};
};

/// Chooses landmarks one by one, each the point of which the features so far miss most (the first
/// of equals): Cholesky's factorisation with pivots, stopped early. O(n m^2) and n m kernel values,
/// 8 n m bytes. The same for any number of threads. Throws InvalidArgument without points, for a
/// kernel that is known to be indefinite or precomputed, and when all K(x, x) are 0.
[[nodiscard]] NystroemFit fit_nystroem(const Kernel& kernel,
                                       const Examples& examples,
                                       const NystroemOptions& options = {});

}  // namespace maxmargin
