// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/kernel/gamma.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"

/// Support vector clustering: the least sphere around the data in feature space is, seen from the
/// input space, a contour of several pieces; each piece is a cluster. See
/// docs/algorithms/sv-clustering.md.
namespace maxmargin {

/// Two rows, a < b. Graphs that join near points (Euclidean distance) are lists of such edges: the
/// shortest first, then by their ends. They hold no n x n array. docs/algorithms/sv-clustering.md,
/// step 3.
struct ProximityEdge {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  double squared_length = 0;
};

/// Which pairs of points a method looks at.
enum class ProximityGraph {
  complete,  ///< all pairs
  /// Each point and its nearest neighbours; pieces of that graph are linked by shortest edges.
  knn,
  mst,       ///< the minimum spanning tree
  delaunay,  ///< the edges of the Delaunay triangulation; two features only
  /// All pairs of support vectors on the sphere; other points join the nearest one they see.
  support_vectors
};

template <>
inline constexpr auto names_of<ProximityGraph> =
    name_table<ProximityGraph>({{"complete", ProximityGraph::complete},
                                {"knn", ProximityGraph::knn},
                                {"mst", ProximityGraph::mst},
                                {"delaunay", ProximityGraph::delaunay},
                                {"support-vectors", ProximityGraph::support_vectors}});

/// Each point and its min(k, n - 1) nearest others (ties to the lowest row), with the shortest
/// edges that join the pieces of that graph: it is connected. O(n^2 d) time. Requires k >= 1;
/// throws InvalidArgument for it, for entries that are not finite and for squared distances that
/// overflow, as do the others.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<ProximityEdge> neighbour_graph(
    const Examples& points, std::size_t k, std::optional<std::size_t> threads = std::nullopt);

/// The minimum spanning tree: n - 1 edges. Among trees of equal length the one that prefers edges
/// with lower rows. O(n^2 d) time and a few passes more where points lie in far clusters.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<ProximityEdge> minimum_spanning_tree(
    const Examples& points, std::optional<std::size_t> threads = std::nullopt);

/// The edges of a Delaunay triangulation in the plane. Which side of a line a point lies on is
/// decided exactly; a point counts as inside a circle only when rounding cannot have put it there,
/// so of four points on one circle either diagonal may be drawn. Points on one line are joined one
/// after the other, equal points to the first of them. About O(n^1.5) time for points in general
/// position. Coordinates below 2^-400 of the largest count as 0. Throws InvalidArgument for other
/// than two features.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<ProximityEdge> delaunay_graph(const Examples& points);

/// What is looked at on a segment and of a neighbourhood at most: beyond it memory and time grow
/// for nothing.
inline constexpr std::size_t most_sv_samples = 10'000;
inline constexpr std::size_t most_sv_neighbours = 1'000;

struct MAXMARGIN_EXPORT SvClusteringOptions {
  /// Any kernel of points; a precomputed matrix knows nothing between its points and is refused.
  KernelChoice kernel = {};
  /// Share of the weight that may lie outside the sphere, in [0, 1); 0: none may.
  double nu = 0;
  ProximityGraph graph = ProximityGraph::knn;
  /// Neighbours of each point in the knn graph, and points a new one is held against. From 1 to
  /// most_sv_neighbours.
  std::size_t neighbours = 10;
  /// Places looked at between the ends of a segment. From 1 to most_sv_samples.
  std::size_t samples = 19;
  /// Relative duality gap of the sphere; > 0. The centre is off by the root of the gap at most, so
  /// contours want it smaller than machines do.
  double tolerance = 1e-6;
  /// Steps of the sphere's solver; unset: no limit.
  std::optional<std::uint64_t> max_iterations = std::nullopt;
  /// Accept kernels that are known not to be positive semidefinite.
  bool allow_indefinite = false;
  /// Memory limit: bytes for kernel rows. Callback: called between working sets of the sphere,
  /// parts of the graph and rounds of segments. A run that it stops answers in time that grows like
  /// n d: the clusters are those of a sample of the points, the others go with the nearest of them
  /// (the report's message says so).
  Context context = {};

  void describe(OptionVisitor& visit);
};

/// The sphere, its contour and points of every piece: enough to place new examples.
struct MAXMARGIN_EXPORT SvClusterModel {
  /// f(x) = squared_radius - R^2(x), R^2(x) the squared distance of phi(x) from the centre; its
  /// coefficients are twice the multipliers beta.
  KernelExpansion sphere = {};
  double squared_radius = 0;
  /// x is inside when R^2(x) <= level: squared_radius and what the tolerance leaves open.
  double level = 0;
  /// The distinct training points inside, and the cluster of each, from 0.
  Examples members = {};
  std::vector<std::int32_t> member_clusters = {};
  std::size_t neighbours = 10;
  std::size_t samples = 19;

  /// R^2(x) of every example, in double.
  [[nodiscard]] std::vector<double> squared_distances(
      const Examples& examples, std::optional<std::size_t> threads = std::nullopt) const;

  /// -1 (an outlier) for an example outside the contour; else the cluster of the first of its
  /// `neighbours` nearest members that a segment inside the contour leads to, and if there is none
  /// that of the nearest member. Sparse examples may have fewer or more features (missing = 0,
  /// extra ignored); dense ones of another width throw InvalidArgument.
  [[nodiscard]] std::vector<std::int32_t> predict(
      const Examples& examples, std::optional<std::size_t> threads = std::nullopt) const;

  /// What validate() checks: that the parts fit together.
  void describe(OptionVisitor& visit);
};

/// A clustering by the pieces of a contour. Clusters are numbered by size, the largest first, then
/// by their first member.
struct SvClustering {
  /// -1 is an outlier.
  std::vector<std::int32_t> labels = {};
  std::vector<std::size_t> sizes = {};
  SvClusterModel model = {};
  /// Training rows with 0 < beta < C, on the sphere, and with beta = C, on it or outside.
  std::size_t support_vectors = 0;
  std::size_t bounded = 0;
  /// Rows with label -1: those beyond the level, all of them bounded (or without weight).
  std::size_t outliers = 0;
  /// Segments that were looked at, and those of them that stayed inside.
  std::size_t segments = 0;
  std::size_t segments_inside = 0;
  /// Of the sphere: primal_objective is R^2 + sum C_i zeta_i, dual_objective W(beta), both
  /// recomputed in double from the model.
  SolveReport report = {};
};

/// Clusters the rows of a data set; its weights count, its labels do not. Throws InvalidArgument
/// for bad options or data, for no rows, and for the Delaunay graph of other than two features.
[[nodiscard]] MAXMARGIN_EXPORT SvClustering cluster_sv(const Dataset& data,
                                                       const SvClusteringOptions& options = {});

/// What one width of the kernel gave.
struct SvSweepStep {
  double gamma = 0;
  double squared_radius = 0;
  /// R^2 + sum C_i zeta_i.
  double objective = 0;
  std::size_t clusters = 0;
  std::size_t support_vectors = 0;
  std::size_t bounded = 0;
  std::size_t outliers = 0;
  Status status = Status::solved;
};

struct SvSweep {
  /// In the order of the widths that were asked for; when the caller stopped the run, those before
  /// the width it was at (with that one when none before has an answer).
  std::vector<SvSweepStep> steps = {};
  std::size_t chosen = 0;
  /// The clustering at the chosen width.
  SvClustering clustering = {};
};

/// `count` widths in geometric progression from coarse, 1 / (largest squared distance), to fine,
/// 1 / (median distance to the 5th neighbour)^2, both as resolve_gamma finds them for the distinct
/// examples; one width where the two are equal. Requires count >= 1.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<double> sweep_gammas(const Examples& examples,
                                                                std::size_t count,
                                                                const GammaOptions& options = {});

/// The step a sweep settles for. Steps that failed numerically count only if all did. Steps where
/// more than half of the `rows` are support vectors on the sphere (bounded ones are the share nu
/// that was asked for) follow the points rather than their shape and count only if all the others
/// do. Among the rest: the
/// longest run of equal numbers of clusters above 1 (the earlier of equal ones), in it the step
/// with fewest support vectors (the earliest of equals). Without a run: fewest support vectors over
/// all. Requires a step.
[[nodiscard]] MAXMARGIN_EXPORT std::size_t choose_sweep_step(std::span<const SvSweepStep> steps,
                                                             std::size_t rows);

/// Clusters at every width (options.kernel with another gamma) and keeps the one that
/// choose_sweep_step names. The graph is made once as long as the points inside stay the same.
/// Throws InvalidArgument without widths and for a kernel without gamma.
[[nodiscard]] MAXMARGIN_EXPORT SvSweep sweep_sv_clustering(const Dataset& data,
                                                           std::span<const double> gammas,
                                                           const SvClusteringOptions& options = {});

}  // namespace maxmargin
