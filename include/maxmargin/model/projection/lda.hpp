// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/training.hpp"

/// Linear discriminant analysis: docs/algorithms/lda.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT LdaOptions {
  /// In [0, 1]: the within-class covariance W becomes (1 - shrinkage) W + shrinkage diag(W).
  double shrinkage = 0;
  ClassWeights class_weights = {};
  bool allow_one_class = false;
  /// Threads, memory and the callback are used.
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

struct MAXMARGIN_EXPORT TrainedLda : TrainedClassifier {
  /// Fisher's ratios as LdaProjection has them; none where the run was stopped.
  std::vector<double> ratios = {};
};

/// Gaussian classes with one covariance W, fitted by maximum likelihood: the class of largest
/// mean_c' W^-1 (x - mean_c / 2) + log(share of class c). Two classes give one function, more give
/// one a class (MulticlassKind::direct). A singular W gets a ridge, which a warning names.
///
/// There is no iteration and no dual: the report has neither objective. Its primal_residual is the
/// largest relative error of the linear systems solved, recomputed. Throws InvalidArgument for
/// wrong data or options, for a class without weight, and when the d x d matrices do not fit in
/// the memory limit. O(n d^2 + d^3) time, O(d^2 + k d) memory beside a copy of the data.
/// A run that is stopped before it knows W takes its diagonal, for which there is always time; only
/// runs on many features are asked.
[[nodiscard]] MAXMARGIN_EXPORT TrainedLda train_lda(const Dataset& data,
                                                    const LdaOptions& options = {});

/// The projections that separate the classes best.
struct MAXMARGIN_EXPORT LdaProjection {
  /// The weighted mean of the data, taken off before projecting.
  std::vector<double> mean = {};
  /// One direction a row, min(k - 1, d) at most, by falling ratio, of within-class variance 1; the
  /// entry of largest magnitude (the first of them) is positive.
  DenseMatrix directions = {};
  /// Fisher's ratio of each direction: variance of the class means over variance within classes.
  std::vector<double> ratios = {};

  /// (x - mean) . direction, one row an example.
  [[nodiscard]] DenseMatrix transform(const Examples& examples,
                                      std::optional<std::size_t> threads = std::nullopt) const;
};

/// Directions that stand for no difference between the classes (ratio at rounding level) are left
/// out. Throws like train_lda.
[[nodiscard]] MAXMARGIN_EXPORT LdaProjection lda_projection(const Dataset& data,
                                                            const LdaOptions& options = {});

/// How much each feature counts in linear functions: sum over functions of |w_j| times the standard
/// deviation of feature j (1 without deviations), as a share of the total; all 0 when every weight
/// is. Throws InvalidArgument unless deviations are empty or one >= 0 a feature.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<double> feature_importance(
    const LinearFunctions& functions, std::span<const double> deviations = {});

/// Weighted standard deviation of every feature, with divisor the sum of the weights.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<double> feature_deviations(
    const Dataset& data, std::optional<std::size_t> threads = std::nullopt);

}  // namespace maxmargin
