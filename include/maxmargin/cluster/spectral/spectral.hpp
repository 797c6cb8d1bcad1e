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
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/solver/graph/similarity_graph.hpp"
#include "maxmargin/solver/graph/split.hpp"

/// Spectral clustering: docs/algorithms/spectral.md.
namespace maxmargin {

enum class SpectralMethod {
  /// k-means on the rows of the first k eigenvectors, scaled to length 1
  ng_jordan_weiss,
  normalized_cut,  ///< two-way normalised cuts, again and again
  ratio_cut,       ///< two-way ratio cuts, again and again
  min_cut          ///< exact minimum cuts, again and again
};

/// The names of the methods in the table of learners.
template <>
inline constexpr auto names_of<SpectralMethod> =
    name_table<SpectralMethod>({{"spectral", SpectralMethod::ng_jordan_weiss},
                                {"normalized-cut", SpectralMethod::normalized_cut},
                                {"ratio-cut", SpectralMethod::ratio_cut},
                                {"min-cut", SpectralMethod::min_cut}});

struct MAXMARGIN_EXPORT SpectralOptions {
  SpectralMethod method = SpectralMethod::ng_jordan_weiss;
  /// Number of clusters; at least 1, at most the number of distinct points.
  std::size_t k = 2;
  /// The similarity: any kernel whose values on the data are >= 0; cuts need no positive
  /// semidefinite one.
  KernelChoice kernel = KernelChoice::with_rule(Rbf{}, GammaRule::neighbour());
  /// Keeps the similarity of two points only when one is among so many nearest (most similar) of
  /// the other; at least 1. Memory grows with n x neighbours then, not with n^2. Unset: all pairs.
  std::optional<std::size_t> neighbours = std::nullopt;
  /// Of normalised and ratio cuts.
  CutThreshold threshold = CutThreshold::sweep;
  /// Runs of k-means (ng_jordan_weiss). At least 1.
  std::size_t restarts = 10;
  /// Passes of each such run. At least 1.
  std::size_t max_iterations = 300;
  /// Passes of moves of single points, after k-means, that lower the normalised cut
  /// (ng_jordan_weiss); 0: none, as in the published method.
  std::size_t refinements = 20;
  /// Of the eigenvectors: |A v - lambda v| <= tolerance |A|.
  double tolerance = 1e-9;
  Context context = {};
  /// The options that the method has.
  void describe(OptionVisitor& visit);
};

/// What a spectral clustering learns. A new point that coincides with a training point in feature
/// space (to rounding; under kernels that are not positive semidefinite: that is equal to one)
/// gets its cluster. For any other the eigenvectors are extended by their own
/// equation (Nystroem's method); then the nearest centre decides (ng_jordan_weiss), or the
/// thresholds from split to split. A point without similarity to any training point is an outlier.
struct MAXMARGIN_EXPORT SpectralModel {
  SpectralMethod method = SpectralMethod::ng_jordan_weiss;
  /// The width resolved.
  Kernel kernel = Rbf{};
  std::optional<std::size_t> neighbours = std::nullopt;
  /// The training points that are in a cluster, and their clusters.
  Examples examples = {};
  std::vector<std::int32_t> clusters = {};
  /// A function a row, a coefficient a training point: the coordinates of the embedding
  /// (ng_jordan_weiss), or the values of each split (0 for points that are not its members).
  DenseMatrix coefficients = {};
  /// ng_jordan_weiss: the centre of each cluster among the embedded points of length 1, one a row.
  DenseMatrix centres = {};
  /// The others: threshold, slope, offset, child below and child above of each split, one a row;
  /// see GraphSplit and RecursiveSplit.
  DenseMatrix splits = {};

  /// What validate() checks: that the parts fit together.
  void describe(OptionVisitor& visit);

  /// Cluster of every row; -1 is an outlier. Checks the examples as cross_gram does.
  [[nodiscard]] std::vector<std::int32_t> predict(
      const Examples& examples, std::optional<std::size_t> threads = std::nullopt) const;
};

/// A clustering by a cut of the similarity graph. Clusters are numbered by size, the largest first,
/// then by their first member.
struct SpectralClustering {
  SpectralModel model = {};
  /// -1: a point without similarity to any other (r(u) = 0), which no cut can place.
  std::vector<std::int32_t> labels = {};
  std::vector<std::size_t> sizes = {};
  /// Of the points in clusters.
  GraphCuts cuts = {};
  /// The k smallest eigenvalues of the Laplacian, ascending. Empty for min_cut and for k = 1.
  std::vector<double> eigenvalues = {};
  /// primal_objective is the normalised cut (ng_jordan_weiss too), the ratio cut or the cut of the
  /// partition; lower_bound holds for every partition into k clusters of the same graph, and is
  /// empty where the eigenvectors (or minimum cuts) were not found to the end.
  SolveReport report = {};
};

/// Clusters the examples of a data set; labels are not looked at. Throws InvalidArgument for no
/// points, for a similarity that is negative or not finite (naming the pair), for k above the
/// number of distinct points, and for weights: no cut here knows what they mean.
[[nodiscard]] MAXMARGIN_EXPORT SpectralClustering cluster_spectral(const Dataset& data,
                                                                   const SpectralOptions& options);

/// The graph that cluster_spectral cuts: kernel values with a zero diagonal, of all pairs (8 n^2
/// bytes) or, with `neighbours`, of the pairs where one is among the most similar of the other.
/// Throws as cluster_spectral does.
[[nodiscard]] MAXMARGIN_EXPORT SimilarityGraph
similarity_graph(const Kernel& kernel,
                 const Examples& examples,
                 std::optional<std::size_t> neighbours = std::nullopt,
                 std::optional<std::size_t> threads = std::nullopt);

/// The `count` smallest eigenvalues of the normalised Laplacian of that graph without its points of
/// degree 0 (outliers, not clusters), ascending, at most one a point: for eigengap_clusters.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<double> spectral_eigenvalues(
    const Dataset& data, std::size_t count, const SpectralOptions& options = {});

}  // namespace maxmargin
