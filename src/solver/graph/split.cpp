// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/graph/split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "solver/cluster_numbers.hpp"
#include "solver/graph/min_cut.hpp"

namespace maxmargin {

namespace {

double objective_of(const GraphCuts& cuts, CutKind kind) {
  switch (kind) {
    case CutKind::minimum:
      return cuts.cut;
    case CutKind::ratio:
      return cuts.ratio_cut;
    case CutKind::normalized:
      return cuts.normalized_cut;
  }
  throw InternalError("no such cut");
}

/// Sides without an eigenvector: a vote of +-1 decides for new points.
GraphSplit split_by_votes(std::vector<std::int32_t> sides) {
  GraphSplit split{.sides = std::move(sides)};
  for (const std::int32_t side : split.sides) split.values.push_back(side == 1 ? 1.0 : -1.0);
  return split;
}

/// The points by value, the lower index of equal ones first.
std::vector<std::size_t> ascending(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

/// Of the p-th point of an order: the similarity to all points before it, and to all after it.
struct Neighbourhoods {
  std::vector<double> before = {};
  std::vector<double> after = {};
};

Neighbourhoods neighbourhoods(const SimilarityGraph& graph,
                              std::span<const std::size_t> order,
                              std::size_t threads) {
  const std::size_t n = order.size();
  std::vector<std::size_t> place(n);
  for (std::size_t p = 0; p < n; ++p) place[order[p]] = p;
  Neighbourhoods sums{.before = std::vector<double>(n), .after = std::vector<double>(n)};
  constexpr std::size_t chunk = 64;
  parallel_chunks(threads, n, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      double before = 0;
      double after = 0;
      graph.for_each_neighbour(order[p], [&](std::size_t v, double s) {
        if (place[v] < p) {
          before += s;
        } else {
          after += s;
        }
      });
      sums.before[p] = before;
      sums.after[p] = after;
    }
  });
  return sums;
}

/// A side of a cut as it grows point by point.
struct Side {
  double cut = 0;
  double assoc = 0;

  /// Takes in a point with this similarity to those in it and to those not in it.
  void take(double inside, double outside) {
    cut = std::max(0.0, cut + (outside - inside));
    assoc += inside + outside;
  }
};

/// The sides above: element p holds the points after the p-th.
std::vector<Side> sides_after(const Neighbourhoods& sums) {
  std::vector<Side> sides(sums.before.size());
  for (std::size_t p = sides.size() - 1; p > 0; --p) {
    sides[p - 1] = sides[p];
    sides[p - 1].take(sums.after[p], sums.before[p]);
  }
  return sides;
}

/// The threshold of least objective among those halfway between neighbouring values. Equal values
/// stay together, unless all are equal: then the order of the points decides.
double best_threshold(const SimilarityGraph& graph,
                      std::span<const double> values,
                      CutKind kind,
                      std::size_t threads) {
  const std::vector<std::size_t> order = ascending(values);
  const Neighbourhoods sums = neighbourhoods(graph, order, threads);
  // Both sides are summed up from their own ends: as a difference from the total, a few points
  // that hang by little would have nothing at all.
  const std::vector<Side> above = sides_after(sums);
  Side below;
  double least = std::numeric_limits<double>::infinity();
  double threshold = values[order.front()];
  for (std::size_t p = 0; p + 1 < order.size(); ++p) {
    below.take(sums.before[p], sums.after[p]);
    const double low = values[order[p]];
    const double high = values[order[p + 1]];
    if (!(low < high)) continue;
    const bool by_size = kind == CutKind::ratio;
    const double a = by_size ? static_cast<double>(p + 1) : below.assoc;
    const double b = by_size ? static_cast<double>(order.size() - p - 1) : above[p].assoc;
    if (!(a > 0 && b > 0)) continue;
    // The rounding in a cut is that of its side: the lighter one knows it better.
    const double cut = below.assoc <= above[p].assoc ? below.cut : above[p].cut;
    const double objective = cut / a + cut / b;
    if (objective < least) {
      least = objective;
      // low itself where the middle rounds up to high: above means greater.
      threshold = low + (high - low) / 2 < high ? low + (high - low) / 2 : low;
    }
  }
  return threshold;
}

std::vector<std::int32_t> sides_above(std::span<const double> values, double threshold) {
  std::vector<std::int32_t> sides;
  sides.reserve(values.size());
  for (const double value : values) sides.push_back(value > threshold ? 1 : 0);
  return sides;
}

bool has_both(std::span<const std::int32_t> sides) {
  return std::ranges::any_of(sides, [&](std::int32_t side) { return side != sides.front(); });
}

Laplacian laplacian_of(CutKind kind) {
  return kind == CutKind::ratio ? Laplacian::unnormalized : Laplacian::normalized;
}

/// spectral.md: the second eigenvector and its threshold.
GraphSplit split_by_eigenvector(const SimilarityGraph& graph,
                                const GraphSplitOptions& options,
                                const SpectralEmbedding* embedding) {
  SpectralEmbedding own;
  if (embedding == nullptr) {
    SpectralEmbeddingOptions wanted = options.embedding;
    wanted.count = 2;
    wanted.laplacian = laplacian_of(options.kind);
    own = spectral_embedding(graph, wanted);
    embedding = &own;
  }
  const bool normalized = options.kind == CutKind::normalized;
  const double lambda = embedding->eigenvalues[1];
  GraphSplit split{.slope = normalized ? 1 - lambda : 1,
                   .offset = normalized ? 0 : lambda,
                   .status = embedding->status,
                   .iterations = embedding->iterations};
  const std::span<const double> vector = embedding->vectors.row(1);
  for (std::size_t u = 0; u < graph.size(); ++u) {
    split.values.push_back(normalized ? vector[u] / std::sqrt(graph.degrees()[u]) : vector[u]);
  }
  if (options.threshold == CutThreshold::sign) {
    // sign(0) is +: everything above the largest number below 0.
    split.threshold = -std::numeric_limits<double>::denorm_min();
    split.sides = sides_above(split.values, split.threshold);
    if (has_both(split.sides)) return split;
  }
  split.threshold = best_threshold(
      graph, split.values, options.kind, thread_count(options.embedding.context.threads));
  split.sides = sides_above(split.values, split.threshold);
  if (has_both(split.sides)) return split;
  // All values equal, which takes an eigensolver that was stopped: any split is as good.
  split.sides.back() = 1 - split.sides.front();
  std::vector<std::int32_t> sides = std::move(split.sides);
  return split_by_votes(std::move(sides));
}

/// The splitting of a graph into more and more parts.
class Splitting {
 public:
  Splitting(const SimilarityGraph& graph,
            const GraphSplitOptions& options,
            const SpectralEmbedding* embedding)
      : graph_(graph), options_(options), embedding_(embedding) {
    Part whole;
    whole.members.resize(graph.size());
    std::iota(whole.members.begin(), whole.members.end(), std::size_t{0});
    parts_.push_back(std::move(whole));
  }

  [[nodiscard]] std::size_t parts() const { return parts_.size(); }

  /// Splits the part whose own split is cheapest, the first of equals.
  void split_cheapest() {
    for (Part& part : parts_) find_split(part);
    auto cheapest = parts_.end();
    for (auto part = parts_.begin(); part != parts_.end(); ++part) {
      const bool wins = part->split && (cheapest == parts_.end() ||
                                        part->split->objective < cheapest->split->objective);
      if (wins) cheapest = part;
    }
    if (cheapest == parts_.end()) throw InternalError("no part of the graph can be split");
    take_apart(cheapest);
  }

  /// For a run that was told to stop: cuts the largest part, the first of equals, into halves by
  /// the order of its points, which costs no look at the graph.
  void halve_largest(Status status) {
    const auto largest =
        std::ranges::max_element(parts_, {}, [](const Part& part) { return part.members.size(); });
    std::vector<std::int32_t> sides(largest->members.size(), 0);
    std::fill(sides.begin() + static_cast<std::ptrdiff_t>(sides.size() / 2), sides.end(), 1);
    largest->split = split_by_votes(std::move(sides));
    result_.status = worse(result_.status, status);
    take_apart(largest);
  }

  /// The parts as numbered clusters.
  [[nodiscard]] RecursiveSplit finish() {
    std::vector<std::int32_t> labels(graph_.size());
    for (std::size_t c = 0; c < parts_.size(); ++c) {
      for (const std::size_t u : parts_[c].members) labels[u] = static_cast<std::int32_t>(c);
    }
    ClusterNumbers numbers = number_by_size(labels, parts_.size());
    for (std::size_t c = 0; c < parts_.size(); ++c) {
      link(parts_[numbers.old_number[c]], -1 - static_cast<std::int64_t>(c));
    }
    result_.clusters = std::move(numbers.labels);
    return std::move(result_);
  }

 private:
  struct Part {
    std::vector<std::size_t> members = {};
    std::optional<GraphSplit> split = std::nullopt;
    std::size_t parent = 0;
    bool is_above = false;
  };

  /// The part's two sides take its place.
  void take_apart(std::vector<Part>::iterator split) {
    Part part = std::move(*split);
    parts_.erase(split);
    const std::size_t node = result_.nodes.size();
    link(part, static_cast<std::int64_t>(node));
    for (const bool is_above : {false, true}) {
      Part half{.parent = node, .is_above = is_above};
      for (std::size_t i = 0; i < part.members.size(); ++i) {
        if ((part.split->sides[i] == 1) == is_above) half.members.push_back(part.members[i]);
      }
      parts_.push_back(std::move(half));
    }
    result_.nodes.push_back({.split = *std::move(part.split), .members = std::move(part.members)});
  }
  void find_split(Part& part) {
    if (part.split || part.members.size() < 2) return;
    part.split = part.members.size() == graph_.size()
                     ? split_graph(graph_, options_, embedding_)
                     : split_graph(graph_.subgraph(part.members), options_);
    result_.status = worse(result_.status, part.split->status);
    result_.iterations += part.split->iterations;
  }
  /// Tells the part's parent, if it has one, what the part became.
  void link(const Part& part, std::int64_t child) {
    if (result_.nodes.empty()) return;
    RecursiveSplit::Node& parent = result_.nodes[part.parent];
    (part.is_above ? parent.above : parent.below) = child;
  }

  const SimilarityGraph& graph_;
  const GraphSplitOptions& options_;
  const SpectralEmbedding* embedding_;
  std::vector<Part> parts_;
  RecursiveSplit result_;
};

}  // namespace

void GraphSplitOptions::describe(OptionVisitor& visit) {
  visit.name({.name = "threshold", .help = "where an eigenvector is cut"}, threshold);
  embedding.describe(visit);
}

GraphSplit split_graph(const SimilarityGraph& graph,
                       const GraphSplitOptions& options,
                       const SpectralEmbedding* embedding) {
  validate(options);
  require(graph.size() >= 2, "split_graph: there must be at least two points");
  require(embedding == nullptr ||
              (embedding->eigenvalues.size() >= 2 && embedding->vectors.cols() == graph.size()),
          "split_graph: the embedding is not one of this graph with two pairs or more");
  std::vector<std::int32_t> components = graph.components();
  const bool connected = !has_both(components);
  GraphSplit split;
  if (!connected) {
    for (std::int32_t& component : components) component = component == 0 ? 0 : 1;
    split = split_by_votes(std::move(components));
  } else if (options.kind == CutKind::minimum) {
    MinCut cut = min_cut(graph, options.embedding.context.on_progress);
    split = split_by_votes(std::move(cut.sides));
    split.status = cut.status;
    split.iterations = graph.size() - 1;
  } else {
    split = split_by_eigenvector(graph, options, embedding);
  }
  split.objective = objective_of(
      graph_cuts(graph, split.sides, 2, options.embedding.context.threads), options.kind);
  return split;
}

RecursiveSplit split_recursively(const SimilarityGraph& graph,
                                 std::size_t k,
                                 const GraphSplitOptions& options,
                                 const SpectralEmbedding* embedding) {
  validate(options);
  require_field(k >= 1 && k <= graph.size(),
                "split_recursively: k",
                static_cast<double>(k),
                "from 1 to the number of points, " + std::to_string(graph.size()));
  Splitting splitting(graph, options, embedding);
  while (splitting.parts() < k) {
    const Continue answer = options.embedding.context.ask({.phase = "split"});
    if (answer == Continue::yes) {
      splitting.split_cheapest();
    } else {
      splitting.halve_largest(status_of(answer));
    }
  }
  return splitting.finish();
}

}  // namespace maxmargin
