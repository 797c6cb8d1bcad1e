// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "cluster/hierarchical/dendrogram.hpp"
#include "core/vector_clones.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin::hierarchical {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Partial minima of a row, so that the compiler works on whole vector registers.
constexpr std::size_t lanes = 16;

MAXMARGIN_VECTOR_CLONES double least_sum(const double* __restrict a,
                                         const double* __restrict b,
                                         std::size_t count,
                                         double* __restrict least) {
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const double sum = a[i + l] + b[i + l];
      least[l] = sum < least[l] ? sum : least[l];
    }
  }
  for (; i < count; ++i) least[0] = std::min(least[0], a[i] + b[i]);
  double all = least[0];
  for (std::size_t l = 1; l < lanes; ++l) all = std::min(all, least[l]);
  return all;
}

MAXMARGIN_VECTOR_CLONES void add_squares(const double* __restrict x,
                                         double shift,
                                         double* __restrict sum,
                                         std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sum[i] += (x[i] - shift) * (x[i] - shift);
}

/// x_i times 2 w_i v / (w_i + v).
MAXMARGIN_VECTOR_CLONES void scale_by_weights(const double* __restrict weights,
                                              double v,
                                              double* __restrict x,
                                              std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) x[i] *= 2 * weights[i] * v / (weights[i] + v);
}

/// Where the least entry of a + b is, the first of them.
std::size_t first_of_least(std::span<const double> a, std::span<const double> b) {
  std::array<double, lanes> least = {};
  least.fill(infinity);
  const double wanted = least_sum(a.data(), b.data(), a.size(), least.data());
  std::size_t i = 0;
  while (i + 1 < a.size() && a[i] + b[i] != wanted) ++i;
  return i;
}

/// The clusters that are left and their distances; a cluster lives in the row of one of its points.
/// Ward's linkage works on squares.
class ActiveClusters {
 public:
  ActiveClusters(DenseMatrix distances, Linkage linkage, std::vector<double> weights)
      : distances_(std::move(distances)),
        linkage_(linkage),
        weights_(std::move(weights)),
        point_(weights_.size()),
        barred_(weights_.size(), 0.0),
        active_(weights_.size()) {
    std::iota(point_.begin(), point_.end(), std::size_t{0});
    if (linkage_ == Linkage::ward) square();
    for (std::size_t i = 0; i < size(); ++i) distances_(i, i) = infinity;
  }

  /// Rows; some may be of clusters that are gone.
  [[nodiscard]] std::size_t size() const { return weights_.size(); }
  [[nodiscard]] bool is_active(std::size_t i) const { return barred_[i] == 0; }
  /// A point of the cluster in row i.
  [[nodiscard]] std::size_t point(std::size_t i) const { return point_[i]; }
  [[nodiscard]] std::size_t nearest(std::size_t i) const {
    return first_of_least(distances_.row(i), barred_);
  }
  [[nodiscard]] double distance(std::size_t i, std::size_t j) const { return distances_(i, j); }
  [[nodiscard]] double height(std::size_t i, std::size_t j) const {
    return linkage_ == Linkage::ward ? std::sqrt(distances_(i, j)) : distances_(i, j);
  }
  /// Cluster b goes into the row of a.
  void merge(std::size_t a, std::size_t b) {
    const double between = distances_(a, b);
    barred_[b] = infinity;
    --active_;
    for (std::size_t c = 0; c < size(); ++c) {
      if (!is_active(c) || c == a) continue;
      const double updated = merged_distance(a, b, c, between);
      distances_(a, c) = updated;
      distances_(c, a) = updated;
    }
    weights_[a] += weights_[b];
  }
  [[nodiscard]] bool is_half_empty() const { return size() > 64 && 2 * active_ <= size(); }
  /// Drops the rows of clusters that are gone: what is left is looked at many times more. Returns
  /// the new row of every old one.
  std::vector<std::size_t> compact() {
    std::vector<std::size_t> new_row(size(), 0);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < size(); ++i) {
      if (!is_active(i)) continue;
      new_row[i] = kept.size();
      kept.push_back(i);
    }
    // Row r moves to the front, to where only earlier rows have been: in place.
    double* const values = distances_.data();
    const std::size_t width = size();
    for (std::size_t r = 0; r < kept.size(); ++r) {
      for (std::size_t c = 0; c < kept.size(); ++c) {
        values[r * kept.size() + c] = values[kept[r] * width + kept[c]];
      }
      weights_[r] = weights_[kept[r]];
      point_[r] = point_[kept[r]];
    }
    weights_.resize(kept.size());
    point_.resize(kept.size());
    barred_.assign(kept.size(), 0.0);
    Buffer<double> front(std::span<const double>(values, kept.size() * kept.size()));
    distances_ = DenseMatrix(kept.size(), kept.size(), std::move(front));
    return new_row;
  }

 private:
  /// Points of weights w and v at distance d: as single points of a weighted set their Ward
  /// distance is sqrt(2 w v / (w + v)) d.
  void square() {
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t j = 0; j < size(); ++j) {
        const double share = 2 * weights_[i] * weights_[j] / (weights_[i] + weights_[j]);
        distances_(i, j) = share * distances_(i, j) * distances_(i, j);
      }
    }
  }
  /// Of the union of a and b to c (Lance and Williams).
  [[nodiscard]] double merged_distance(std::size_t a,
                                       std::size_t b,
                                       std::size_t c,
                                       double between) const {
    const double to_a = distances_(a, c);
    const double to_b = distances_(b, c);
    const double wa = weights_[a];
    const double wb = weights_[b];
    const double wc = weights_[c];
    switch (linkage_) {
      case Linkage::single:
        return std::min(to_a, to_b);
      case Linkage::complete:
        return std::max(to_a, to_b);
      // The union is no nearer than the nearer part was; rounding must not say otherwise.
      case Linkage::average:
        return std::max(std::min(to_a, to_b), (wa * to_a + wb * to_b) / (wa + wb));
      case Linkage::ward:
        return std::max(std::min(to_a, to_b),
                        ((wa + wc) * to_a + (wb + wc) * to_b - wc * between) / (wa + wb + wc));
    }
    throw InternalError("unknown linkage");
  }

  DenseMatrix distances_;
  Linkage linkage_;
  std::vector<double> weights_;
  std::vector<std::size_t> point_;
  std::vector<double> barred_;  ///< infinity for clusters that are gone, 0 for the others
  std::size_t active_;
};

/// The same for Ward's linkage on points: the means of the clusters, from which distances are
/// computed when they are asked for.
class MeanClusters {
 public:
  MeanClusters(const DenseMatrix& points, std::vector<double> weights)
      : means_(points.cols(), points.rows()),
        width_(points.rows()),
        weights_(std::move(weights)),
        point_(width_),
        barred_(width_, 0.0),
        distances_(width_),
        active_(width_) {
    std::iota(point_.begin(), point_.end(), std::size_t{0});
    for (std::size_t i = 0; i < width_; ++i) {
      for (std::size_t f = 0; f < points.cols(); ++f) means_(f, i) = points(i, f);
    }
  }

  [[nodiscard]] bool is_active(std::size_t i) const { return barred_[i] == 0; }
  [[nodiscard]] std::size_t point(std::size_t i) const { return point_[i]; }
  /// Leaves the squared Ward distances of i in distances_: both ways give the same bits.
  [[nodiscard]] std::size_t nearest(std::size_t i) {
    std::fill_n(distances_.begin(), width_, 0.0);
    for (std::size_t f = 0; f < means_.rows(); ++f) {
      add_squares(means_.row(f).data(), means_(f, i), distances_.data(), width_);
    }
    scale_by_weights(weights_.data(), weights_[i], distances_.data(), width_);
    distances_[i] = infinity;
    return first_of_least({distances_.data(), width_}, {barred_.data(), width_});
  }
  /// Of the i that nearest() was asked for last.
  [[nodiscard]] double distance(std::size_t /*i*/, std::size_t j) const { return distances_[j]; }
  [[nodiscard]] double height(std::size_t /*i*/, std::size_t j) const {
    return std::sqrt(distances_[j]);
  }
  void merge(std::size_t a, std::size_t b) {
    const double share = weights_[b] / (weights_[a] + weights_[b]);
    for (std::size_t f = 0; f < means_.rows(); ++f) {
      means_(f, a) += share * (means_(f, b) - means_(f, a));
    }
    weights_[a] += weights_[b];
    barred_[b] = infinity;
    --active_;
  }
  [[nodiscard]] bool is_half_empty() const { return width_ > 64 && 2 * active_ <= width_; }
  std::vector<std::size_t> compact() {
    std::vector<std::size_t> new_row(width_, 0);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < width_; ++i) {
      if (!is_active(i)) continue;
      new_row[i] = kept;
      for (std::size_t f = 0; f < means_.rows(); ++f) means_(f, kept) = means_(f, i);
      weights_[kept] = weights_[i];
      point_[kept] = point_[i];
      ++kept;
    }
    width_ = kept;
    std::fill_n(barred_.begin(), width_, 0.0);
    return new_row;
  }

 private:
  DenseMatrix means_;  ///< one column a cluster
  std::size_t width_;  ///< columns in use
  std::vector<double> weights_;
  std::vector<std::size_t> point_;
  std::vector<double> barred_;
  std::vector<double> distances_;
  std::size_t active_;
};

/// hierarchical.md step 2.
template <class Clusters>
FoundLinks follow_chains(std::size_t n, Clusters clusters, const AskMerges& ask) {
  std::vector<Link> links;
  std::vector<std::size_t> chain;
  std::vector<char> is_on_chain(n, 0);
  std::size_t lowest = 0;
  const auto extend = [&](std::size_t row) {
    chain.push_back(row);
    is_on_chain[row] = 1;
  };
  while (links.size() + 1 < n) {
    if (chain.empty()) {
      while (!clusters.is_active(lowest)) ++lowest;
      extend(lowest);
    }
    const std::size_t tip = chain.back();
    std::size_t next = clusters.nearest(tip);
    // Of equally near ones the chain's own: else it could go round in circles. An earlier one of
    // the chain is nearest by rounding alone: it is as near as the previous one.
    if (chain.size() > 1) {
      const std::size_t previous = chain[chain.size() - 2];
      const bool is_as_near = clusters.distance(tip, previous) <= clusters.distance(tip, next);
      if (is_as_near || is_on_chain[next] != 0) next = previous;
    }
    if (chain.size() < 2 || next != chain[chain.size() - 2]) {
      extend(next);
      continue;
    }
    const std::size_t a = std::min(tip, next);
    const std::size_t b = std::max(tip, next);
    links.push_back({clusters.point(a), clusters.point(b), clusters.height(tip, next)});
    clusters.merge(a, b);
    chain.resize(chain.size() - 2);
    is_on_chain[a] = 0;
    is_on_chain[b] = 0;
    if (clusters.is_half_empty()) {
      const std::vector<std::size_t> new_row = clusters.compact();
      std::ranges::fill(is_on_chain, 0);
      for (std::size_t& row : chain) {
        row = new_row[row];
        is_on_chain[row] = 1;
      }
      lowest = 0;
    }
    if (links.size() % merges_between_questions == 0) {
      if (const Continue answer = ask(links.size()); answer != Continue::yes) {
        return {std::move(links), answer};
      }
    }
  }
  return {std::move(links), Continue::yes};
}

}  // namespace

FoundLinks neighbour_chain(DenseMatrix distances,
                           Linkage linkage,
                           std::vector<double> weights,
                           const AskMerges& ask) {
  const std::size_t n = weights.size();
  return follow_chains(n, ActiveClusters(std::move(distances), linkage, std::move(weights)), ask);
}

FoundLinks ward_chain(const DenseMatrix& points,
                      std::vector<double> weights,
                      const AskMerges& ask) {
  return follow_chains(points.rows(), MeanClusters(points, std::move(weights)), ask);
}

}  // namespace maxmargin::hierarchical
