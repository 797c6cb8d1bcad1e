// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/problem/structural/risk.hpp"
#include "problem/structural/chain_layout.hpp"

/// Small chains, and everything about them by listing all labellings.
namespace maxmargin {

/// Calls visit(y) for all labels^length labellings, the last position fastest.
template <class Visit>
void for_each_labelling(std::size_t length, std::size_t labels, const Visit& visit) {
  LabelSequence y(length, 0);
  for (;;) {
    visit(y);
    std::size_t t = length;
    while (t > 0 && ++y[t - 1] == labels) y[--t] = 0;
    if (t == 0) return;
  }
}

inline DenseMatrix random_table(std::size_t rows, std::size_t cols, double scale, Rng& rng) {
  DenseMatrix table(rows, cols);
  for (double& value : table.values()) value = scale * rng.normal();
  return table;
}

/// Scores of a chain as plain tables.
struct ChainTables {
  DenseMatrix nodes;
  DenseMatrix transitions;
  std::vector<double> begin;
  std::vector<double> end;

  ChainTables(std::size_t length, std::size_t labels, double scale, Rng& rng)
      : nodes(random_table(length, labels, scale, rng)),
        transitions(random_table(labels, labels, scale, rng)) {
    for (std::size_t j = 0; j < labels; ++j) {
      begin.push_back(scale * rng.normal());
      end.push_back(scale * rng.normal());
    }
  }
  [[nodiscard]] LabelChain chain() const { return LabelChain(transitions.view(), begin, end); }
  [[nodiscard]] double score(const LabelSequence& y) const {
    double sum = 0;
    for (std::size_t t = 0; t < y.size(); ++t) {
      sum += nodes(t, y[t]);
      if (t > 0) sum += transitions(y[t - 1], y[t]);
    }
    return y.empty() ? 0.0 : sum + begin[y.front()] + end[y.back()];
  }
};

/// Random sequences of lengths from 0 to longest, some features at each position.
inline SequenceData random_sequences(std::size_t n,
                                     std::size_t longest,
                                     std::size_t features,
                                     std::size_t labels,
                                     bool with_values,
                                     std::uint64_t seed) {
  Rng rng(seed, "random sequences");
  SequenceData data;
  data.features = features;
  for (std::size_t j = 0; j < labels; ++j) data.label_names.push_back(std::to_string(j));
  for (std::size_t i = 0; i < n; ++i) {
    Sequence sequence;
    LabelSequence y;
    // The first three: the longest, length one, and none.
    const std::size_t length = i == 0 ? longest : i == 1 ? 1 : i == 2 ? 0 : rng.index(longest + 1);
    for (std::size_t t = 0; t < length; ++t) {
      y.push_back(static_cast<std::uint32_t>(rng.index(labels)));
      const std::size_t count = rng.index(4);
      for (std::size_t e = 0; e < count; ++e) {
        sequence.indices.push_back(static_cast<std::uint32_t>(rng.index(features)));
        if (with_values) sequence.values.push_back(rng.normal());
      }
      sequence.begins.push_back(sequence.indices.size());
    }
    data.inputs.push_back(std::move(sequence));
    data.labels.push_back(std::move(y));
  }
  return data;
}

/// Joint features of a labelling, from the definition.
inline FeatureVector chain_features(const ChainLayout& layout,
                                    const Sequence& sequence,
                                    const LabelSequence& y) {
  FeatureVector psi;
  for (std::size_t t = 0; t < y.size(); ++t) {
    for (std::size_t e = sequence.begins[t]; e < sequence.begins[t + 1]; ++e) {
      psi.add(layout.node(sequence.indices[e], y[t]), sequence.value(e));
    }
    if (t > 0) psi.add(layout.transition(y[t - 1], y[t]), 1);
    if (layout.ends && t == 0) psi.add(layout.begin(y[t]), 1);
    if (layout.ends && t + 1 == y.size()) psi.add(layout.end(y[t]), 1);
  }
  psi.settle();
  return psi;
}

/// The structural hinge on chains with all planes listed: Hamming loss, margin rescaling.
class ListedChains final : public StructuralRisk {
 public:
  ListedChains(const SequenceData& data,
               const ChainLayout& layout,
               std::vector<double> weights = {})
      : dimension_(layout.dimension()), weights_(std::move(weights)), planes_(data.size()) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      const LabelSequence& truth = data.labels[i];
      const FeatureVector own = chain_features(layout, data.inputs[i], truth);
      for_each_labelling(truth.size(), layout.labels, [&](const LabelSequence& y) {
        StructuralPlane plane;
        for (std::size_t t = 0; t < y.size(); ++t) plane.offset += y[t] != truth[t] ? 1 : 0;
        plane.slope.add(own, 1);
        plane.slope.add(chain_features(layout, data.inputs[i], y), -1);
        plane.slope.settle();
        planes_[i].push_back(std::move(plane));
      });
    }
  }
  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  [[nodiscard]] std::size_t examples() const override { return planes_.size(); }
  [[nodiscard]] double weight(std::size_t i) const override {
    return weights_.empty() ? 1.0 : weights_[i];
  }
  [[nodiscard]] bool is_exact() const override { return true; }
  void largest_plane(std::size_t i,
                     std::span<const double> w,
                     StructuralPlane& plane) const override {
    double best = -std::numeric_limits<double>::infinity();
    for (const StructuralPlane& each : planes_[i]) {
      const double value = each.offset - each.slope.dot(w);
      if (value > best) {
        best = value;
        plane = each;
      }
    }
  }
  [[nodiscard]] const std::vector<StructuralPlane>& planes(std::size_t i) const {
    return planes_[i];
  }

 private:
  std::size_t dimension_;
  std::vector<double> weights_;
  std::vector<std::vector<StructuralPlane>> planes_;
};

/// The least P by the dual over all labellings: steps between the best plane and the worst of
/// positive weight until nothing is left. Values on both sides of the optimum.
struct ListedOptimum {
  double primal = 0;
  double dual = 0;
  std::vector<double> w;

  ListedOptimum(const ListedChains& risk, double c, double gap, int most_passes = 20000)
      : w(risk.dimension(), 0.0) {
    std::vector<std::vector<double>> weights(risk.examples());
    for (std::size_t i = 0; i < risk.examples(); ++i) {
      weights[i].assign(risk.planes(i).size(), 0.0);
      for (std::size_t p = 0; p < weights[i].size(); ++p) {
        const StructuralPlane& plane = risk.planes(i)[p];
        // The truth is the only plane of offset 0.
        if (plane.offset == 0) weights[i][p] = c * risk.weight(i);
      }
    }
    for (int pass = 0; pass < most_passes; ++pass) {
      // All at one w: gaps that are seen between the steps of other examples may be far smaller.
      double missing = 0;
      for (std::size_t i = 0; i < risk.examples(); ++i) {
        missing += gap_of(risk.planes(i), weights[i], c * risk.weight(i));
      }
      if (missing <= gap) break;
      for (std::size_t i = 0; i < risk.examples(); ++i) step(risk.planes(i), weights[i]);
    }
    dual = 0;
    for (const double x : w) dual -= 0.5 * x * x;
    for (std::size_t i = 0; i < risk.examples(); ++i) {
      for (std::size_t p = 0; p < weights[i].size(); ++p) {
        dual += weights[i][p] * risk.planes(i)[p].offset;
      }
    }
    primal = structural_primal(risk, c, w);
  }

 private:
  [[nodiscard]] std::vector<double> values_of(const std::vector<StructuralPlane>& planes) const {
    std::vector<double> values;
    for (const StructuralPlane& plane : planes) {
      values.push_back(plane.offset - plane.slope.dot(w));
    }
    return values;
  }
  [[nodiscard]] double gap_of(const std::vector<StructuralPlane>& planes,
                              const std::vector<double>& weights,
                              double total) const {
    const std::vector<double> values = values_of(planes);
    double gap = total * *std::ranges::max_element(values);
    for (std::size_t p = 0; p < planes.size(); ++p) gap -= weights[p] * values[p];
    return gap;
  }
  void step(const std::vector<StructuralPlane>& planes, std::vector<double>& weights) {
    std::size_t best = 0;
    std::size_t worst = planes.size();
    const std::vector<double> values = values_of(planes);
    for (std::size_t p = 0; p < planes.size(); ++p) {
      if (values[p] > values[best]) best = p;
      if (weights[p] > 0 && (worst == planes.size() || values[p] < values[worst])) worst = p;
    }
    if (worst == planes.size() || best == worst) return;
    FeatureVector difference;
    difference.add(planes[best].slope, 1);
    difference.add(planes[worst].slope, -1);
    difference.settle();
    const double bend = difference.squared_norm();
    const double size =
        bend > 0 ? std::min(weights[worst], (values[best] - values[worst]) / bend) : weights[worst];
    difference.add_to(size, w);
    weights[worst] -= size;
    weights[best] += size;
  }
};

}  // namespace maxmargin
