// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/kernel/gram/centring.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Principal components in the feature space of a kernel: docs/algorithms/kernel-pca.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT KernelPcaOptions {
  /// Components to keep, >= 1; at most n-1 exist, and those without variance are left out. Unset:
  /// all of them, by LAPACK in O(n^3).
  std::optional<std::size_t> components = std::nullopt;
  KernelChoice kernel = {};
  /// Takes a kernel that is not positive semidefinite: its negative directions are left out, and
  /// the report says how large they are.
  bool allow_indefinite = false;
  /// Of the eigenvectors where few of many are wanted: |A v - mu v| <= tolerance |A|.
  double tolerance = 1e-9;
  Context context = {};
  void describe(OptionVisitor& visit);
};

struct MAXMARGIN_EXPORT PreimageOptions {
  /// Training points to start from: those nearest among the scores. At least 1.
  std::size_t starts = 5;
  /// Fixed-point steps from each. At least 1.
  std::size_t max_iterations = 200;
  /// Ends when a step moves the point by less than this part of its length.
  double tolerance = 1e-8;
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// Points of the input space whose images come near to given points of the feature space.
struct Preimages {
  DenseMatrix points = {};
  /// |phi(point) - target|^2 of each.
  std::vector<double> squared_distances = {};
};

/// The directions of largest variance of the images phi(x_i) of a data set.
struct MAXMARGIN_EXPORT KernelPcaModel {
  /// The width resolved.
  Kernel kernel = Rbf{};
  /// The training points.
  Examples examples = {};
  FeatureCentring centring = {};
  /// Row k holds a^k with mu_k (a^k . a^k) = 1: direction k, of length 1, is the sum of a^k_i times
  /// the centred phi(x_i). The entry of largest magnitude (the first of them) is positive.
  DenseMatrix coefficients = {};
  /// mu_k > 0, falling: eigenvalues of the centred Gram matrix.
  std::vector<double> eigenvalues = {};
  /// Trace of the centred Gram matrix over n-1.
  double total_variance = 0;

  /// Variance along each direction, mu_k / (n-1); with one point there is none.
  [[nodiscard]] std::vector<double> variances() const;
  /// Share of the total variance along each direction.
  [[nodiscard]] std::vector<double> explained_shares() const;
  /// Scores of the training points, one row each: mu_k a^k_i.
  [[nodiscard]] DenseMatrix training_scores() const;
  /// Scores of new points: the coordinates of phi(x) - mean along the directions, from kernel
  /// values centred with the training mean. Checks the examples as cross_gram does.
  [[nodiscard]] DenseMatrix transform(const Examples& new_examples,
                                      std::optional<std::size_t> threads = std::nullopt) const;
  /// |phi(x) - mean|^2 less the part along the directions: what the components miss of each point.
  [[nodiscard]] std::vector<double> reconstruction_errors(
      const Examples& new_examples, std::optional<std::size_t> threads = std::nullopt) const;
  /// For each row of scores a point z whose image is near to mean + sum of score x direction, by
  /// the fixed point z = sum_i g_i k(z, x_i) x_i / sum_i g_i k(z, x_i) from several starts. A local
  /// optimum; exact preimages seldom exist. Throws InvalidArgument unless the kernel is rbf.
  [[nodiscard]] Preimages preimages(DenseView scores, const PreimageOptions& options = {}) const;
};

/// A model and how it was found.
struct KernelPca {
  KernelPcaModel model = {};
  /// primal_residual is the largest |A v - mu v| where the eigenvectors come from an iteration.
  SolveReport report = {};
};

/// Finds the components. 8 n^2 bytes; a few of many components by a block method that reads the
/// matrix once a step, otherwise by LAPACK. Throws InvalidArgument without points and, unless
/// allow_indefinite, for a kernel that is indefinite by its kind or by an eigenvalue found here.
[[nodiscard]] MAXMARGIN_EXPORT KernelPca train_kernel_pca(const Examples& examples,
                                                          const KernelPcaOptions& options = {});
/// The same on a data set; throws InvalidArgument when it has weights.
[[nodiscard]] MAXMARGIN_EXPORT KernelPca train_kernel_pca(const Dataset& data,
                                                          const KernelPcaOptions& options = {});

}  // namespace maxmargin
