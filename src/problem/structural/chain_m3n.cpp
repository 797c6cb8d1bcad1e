// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/m3n.md
#include "problem/structural/chain_m3n.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// w of a point of the dual: costs times the features of the truth less those under the marginals.
class DualWeights {
 public:
  explicit DualWeights(const ChainLayout& layout) : layout_(layout), w_(layout.dimension(), 0.0) {}

  /// `amount` on label u at position t.
  void add_node(const Sequence& sequence, std::size_t t, std::size_t u, double amount) {
    for (std::size_t e = sequence.begins[t]; e < sequence.begins[t + 1]; ++e) {
      w_[layout_.node(sequence.indices[e], u)] += amount * sequence.value(e);
    }
    if (layout_.ends && t == 0) w_[layout_.begin(u)] += amount;
    if (layout_.ends && t + 1 == sequence.size()) w_[layout_.end(u)] += amount;
  }
  void add_pair(std::size_t u, std::size_t v, double amount) {
    w_[layout_.transition(u, v)] += amount;
  }
  [[nodiscard]] double squared_norm() const {
    double sum = 0;
    for (const double x : w_) sum += x * x;
    return sum;
  }

 private:
  const ChainLayout& layout_;
  std::vector<double> w_;
};

/// The largest of loss plus score, less the score of the truth.
double hinge(const ChainM3n& problem,
             const ChainLayout& layout,
             const LabelChain& chain,
             std::span<const double> w,
             std::size_t i) {
  const Sequence& sequence = problem.data->inputs[i];
  const LabelSequence& truth = problem.data->labels[i];
  DenseMatrix nodes(sequence.size(), layout.labels);
  node_scores(layout, sequence, w, nodes.view());
  const double own = chain.score(nodes.view(), truth);
  for (std::size_t t = 0; t < truth.size(); ++t) {
    for (std::size_t u = 0; u < layout.labels; ++u) nodes(t, u) += u != truth[t] ? 1 : 0;
  }
  if (problem.agreement) {
    LabelSequence rival;
    return chain.best(nodes.view(), rival) - own;
  }
  // As printed: every position takes its own best predecessor.
  double sum = -own;
  for (std::size_t t = 0; t < truth.size(); ++t) {
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t v = 0; v < layout.labels; ++v) {
      double here = nodes(t, v);
      if (layout.ends && t == 0) here += w[layout.begin(v)];
      if (layout.ends && t + 1 == truth.size()) here += w[layout.end(v)];
      double arrival = t == 0 ? 0 : -std::numeric_limits<double>::infinity();
      for (std::size_t u = 0; t > 0 && u < layout.labels; ++u) {
        arrival = std::max(arrival, w[layout.transition(u, v)]);
      }
      best = std::max(best, here + arrival);
    }
    sum += best;
  }
  return sum;
}

}  // namespace

ChainLayout ChainM3n::layout() const {
  return {.features = data->features,
          .labels = std::max<std::size_t>(1, label_count(*data)),
          .ends = ends};
}

void ChainM3n::describe(OptionVisitor& visit) {
  visit.number({.name = "C", .help = "weight of the losses; larger fits the sequences closer"},
               c,
               rules::positive);
  visit.yes_no({.name = "ends", .help = "weights for first and last positions"}, ends);
  visit.yes_no({.name = "agreement", .help = "pairs agree with the position before them"},
               agreement);
  visit.check([this] {
    require(data != nullptr, "ChainM3n: there is no data");
    require_labelled("ChainM3n", *data);
    require_sequence_weights("ChainM3n", *data, weights);
  });
}

ChainM3nResiduals residuals(const ChainM3n& problem,
                            std::span<const double> w,
                            std::span<const ChainMarginals> marginals) {
  validate(problem);
  const ChainLayout layout = problem.layout();
  const std::size_t k = layout.labels;
  require(w.size() == layout.dimension() && marginals.size() == problem.data->size(),
          "residuals: w and marginals must fit the problem");
  const LabelChain chain = chain_of(layout, w);
  DualWeights dual_weights(layout);
  ChainM3nResiduals found;
  for (const double x : w) found.primal += 0.5 * x * x;
  for (std::size_t i = 0; i < marginals.size(); ++i) {
    const Sequence& sequence = problem.data->inputs[i];
    const LabelSequence& truth = problem.data->labels[i];
    const auto& [nodes, pairs] = marginals[i];
    const std::size_t length = truth.size();
    require(nodes.rows() == length && pairs.rows() == (length > 0 ? (length - 1) * k : 0),
            "residuals: marginals must have the length of their sequence");
    if (length == 0) continue;
    require(nodes.cols() == k && (length == 1 || pairs.cols() == k),
            "residuals: marginals must have one column a label");
    found.primal += problem.cost(i) * hinge(problem, layout, chain, w, i);
    for (const double value : nodes.values()) found.negative = std::max(found.negative, -value);
    for (const double value : pairs.values()) found.negative = std::max(found.negative, -value);
    for (std::size_t t = 0; t < length; ++t) {
      double sum = 0;
      for (std::size_t u = 0; u < k; ++u) {
        sum += nodes(t, u);
        if (u != truth[t]) found.dual += nodes(t, u);
        dual_weights.add_node(sequence, t, u, -nodes(t, u));
      }
      dual_weights.add_node(sequence, t, truth[t], problem.cost(i));
      found.sum = std::max(found.sum, std::abs(sum - problem.cost(i)));
      if (t == 0) continue;
      dual_weights.add_pair(truth[t - 1], truth[t], problem.cost(i));
      for (std::size_t u = 0; u < k; ++u) {
        double into = 0;
        double from = 0;
        for (std::size_t v = 0; v < k; ++v) {
          into += pairs((t - 1) * k + v, u);
          from += pairs((t - 1) * k + u, v);
          dual_weights.add_pair(u, v, -pairs((t - 1) * k + u, v));
        }
        found.after = std::max(found.after, std::abs(into - nodes(t, u)));
        if (problem.agreement) {
          found.before = std::max(found.before, std::abs(from - nodes(t - 1, u)));
        }
      }
    }
  }
  found.dual -= 0.5 * dual_weights.squared_norm();
  return found;
}

}  // namespace maxmargin
