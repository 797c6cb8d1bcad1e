// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Gaussian mixtures by expectation and maximisation: docs/algorithms/mixture.md.
namespace maxmargin {

/// Which covariance matrices the components may have.
enum class Covariance {
  spherical,  ///< a multiple of the identity each
  diagonal,   ///< a diagonal matrix each
  full,       ///< any matrix each
  tied,       ///< one matrix for all
};

template <>
inline constexpr auto names_of<Covariance> =
    name_table<Covariance>({{"spherical", Covariance::spherical},
                            {"diagonal", Covariance::diagonal},
                            {"full", Covariance::full},
                            {"tied", Covariance::tied}});

/// What a mixture says about examples, one row each.
struct MixtureAnswer {
  /// The component of largest posterior probability, the lowest of equals.
  std::vector<std::int32_t> labels = {};
  /// Posterior probabilities, one column a component; rows sum to 1.
  DenseMatrix probabilities = {};
  /// Log of the mixture's density.
  std::vector<double> log_densities = {};
};

/// p(x) = sum_j weights_j N(x; means_j, covariance_j).
struct MAXMARGIN_EXPORT MixtureModel {
  Covariance covariance = Covariance::full;
  /// >= 0 with sum 1.
  std::vector<double> weights = {};
  /// One mean a row.
  DenseMatrix means = {};
  /// spherical: k x 1; diagonal: k x d, one row a component; full: k d x d, the matrix of component
  /// j in rows j d to (j + 1) d - 1; tied: d x d.
  DenseMatrix covariances = {};

  [[nodiscard]] std::size_t components() const { return means.rows(); }
  /// Free parameters: k - 1 weights, k d means and those of the covariances.
  [[nodiscard]] std::size_t parameters() const;
  /// What validate() checks: that the parts fit together, all numbers are finite, the weights sum
  /// to 1 (to 1e-9) and the covariances are positive definite.
  void describe(OptionVisitor& visit);
  /// Sparse examples may have fewer or more features (missing ones are 0, further ones are
  /// ignored); dense ones of another width throw InvalidArgument, and so does a value that is not
  /// finite or so large that squares overflow. The same for any number of threads.
  [[nodiscard]] MixtureAnswer answer(const Examples& examples,
                                     std::optional<std::size_t> threads = std::nullopt) const;
};

struct MAXMARGIN_EXPORT MixtureOptions {
  /// Number of components; at least 1, at most the number of distinct points of positive weight.
  std::size_t k = 2;
  Covariance covariance = Covariance::full;
  /// A mixture to begin with, of k components and this kind of covariance: then there is one run,
  /// from it, and `restarts` is ignored.
  std::optional<MixtureModel> start = std::nullopt;
  /// Runs from different starts: the first from the clusters of k-means, the others from those
  /// around the centres that k-means++ draws. The best is kept, the first of equals. At least 1.
  std::size_t restarts = 10;
  /// Steps of expectation and maximisation in each restart. At least 1.
  std::size_t max_iterations = 300;
  /// A run ends when the log-likelihood grows by less than this times max(|log-likelihood|, sum of
  /// the example weights). > 0.
  double tolerance = 1e-6;
  /// No variance in any direction falls below this times the mean variance of the features (times 1
  /// when all points are equal). >= 1e-12: without a floor the likelihood has no upper bound.
  double variance_floor = 1e-6;
  /// Keeps all weights equal, 1/k.
  bool equal_weights = false;
  /// Keeps the variance of every component at this value, > 0; for spherical covariances alone.
  /// With equal_weights and a value towards 0 the posteriors become those of k-means.
  std::optional<double> fixed_variance = std::nullopt;
  /// Callback: called after every step of every restart, and without an objective while k-means
  /// finds a start.
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// A mixture fitted to a data set. Components are numbered by the points that belong to them most
/// likely: the largest number first, then by first member.
struct MixtureClustering {
  MixtureModel model = {};
  std::vector<std::int32_t> labels = {};
  std::vector<std::size_t> sizes = {};
  /// Sum over points of weight x log density.
  double log_likelihood = 0;
  /// -2 log_likelihood + parameters x log(sum of the weights), and + 2 parameters: less is better.
  double bic = 0;
  double aic = 0;
  /// The floor as used, in units of the data.
  double least_variance = 0;
  /// Log-likelihood at the start and after every step of the run that was kept.
  std::vector<double> trace = {};
  std::size_t best_restart = 0;
  std::size_t restarts = 0;
  /// primal_objective is -log_likelihood. There is no bound: nothing here says how far the best
  /// mixture is. Status `solved`: the log-likelihood has stopped growing; `numerical_failure`:
  /// rounding made a covariance indefinite (a floor too low for hundreds of features), and the last
  /// good mixture is returned.
  SolveReport report = {};
};

/// Maximum likelihood on the examples of a data set, with its weights; sparse ones are made dense.
/// Throws InvalidArgument for values that are not finite, wrong weights, a k above the number of
/// distinct points of positive weight, and a floor so low that no start has a density.
[[nodiscard]] MAXMARGIN_EXPORT MixtureClustering
cluster_mixture(const Dataset& data, const MixtureOptions& options = {});

}  // namespace maxmargin
