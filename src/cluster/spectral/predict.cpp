// SPDX-License-Identifier: Apache-2.0
//
// Spectral clusters of new points: the eigenvectors extended by their own equations.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "cluster/equal_rows.hpp"
#include "cluster/spectral/neighbour_lists.hpp"
#include "cluster/spectral/require_similarity.hpp"
#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/cluster/spectral/spectral.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

namespace maxmargin {

namespace {

/// Rows whose similarities are held at once.
constexpr std::size_t batch_rows = 512;

void require_whole(const SpectralModel& model) {
  const std::size_t n = model.examples.rows();
  const bool by_centres = model.method == SpectralMethod::ng_jordan_weiss;
  require(n > 0 && model.clusters.size() == n,
          "there must be training points, each with a cluster");
  for (const std::int32_t c : model.clusters) {
    const bool named =
        by_centres ? static_cast<std::size_t>(c) < std::max<std::size_t>(model.centres.rows(), 1)
                   : static_cast<std::size_t>(c) <= model.splits.rows();
    require(c >= 0 && named, "there is no cluster " + std::to_string(c));
  }
  const std::size_t functions = model.coefficients.rows();
  require(functions == 0 || model.coefficients.cols() == n,
          "the coefficients must have a column for every training point");
  require(!by_centres || model.centres.cols() == functions,
          "the centres must have a column for every function");
  const bool whole_splits =
      model.splits.rows() == functions && (functions == 0 || model.splits.cols() == 5);
  require(by_centres || whole_splits, "the splits must have five numbers for every function");
}

/// Which clusters lie below each split; checks the tree, as it may come from a file.
class SplitTree {
 public:
  explicit SplitTree(const SpectralModel& model) : model_(model) {
    if (model.method == SpectralMethod::ng_jordan_weiss) return;
    const std::size_t nodes = model.splits.rows();
    clusters_.assign(nodes, std::vector<char>(nodes + 1, 0));
    for (std::size_t node = nodes; node-- > 0;) {
      for (const std::size_t column : {std::size_t{3}, std::size_t{4}}) add_child(node, column);
    }
  }
  [[nodiscard]] bool holds(std::size_t node, std::int32_t cluster) const {
    return clusters_[node][static_cast<std::size_t>(cluster)] != 0;
  }
  /// The child on a side: a node, or -1 - cluster.
  [[nodiscard]] std::int64_t child(std::size_t node, bool above) const {
    return static_cast<std::int64_t>(model_.splits(node, above ? 4 : 3));
  }

 private:
  /// Children come after their parents: one walk from the back sees every subtree whole.
  void add_child(std::size_t node, std::size_t column) {
    const double value = model_.splits(node, column);
    const auto nodes = static_cast<double>(clusters_.size());
    const bool is_node = value > static_cast<double>(node) && value < nodes;
    const bool is_cluster = value < 0 && value >= -1 - nodes;
    require(value == std::floor(value) && (is_node || is_cluster),
            "the splits: row " + std::to_string(node) + " has no child " + format_number(value));
    if (is_cluster) {
      clusters_[node][static_cast<std::size_t>(-1 - value)] = 1;
      return;
    }
    const std::vector<char>& below = clusters_[static_cast<std::size_t>(value)];
    for (std::size_t c = 0; c < below.size(); ++c) {
      if (below[c] != 0) clusters_[node][c] = 1;
    }
  }

  const SpectralModel& model_;
  std::vector<std::vector<char>> clusters_;
};

/// Finds training points that a new point coincides with. Under a positive semidefinite kernel they
/// are at distance 0 in feature space, up to rounding; under any other the differences of kernel
/// values are no distances, and the numbers themselves must be equal. A matrix of new against
/// training points says neither.
class EqualRows {
 public:
  EqualRows(const SpectralModel& model, std::optional<std::size_t> threads)
      : model_(model),
        threads_(threads),
        precomputed_(std::holds_alternative<Precomputed>(model.kernel)),
        in_feature_space_(!precomputed_ && is_psd(model.kernel)),
        diagonal_(diagonal_of(model.examples)) {}

  /// k(x, x) of new points, where it is needed.
  [[nodiscard]] std::vector<double> diagonal_of(const Examples& examples) const {
    if (!in_feature_space_) return {};
    return kernel_diagonal(model_.kernel, examples, {.context = {.threads = threads_}});
  }

  /// The first row equal to x = row i of the points whose diagonal_of is `own`.
  [[nodiscard]] std::optional<std::size_t> first_of(const Row& x,
                                                    std::size_t i,
                                                    std::span<const double> own,
                                                    std::span<const double> similarities) const {
    if (precomputed_) return std::nullopt;
    constexpr double rounding = 1e-12;
    for (std::size_t j = 0; j < similarities.size(); ++j) {
      if (!in_feature_space_) {
        if (rows_are_equal(x, model_.examples.row(j))) return j;
        continue;
      }
      const double both = own[i] + diagonal_[j];
      if (both > 0 && both - 2 * similarities[j] <= rounding * both) return j;
    }
    return std::nullopt;
  }

 private:
  const SpectralModel& model_;
  std::optional<std::size_t> threads_;
  bool precomputed_;
  bool in_feature_space_;
  std::vector<double> diagonal_;
};

/// One new point and its similarities to the training points.
class Newcomer {
 public:
  Newcomer(const SpectralModel& model, const SplitTree& tree, std::span<double> similarities)
      : model_(model), tree_(tree), similarities_(similarities) {}

  [[nodiscard]] std::int32_t cluster() {
    if (model_.neighbours) keep_nearest(*model_.neighbours);
    if (std::ranges::none_of(similarities_, [](double s) { return s > 0; })) return -1;
    if (model_.coefficients.rows() == 0) return 0;
    return model_.method == SpectralMethod::ng_jordan_weiss ? nearest_centre() : descend();
  }

 private:
  void keep_nearest(std::size_t count) {
    spectral::NeighbourList nearest(count);
    for (std::size_t i = 0; i < similarities_.size(); ++i) nearest.offer(i, similarities_[i]);
    std::ranges::fill(similarities_, 0.0);
    for (const auto& [similarity, i] : nearest.entries()) similarities_[i] = similarity;
  }
  [[nodiscard]] std::int32_t nearest_centre() const {
    std::vector<double> point(model_.coefficients.rows());
    gemv(Transpose::no, 1.0, model_.coefficients.view(), similarities_, 0.0, point);
    const double length = std::sqrt(dot(point, point));
    double least = std::numeric_limits<double>::infinity();
    std::int32_t cluster = -1;
    for (std::size_t c = 0; c < model_.centres.rows(); ++c) {
      double distance = 0;
      for (std::size_t j = 0; j < point.size(); ++j) {
        const double unit = length > 0 ? point[j] / length : 0.0;
        distance += (unit - model_.centres(c, j)) * (unit - model_.centres(c, j));
      }
      if (distance < least) {
        least = distance;
        cluster = static_cast<std::int32_t>(c);
      }
    }
    return cluster;
  }
  /// The value of a split at this point against its threshold, from the split's members alone.
  [[nodiscard]] bool is_above(std::size_t node) const {
    const std::span<const double> values = model_.coefficients.row(node);
    const std::span<const double> split = model_.splits.row(node);
    double weighted = 0;
    double total = 0;
    double votes = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!tree_.holds(node, model_.clusters[i])) continue;
      weighted += similarities_[i] * values[i];
      total += similarities_[i];
      votes += values[i] > split[0] ? similarities_[i] : -similarities_[i];
    }
    // Where the equation has no positive factor (an eigenvalue beyond r(x)) the members vote.
    const double denominator = split[1] * total - split[2];
    return denominator > 0 ? weighted > split[0] * denominator : votes > 0;
  }
  [[nodiscard]] std::int32_t descend() const {
    std::int64_t node = 0;
    while (node >= 0) {
      const auto at = static_cast<std::size_t>(node);
      node = tree_.child(at, is_above(at));
    }
    return static_cast<std::int32_t>(-1 - node);
  }

  const SpectralModel& model_;
  const SplitTree& tree_;
  std::span<double> similarities_;
};

void require_similarities(std::span<const double> similarities, std::size_t row) {
  for (std::size_t i = 0; i < similarities.size(); ++i) {
    spectral::require_similarity(similarities[i], "new and training point", row, i);
  }
}

}  // namespace

void SpectralModel::describe(OptionVisitor& visit) {
  visit.check([this] {
    require_whole(*this);
    (void)SplitTree(*this);
  });
}

std::vector<std::int32_t> SpectralModel::predict(const Examples& new_examples,
                                                 std::optional<std::size_t> threads) const {
  require_whole(*this);
  const SplitTree tree(*this);
  const std::size_t m = new_examples.rows();
  std::vector<std::int32_t> labels(m);
  const EqualRows equal_rows(*this, threads);
  for (std::size_t begin = 0; begin < m; begin += batch_rows) {
    std::vector<std::size_t> rows;
    for (std::size_t i = begin; i < std::min(m, begin + batch_rows); ++i) rows.push_back(i);
    const Examples batch = new_examples.select(rows);
    DenseMatrix cross = cross_gram(kernel, batch, examples, {.context = {.threads = threads}});
    const std::vector<double> own = equal_rows.diagonal_of(batch);
    constexpr std::size_t chunk = 16;
    const ChunkBody some_rows = [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        require_similarities(cross.row(i), begin + i);
        Newcomer point(*this, tree, cross.row(i));
        const auto equal = equal_rows.first_of(batch.row(i), i, own, cross.row(i));
        labels[begin + i] = equal ? clusters[*equal] : point.cluster();
      }
    };
    parallel_chunks(thread_count(threads), rows.size(), chunk, some_rows);
  }
  return labels;
}

}  // namespace maxmargin
