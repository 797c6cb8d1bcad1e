// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "eval/cluster_refit.hpp"
#include "learner/clustering/clustering.hpp"
#include "learner/clustering/request.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"

/// Measures of a clustering that need no classes: docs/guide/validators.md.
namespace maxmargin::learning {

/// Can every pair of rows be looked at in about a second? Up to 10,000 rows, and rows x entries up
/// to 10^9.
[[nodiscard]] bool pairs_are_cheap(const Dataset& rows);

/// Measures one clustering, in the feature space of the method's kernel, of the input space without
/// one. Keeps references to what it is made of. Between the steps that take long the callback is
/// asked; when it says stop, what is left has no value, and the status says why.
class ClusterValidators {
 public:
  /// `request.own` has the number of clusters as used.
  ClusterValidators(const ClusterLearner& method,
                    const Dataset& rows,
                    const Clustering& found,
                    const ClusterRequest& request,
                    const Context& context);

  /// Adds what costs little: clusters, outliers, and kernel_sse and silhouette where the data is
  /// small enough or `all` says so. What the method reported of its own stays.
  void add_cheap(RunReport& report, bool all);

  /// Adds stability (bootstrap), kernel_sse_p_value, refit_train_error, refit_test_error,
  /// fisher_ratio and the table `clusters` (size, kernel_sse and silhouette of each). With a
  /// precomputed kernel there is no stability and no refit.
  void add_costly(RunReport& report);

 private:
  [[nodiscard]] const SumOfSquares& sums();
  [[nodiscard]] const Silhouette& silhouettes();
  /// Worsens the status of the report when the answer is no.
  [[nodiscard]] bool may_continue(RunReport& report) const;

  [[nodiscard]] std::optional<double> stability(RunReport& report) const;
  /// How likely random labels of the clustered rows are as tight; nothing for one cluster, and for
  /// more rows than a matrix of all pairs is held for.
  [[nodiscard]] std::optional<double> p_value(RunReport& report) const;
  [[nodiscard]] ClusterRefit refitted(RunReport& report) const;
  /// One row a cluster.
  [[nodiscard]] std::vector<ReportFields> rows_of_clusters();

  const ClusterLearner& method_;
  const Dataset& rows_;
  const Clustering& found_;
  const ClusterRequest& request_;
  const Context& context_;
  /// The data itself, when it is the kernel matrix.
  std::optional<DenseMatrix> given_gram_ = std::nullopt;
  std::optional<SumOfSquares> sums_ = std::nullopt;
  std::optional<Silhouette> silhouettes_ = std::nullopt;
};

}  // namespace maxmargin::learning
