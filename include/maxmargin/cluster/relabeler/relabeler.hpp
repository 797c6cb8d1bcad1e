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
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/metric/cluster/random_labellings.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"

/// Clustering by a supervised machine that corrects random labels: docs/algorithms/relabeler.md.
namespace maxmargin {

/// The two-class machine that is fitted to the labels.
enum class RelabelerEngine {
  c_svm,  ///< 1/2 |w|^2 + C sum of hinges
  nu_svm  ///< nu in place of C; every cluster then keeps at least nu/2 of the points
};

template <>
inline constexpr auto names_of<RelabelerEngine> = name_table<RelabelerEngine>(
    {{"svc", RelabelerEngine::c_svm}, {"nu-svc", RelabelerEngine::nu_svm}});

struct MAXMARGIN_EXPORT RelabelerMachineOptions {
  RelabelerEngine engine = RelabelerEngine::c_svm;
  /// Finite and > 0. So small that random labels cannot be fitted, or they are the answer.
  double c = 1;
  /// In (0, 1]; of nu_svm alone.
  double nu = 0.5;
  /// Relative duality gap of a fit; > 0. A fit that is worse than the machine before it is solved
  /// more exactly, so the descent does not depend on it. Of nu_svm: KKT violation over the largest
  /// kernel value, as the optimum is nearly 0 when the labels are random; no fit is repeated.
  double tolerance = 1e-3;
  /// The matrix is not positive semidefinite: fits stop at their KKT violation too, as no duality
  /// holds. The direct multi-class machine does not take one.
  bool indefinite = false;
  /// Options engine, C, nu and tolerance: C is of c_svm alone, nu of nu_svm.
  void describe(OptionVisitor& visit);
};

/// How the temperature falls from T_0 with the number k of steps done.
enum class CoolingSchedule {
  geometric,   ///< T_k = cooling^k T_0
  linear,      ///< T_k = (1 - k / steps) T_0
  logarithmic  ///< T_k = T_0 / ln(e + k)
};

template <>
inline constexpr auto names_of<CoolingSchedule> =
    name_table<CoolingSchedule>({{"geometric", CoolingSchedule::geometric},
                                 {"linear", CoolingSchedule::linear},
                                 {"logarithmic", CoolingSchedule::logarithmic}});

struct MAXMARGIN_EXPORT Cooling {
  CoolingSchedule schedule = CoolingSchedule::geometric;
  /// T_0, in units of what is minimised; > 0.
  double temperature = 10;
  /// In (0, 1); a smaller one cools faster. Of the geometric schedule alone.
  double cooling = 0.96;
  /// The temperature after `step` of `steps` steps. Requires step <= steps.
  [[nodiscard]] double temperature_at(std::size_t step, std::size_t steps) const;
};

/// How likely a label is to be moved before a run starts from it again.
enum class PerturbationLaw {
  constant,  ///< p = p_0
  stall      ///< p = min(0.5, p_0 + 0.05 x steps in a row that left the sum of squares as it was)
};

template <>
inline constexpr auto names_of<PerturbationLaw> = name_table<PerturbationLaw>(
    {{"constant", PerturbationLaw::constant}, {"stall", PerturbationLaw::stall}});

/// How the labellings at which runs end are searched.
enum class RelabelerSearch {
  restarts,  ///< fresh random labels for every run
  climbing,  ///< chains: perturb the labels, run again, keep what is better
  annealing  ///< chains: the same, but worse labels may be accepted (Metropolis)
};

template <>
inline constexpr auto names_of<RelabelerSearch> =
    name_table<RelabelerSearch>({{"restarts", RelabelerSearch::restarts},
                                 {"climbing", RelabelerSearch::climbing},
                                 {"annealing", RelabelerSearch::annealing}});

struct MAXMARGIN_EXPORT RelabelerSearchOptions {
  RelabelerSearch kind = RelabelerSearch::restarts;
  /// Runs of a chain after its first, at least 1, and how the temperature falls over them.
  std::size_t anneal_steps = 60;
  double temperature = 10;
  double cooling = 0.96;
  CoolingSchedule schedule = CoolingSchedule::geometric;
  /// In [0, 1].
  double perturb = 0.1;
  PerturbationLaw perturb_law = PerturbationLaw::constant;
  /// A chain ends once an accepted run has a kernel sum of squares at most this.
  std::optional<double> target = std::nullopt;
  /// The option anneal asks for annealing, perturb and perturb-law without it for climbing; the
  /// others are refused where the search does not have them.
  void describe(OptionVisitor& visit);
};

/// What becomes of more than two clusters.
enum class RelabelerMulticlass {
  recursive,  ///< the cluster of largest kernel sum of squares is split in two, again and again
  direct      ///< one Crammer-Singer machine for all clusters at once
};

template <>
inline constexpr auto names_of<RelabelerMulticlass> = name_table<RelabelerMulticlass>(
    {{"recursive", RelabelerMulticlass::recursive}, {"direct", RelabelerMulticlass::direct}});

struct MAXMARGIN_EXPORT RelabelerOptions {
  /// Number of clusters; at least 1.
  std::size_t k = 2;
  RelabelerMachineOptions machine = {};
  RelabelerSearchOptions search = {};
  RelabelerMulticlass multiclass = RelabelerMulticlass::recursive;
  /// The share of a class's misclassified points that is moved in a step, the worst ones; in (0,
  /// 1]. At least one is.
  double relabel_fraction = 0.5;
  /// A run that ends with a smaller cluster is rejected; >= 1. With fewer than k min_cluster points
  /// it is lowered to n / k.
  std::size_t min_cluster = 2;
  /// Runs (or chains) from different random labels; at least 1.
  std::size_t restarts = 10;
  /// Fits of a run; at least 1.
  std::size_t max_iterations = 300;
  /// Callback: called during and after every fit and while random labels are drawn, from one thread
  /// at a time.
  Context context = {};
  /// Random labellings behind the p-value; 0: none.
  std::size_t labellings = 5000;
  /// Reject runs whose sum of squares is that likely by chance: p-values above this. Unset:
  /// p-values are reported and reject nothing. In (0, 1]; needs `labellings`, which recursive
  /// splits of more than two clusters draw anew for every one.
  std::optional<double> p_value = std::nullopt;
  /// The true class of every row (-1: not known), for the purity in the trace alone; empty: none.
  std::vector<std::int32_t> known_classes = {};

  void describe(OptionVisitor& visit);
};

/// Where one function of a tree sends a point: to another function (>= 0) or to cluster c, written
/// as -1 - c.
struct RelabelerSplit {
  std::int32_t below = -1;      ///< value < 0
  std::int32_t not_below = -1;  ///< value >= 0
};

/// From the values of the functions on a point to its cluster.
struct MAXMARGIN_EXPORT RelabelerRule {
  std::size_t clusters = 1;
  /// A tree that begins at function 0, one entry a function. Empty: one function a cluster, and the
  /// largest value wins, the lowest cluster among equals (one cluster: no function is asked).
  std::vector<RelabelerSplit> tree = {};

  /// The cluster of every row of `values`, which has one column a function.
  [[nodiscard]] std::vector<std::int32_t> clusters_of(DenseView values) const;
  /// Throws InvalidArgument unless every function of the tree is reached once, a child comes after
  /// its parent, every cluster occurs, and the number of functions fits.
  void validate(std::size_t functions) const;
};

/// The machine of a relabeler's final labels: names the cluster of new points.
struct MAXMARGIN_EXPORT RelabelerModel {
  DecisionFunction functions = LinearFunctions{};
  RelabelerRule rule = {};

  /// The cluster of every example. Features as in decision_values.
  [[nodiscard]] std::vector<std::int32_t> predict(
      const Examples& examples, std::optional<std::size_t> threads = std::nullopt) const;
};

/// One fit of a run, measured on the labels it was made for.
struct RelabelStep {
  double kernel_sse = 0;
  /// Primal objective of the machine.
  double objective = 0;
  /// Points on the wrong side, and how many of them were moved.
  std::size_t errors = 0;
  std::size_t flipped = 0;
  /// Share of points on the wrong side.
  double training_error = 0;
  /// With known classes.
  std::optional<double> purity = std::nullopt;
};

/// One run of a chain.
struct RelabelSearchStep {
  double kernel_sse = 0;  ///< where the run ended
  double current = 0;     ///< of the chain's labels after the decision
  /// Of the best run so far: the least of the accepted ones. It can rise once, from the least of
  /// the others when there was no accepted one before.
  double best = 0;
  double temperature = 0;   ///< at the decision; 0 when climbing
  double perturbation = 0;  ///< probability with which labels were moved before the run
  bool accepted = false;
};

/// How the runs ended, all restarts and splits together.
struct RelabelCounts {
  std::size_t runs = 0;
  std::size_t fits = 0;
  std::size_t collapsed = 0;   ///< a cluster below min_cluster, or too light for nu
  std::size_t unfinished = 0;  ///< max_iterations or a stop came first
  std::size_t rejected = 0;    ///< p-value above the threshold
  std::size_t inexact = 0;     ///< fits that did not reach their tolerance

  RelabelCounts& operator+=(const RelabelCounts& other) {
    runs += other.runs;
    fits += other.fits;
    collapsed += other.collapsed;
    unfinished += other.unfinished;
    rejected += other.rejected;
    inexact += other.inexact;
    return *this;
  }
};

/// A clustering from a Gram matrix. Clusters are numbered by size, the largest first, then by
/// their first member.
struct RelabelerClustering {
  std::vector<std::int32_t> labels = {};
  std::vector<std::size_t> sizes = {};
  double kernel_sse = 0;
  /// Points that the machine puts elsewhere (recursive: summed over the splits) over all points; 0
  /// when the status is `solved`, 1 when no labels could be fitted.
  double training_error = 0;
  /// Primal objective of the machine at these labels (recursive: sum over the splits).
  double objective = 0;
  /// The machine: column j holds the coefficients of function j on the points.
  DenseMatrix coefficients = {};
  std::vector<double> offsets = {};
  /// How the functions' values name the cluster.
  RelabelerRule rule = {};
  /// P(random labels have a kernel sum of squares this small); unset when they were not all drawn.
  std::optional<double> p_value = std::nullopt;
  /// What p_value comes from (k clusters, all points).
  std::optional<ChanceLaw> chance = std::nullopt;
  RelabelCounts counts = {};
  /// The restart that was kept, from 0 (recursive: of the first split, as are the traces).
  std::size_t best_restart = 0;
  /// The fits of the run that found the labels, and the runs of its chain.
  std::vector<RelabelStep> trace = {};
  std::vector<RelabelSearchStep> search_trace = {};
  /// primal_objective is the kernel sum of squares, by which runs are compared; iterations are the
  /// fits of the run that was kept. Status `solved`: the machine makes no error on these labels, no
  /// cluster is below min_cluster and no rejection rule is broken. `no_progress`: every run was
  /// rejected, and these labels are the best of them, or (recursive) there are fewer than k
  /// clusters as no other one could be split; the warnings say why.
  SolveReport report = {};
};

/// Clusters the points behind a symmetric Gram matrix. Throws InvalidArgument for a matrix that is
/// not square, holds values that are not finite or has fewer rows than clusters.
[[nodiscard]] MAXMARGIN_EXPORT RelabelerClustering
cluster_relabeler(DenseView gram, const RelabelerOptions& options = {});

/// A clustering of a data set with what it says about new points.
struct TrainedRelabeler {
  RelabelerClustering clustering = {};
  RelabelerModel model = {};
};

/// The same on the Gram matrix of the examples. Labels of the data are looked at for the purity in
/// the trace alone. A kernel that is not positive semidefinite is accepted with a warning, but not
/// by the direct machine. Throws InvalidArgument for it there, for weights (a percentile counts
/// points) and for k above the number of distinct points.
[[nodiscard]] MAXMARGIN_EXPORT TrainedRelabeler
cluster_relabeler(const Dataset& data, const Kernel& kernel, const RelabelerOptions& options = {});

}  // namespace maxmargin
