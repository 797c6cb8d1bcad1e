// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/relabeler.md
#include "maxmargin/cluster/relabeler/relabeler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "cluster/equal_rows.hpp"
#include "cluster/relabeler/search.hpp"
#include "cluster/relabeler/tree.hpp"
#include "core/cluster_count.hpp"
#include "core/parallel.hpp"
#include "core/settle.hpp"
#include "kernel/gram/stoppable.hpp"
#include "kernel/near_origin.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"
#include "solver/cluster_numbers.hpp"

namespace maxmargin {

namespace {

using relabel::Found;
using relabel::Monitor;
using relabel::Verdict;

void check_gram(DenseView gram, const RelabelerOptions& options) {
  require(gram.rows > 0, "there must be at least one point");
  require(gram.rows == gram.cols,
          "the Gram matrix is " + std::to_string(gram.rows) + " x " + std::to_string(gram.cols) +
              ", must be square");
  require_cluster_count(options.k <= gram.rows,
                        options.k,
                        "at most the number of points, " + std::to_string(gram.rows));
  require(options.known_classes.empty() || options.known_classes.size() == gram.rows,
          "known classes: there must be one class a row, or none");
  for (std::size_t i = 0; i < gram.rows; ++i) {
    for (const double value : gram.row(i)) {
      if (std::isfinite(value)) continue;
      require_field(false,
                    "an entry of row " + std::to_string(i),
                    value,
                    "finite: scale the features or choose another kernel");
    }
  }
}

/// All points in one cluster: nothing to search.
void take_one_cluster(DenseView gram, RelabelerClustering& result) {
  result.labels.assign(gram.rows, 0);
  result.sizes = {gram.rows};
  result.kernel_sse = kernel_sum_of_squares(gram, result.labels).total;
  result.rule = {.clusters = 1};
  result.coefficients = DenseMatrix(gram.rows, 0);
}

/// For a run that was stopped before there was a matrix: one cluster, of unknown sum of squares.
void take_nothing_searched(std::size_t n,
                           const RelabelerOptions& options,
                           Status status,
                           RelabelerClustering& result) {
  result.labels.assign(n, 0);
  result.sizes = {n};
  result.rule = {.clusters = 1};
  result.coefficients = DenseMatrix(n, 0);
  result.kernel_sse = std::numeric_limits<double>::quiet_NaN();
  result.report.status = status;
  result.report.warnings.push_back("stopped before anything was searched: only 1 of " +
                                   std::to_string(options.k) + " clusters was found");
}

/// Clusters of one direct machine, numbered by size; classes that lost all points go.
void take_direct(const Found& found, std::size_t k, RelabelerClustering& result) {
  ClusterNumbers numbers = number_by_size(found.run.labels, k);
  while (numbers.sizes.back() == 0) numbers.sizes.pop_back();
  result.labels = std::move(numbers.labels);
  result.sizes = std::move(numbers.sizes);
  result.rule = {.clusters = result.sizes.size()};
  const std::size_t functions = result.rule.clusters == 1 ? 0 : result.rule.clusters;
  result.coefficients = DenseMatrix(result.labels.size(), functions);
  for (std::size_t c = 0; c < functions; ++c) {
    const std::size_t old = numbers.old_number[c];
    for (std::size_t i = 0; i < result.labels.size(); ++i) {
      result.coefficients(i, c) = found.run.coefficients(i, old);
    }
    result.offsets.push_back(found.run.offsets[old]);
  }
}

bool is_direct(const RelabelerOptions& options) {
  return options.multiclass == RelabelerMulticlass::direct;
}

bool wants_chance(const RelabelerOptions& options) {
  return options.k > 1 && options.labellings > 0;
}

std::string runs_of(std::size_t count, const RelabelCounts& counts) {
  return std::to_string(count) + " of " + std::to_string(counts.runs) + " runs";
}

void add_warnings(const RelabelerOptions& options, RelabelerClustering& result) {
  std::vector<std::string>& warnings = result.report.warnings;
  const RelabelCounts& counts = result.counts;
  if (result.report.status == Status::no_progress) {
    const bool none = counts.collapsed + counts.rejected + counts.unfinished == counts.runs;
    std::string reason = none ? "no run was accepted: " : "no other cluster could be split: ";
    reason += runs_of(counts.collapsed, counts) + " ended with fewer than " +
              std::to_string(options.min_cluster) + " points in a cluster";
    if (options.machine.engine == RelabelerEngine::nu_svm) reason += ", or too few for nu";
    if (options.p_value) {
      reason += ", " + runs_of(counts.rejected, counts) + " with a p-value above " +
                format_number(*options.p_value);
    }
    warnings.push_back(reason + (none ? "; the best of them is returned" : ""));
  }
  if (wants_chance(options) && !result.chance) {
    std::string left_out = "stopped before all random labels were drawn: there is no p-value";
    if (options.p_value) left_out += ", and runs may not have been held against the threshold";
    warnings.push_back(left_out);
  }
  if (counts.inexact > 0) {
    warnings.push_back(std::to_string(counts.inexact) + " of " + std::to_string(counts.fits) +
                       " fits did not reach their tolerance");
  }
  if (result.sizes.size() < options.k) {
    warnings.push_back("only " + std::to_string(result.sizes.size()) + " of " +
                       std::to_string(options.k) + " clusters were found");
  }
}

/// With few points the smallest cluster cannot be as large as asked for.
RelabelerOptions with_possible_size(RelabelerOptions options, std::size_t n) {
  options.min_cluster = std::min(options.min_cluster, n / options.k);
  return options;
}

Status status_of_verdict(Verdict verdict) {
  switch (verdict) {
    case Verdict::accepted:
      return Status::solved;
    case Verdict::unfinished:
      return Status::iteration_limit;
    case Verdict::rejected:
    case Verdict::collapsed:
      return Status::no_progress;
  }
  throw InternalError("a verdict without a status");
}

void take_found(const Found& found, RelabelerClustering& result) {
  result.best_restart = found.restart;
  result.search_trace = found.search_trace;
  result.report.iterations = found.run.steps.size();
  result.trace = found.run.steps;
}

/// The law that p-values come from.
void draw_chance(DenseView gram,
                 const RelabelerOptions& options,
                 PhaseTimer& timer,
                 Monitor& monitor,
                 RelabelerClustering& result) {
  if (!wants_chance(options)) return;
  timer.enter("random labels");
  const std::uint64_t seed = derive_seed(options.context.seed, "relabeler chance");
  result.chance = relabel::draw_chance(gram, options, seed, monitor);
}

/// Splits clusters in two until there are k.
void cluster_recursively(DenseView gram,
                         const RelabelerOptions& options,
                         Monitor& monitor,
                         RelabelerClustering& result) {
  const bool of_two = options.k == 2 && result.chance;
  relabel::Tree tree(gram, options, of_two ? &*result.chance : nullptr, monitor);
  tree.grow();
  tree.write(result);
  result.counts = tree.counts();
  result.objective = tree.objective();
  result.report.status = status_of_verdict(tree.verdict());
  take_found(tree.first_split(), result);
}

void cluster_directly(DenseView gram,
                      const RelabelerOptions& options,
                      Monitor& monitor,
                      RelabelerClustering& result) {
  const Found found =
      relabel::search(gram, options, result.chance ? &*result.chance : nullptr, monitor);
  take_direct(found, options.k, result);
  result.counts = found.counts;
  result.objective = found.run.objective;
  result.training_error = static_cast<double>(found.run.errors) / static_cast<double>(gram.rows);
  result.report.status = status_of_verdict(found.run.verdict);
  take_found(found, result);
}

/// The machine on the points it needs.
DecisionFunction expansion_of(const RelabelerClustering& clustering,
                              const Kernel& kernel,
                              const Examples& examples) {
  const std::size_t functions = clustering.coefficients.cols();
  KernelExpansion expansion{.kernel = kernel, .offsets = clustering.offsets};
  for (std::size_t i = 0; functions > 0 && i < examples.rows(); ++i) {
    const auto row = clustering.coefficients.row(i);
    if (std::ranges::any_of(row, [](double value) { return value != 0; })) {
      expansion.training_rows.push_back(i);
    }
  }
  // One cluster asks no function; a point with a zero coefficient still tells the features.
  if (functions == 0) expansion.offsets = {0.0};
  if (expansion.training_rows.empty()) expansion.training_rows = {0};
  expansion.vectors = examples.select(expansion.training_rows);
  expansion.coefficients = DenseMatrix(expansion.training_rows.size(), expansion.offsets.size());
  for (std::size_t v = 0; functions > 0 && v < expansion.training_rows.size(); ++v) {
    std::ranges::copy(clustering.coefficients.row(expansion.training_rows[v]),
                      expansion.coefficients.row(v).begin());
  }
  return expansion;
}

}  // namespace

RelabelerClustering cluster_relabeler(DenseView gram, const RelabelerOptions& given) {
  validate(given);
  check_gram(gram, given);
  const RelabelerOptions options = with_possible_size(given, gram.rows);
  RelabelerClustering result;
  PhaseTimer timer;
  Monitor monitor(options.context.on_progress);
  // Splits of more clusters are held against laws of their own.
  const bool rejects = options.p_value && (options.k == 2 || is_direct(options));
  if (rejects) draw_chance(gram, options, timer, monitor, result);
  timer.enter("relabel");
  if (options.k == 1) {
    take_one_cluster(gram, result);
  } else if (is_direct(options)) {
    cluster_directly(gram, options, monitor, result);
  } else {
    cluster_recursively(gram, options, monitor, result);
  }
  result.kernel_sse = kernel_sum_of_squares(gram, result.labels).total;
  // Where nothing is rejected by it the law can wait, and is left out when time is short.
  if (!rejects && !monitor.stopped()) draw_chance(gram, options, timer, monitor, result);
  if (result.chance) result.p_value = result.chance->p_value(result.kernel_sse);
  result.report.primal_objective = result.kernel_sse;
  if (monitor.stopped()) result.report.status = monitor.status();
  settle_end(result.report, Ending::search);
  add_warnings(options, result);
  result.report.seconds = timer.finish();
  return result;
}

TrainedRelabeler cluster_relabeler(const Dataset& data,
                                   const Kernel& asked,
                                   const RelabelerOptions& given) {
  validate(given);
  require(data.weights.empty(), "weights are not taken, as a percentile counts points");
  require(data.size() > 0, "there must be at least one point");
  const std::size_t distinct = distinct_rows(data.examples, given.k);
  require_cluster_count(distinct == given.k,
                        given.k,
                        "at most the number of distinct points, " + std::to_string(distinct));
  require_memory_for_numbers(data.size(), data.size(), "the Gram matrix");

  RelabelerOptions options = given;
  if (options.known_classes.empty() && data.has_labels()) {
    options.known_classes = classes_of(data.labels).of_row;
  }
  const bool psd = is_psd(asked);
  options.machine.indefinite = options.machine.indefinite || !psd;
  validate(options);
  PhaseTimer timer;
  timer.enter("gram");
  // Machines of two classes have a free offset; the bias of the direct one is as long as the
  // points.
  const Kernel kernel = is_direct(options) ? asked : near_origin(asked, data.examples);
  const StoppableGram found = gram_unless_stopped(kernel, data.examples, options.context);
  auto seconds = timer.finish();

  TrainedRelabeler trained;
  if (found.answer == Continue::yes) {
    trained.clustering = cluster_relabeler(found.matrix.view(), options);
  } else {
    take_nothing_searched(data.size(), options, status_of(found.answer), trained.clustering);
  }
  SolveReport& report = trained.clustering.report;
  report.seconds.insert(report.seconds.begin(), seconds.begin(), seconds.end());
  if (!psd) {
    report.warnings.insert(report.warnings.begin(),
                           "the kernel " + kernel_name(kernel) +
                               " is not positive semidefinite: the objective need not fall and "
                               "sums of squares may be negative");
  }
  trained.model = {.functions = expansion_of(trained.clustering, kernel, data.examples),
                   .rule = trained.clustering.rule};
  return trained;
}

std::vector<std::int32_t> RelabelerRule::clusters_of(DenseView values) const {
  validate(values.cols);
  std::vector<std::int32_t> labels(values.rows, 0);
  if (clusters == 1) return labels;
  for (std::size_t i = 0; i < values.rows; ++i) {
    const auto row = values.row(i);
    if (tree.empty()) {
      labels[i] = static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin());
      continue;
    }
    std::int32_t at = 0;
    while (at >= 0) {
      const auto f = static_cast<std::size_t>(at);
      at = row[f] < 0 ? tree[f].below : tree[f].not_below;
    }
    labels[i] = -1 - at;
  }
  return labels;
}

void RelabelerRule::validate(std::size_t functions) const {
  require_field(clusters >= 1, "the number of clusters", static_cast<double>(clusters), ">= 1");
  if (clusters == 1) {
    require(tree.empty(), "a rule of one cluster has no tree");
    return;
  }
  const std::size_t wanted = tree.empty() ? clusters : clusters - 1;
  require_field(functions == wanted,
                "the number of functions",
                static_cast<double>(functions),
                std::to_string(wanted));
  if (tree.empty()) return;
  require(tree.size() == functions, "the tree must have one entry a function");
  std::vector<bool> function_seen(functions, false);
  std::vector<bool> cluster_seen(clusters, false);
  for (std::size_t f = 0; f < tree.size(); ++f) {
    for (const std::int32_t child : {tree[f].below, tree[f].not_below}) {
      // A child after its parent: no walk can go round.
      const auto place = static_cast<std::size_t>(child >= 0 ? child : -1 - child);
      const bool fits = child >= 0 ? place > f && place < functions && !function_seen[place]
                                   : place < clusters && !cluster_seen[place];
      require(fits, "the tree: function " + std::to_string(f) + " has a wrong child");
      (child >= 0 ? function_seen : cluster_seen)[place] = true;
    }
  }
}

std::vector<std::int32_t> RelabelerModel::predict(const Examples& examples,
                                                  std::optional<std::size_t> threads) const {
  const DenseMatrix values = decision_values(
      functions, examples, {.context = {.threads = threads}, .precision = ValuePrecision::exact});
  return rule.clusters_of(values.view());
}

}  // namespace maxmargin
