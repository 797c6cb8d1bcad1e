// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/learner/learner.hpp"

/// What can be done with clustering methods beside what all learners do. A number of clusters is an
/// option k as all others; `k = auto` tries 2 to 10 and keeps the most stable one
/// (docs/algorithms/choosing-k.md), what was tried is the report's table `tried`.
namespace maxmargin {

/// What a clustering is held against, beside the measures that cost little.
struct MAXMARGIN_EXPORT ClusterChecks {
  /// Add stability, the chance of random labels, errors of a machine on the clusters and the table
  /// `clusters` (docs/guide/validators.md).
  bool validate = false;
  /// Recompute the objective from labels and model, and hold it to the bound.
  bool verify = false;
  void describe(OptionVisitor& visit);
};

/// Trains a method on a table as Learner::train does, and checks what it found. The report's
/// `verified` is set with `verify`. Throws InvalidArgument for a learner that does not cluster.
[[nodiscard]] MAXMARGIN_EXPORT Training cluster(const Learner& method,
                                                const LearnerData& data,
                                                const TrainingRequest& request,
                                                const ClusterChecks& checks = {});

/// The method that runs where none is named.
[[nodiscard]] MAXMARGIN_EXPORT const Learner& usual_clustering();
/// Groups a table into k clusters by that method.
[[nodiscard]] MAXMARGIN_EXPORT Training cluster(const TableData& data,
                                                std::size_t k,
                                                const Context& context = {});

/// What a run records beside its clusters: the steps of its best run (Training::trace), and a table
/// of what was tried, which is those steps or, with k = auto, the numbers of clusters.
struct ClusterRecords {
  bool steps = false;
  bool table = false;
};
/// Known before the run. Throws InvalidArgument for options that break a rule.
[[nodiscard]] MAXMARGIN_EXPORT ClusterRecords records_of(const Learner& method,
                                                         const OptionTexts& options);

/// What one of several methods made of the same data.
struct ClusterContestant {
  std::string method = {};
  /// Why it failed; empty when it did not. Then there is nothing else.
  std::string problem = {};
  std::vector<std::int32_t> clusters = {};
  RunReport report = {};
  double seconds = 0;
};

/// Several methods on one data set.
struct ClusterComparison {
  /// In the order of the methods.
  std::vector<ClusterContestant> contestants = {};
  /// The worst status, all warnings and the table `methods`: one row a method, every row with the
  /// same fields.
  RunReport report = {};
  std::size_t failed = 0;
};

/// The callback of the next of so many runs: how several runs share what time there is.
using ShareOfTime = std::function<ProgressCallback(std::size_t runs_left)>;

/// Runs the methods with the options each of them takes; kernel, gamma, degree and coef0 are also
/// those of the measures that all are compared by. A method that fails has its message in the table
/// and the others run. Throws InvalidArgument for wrong names, options that none of the methods
/// takes, data that no method could use, and when every method failed. Each method asks its own
/// `share`, where there are any, in place of the context's callback.
[[nodiscard]] MAXMARGIN_EXPORT ClusterComparison
compare_clusterings(const std::vector<std::string>& methods,
                    const TableData& data,
                    const OptionTexts& options,
                    const Context& context,
                    const ClusterChecks& checks = {},
                    const ShareOfTime& share = {});

/// The clusters of all methods that did not fail: CSV, a header of their names, one row a point.
[[nodiscard]] MAXMARGIN_EXPORT std::string comparison_csv(const ClusterComparison& comparison);

/// The clusters one a line, `outlier` for -1.
[[nodiscard]] MAXMARGIN_EXPORT std::string cluster_lines(std::span<const std::int32_t> clusters);

/// What a training recorded, one row each: with `numbered` the iteration (from 0) first. Empty when
/// it recorded nothing.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<ReportFields> recorded_rows(const Training& training,
                                                                       bool numbered);

/// Named columns of equal length.
struct TraceTable {
  std::vector<std::string> names = {};
  /// NaN for an empty cell.
  std::vector<std::vector<double>> columns = {};
};

/// Reads a CSV of numbers with a header, as those rows are written ("-" is standard input). Throws
/// ParseError with line and column.
[[nodiscard]] MAXMARGIN_EXPORT TraceTable read_trace(const std::string& path);

}  // namespace maxmargin
