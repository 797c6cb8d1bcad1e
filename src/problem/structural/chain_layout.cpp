// SPDX-License-Identifier: Apache-2.0
#include "problem/structural/chain_layout.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/vector_clones.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

LabelChain chain_of(const ChainLayout& layout, std::span<const double> w) {
  require(w.size() == layout.dimension(), "chain_of: w must have the layout's dimension");
  const std::size_t k = layout.labels;
  const DenseView transitions{w.data() + layout.transition(0, 0), k, k, k};
  if (!layout.ends) return LabelChain(transitions);
  return LabelChain(transitions, w.subspan(layout.begin(0), k), w.subspan(layout.end(0), k));
}

void node_scores(const ChainLayout& layout,
                 const Sequence& sequence,
                 std::span<const double> w,
                 MutableDenseView nodes) {
  require(nodes.rows == sequence.size() && (nodes.rows == 0 || nodes.cols == layout.labels),
          "node_scores: nodes must be positions x labels");
  require(w.size() == layout.dimension(), "node_scores: w must have the layout's dimension");
  for (std::size_t t = 0; t < sequence.size(); ++t) {
    const std::size_t begin = sequence.begins[t];
    const std::size_t count = sequence.begins[t + 1] - begin;
    std::ranges::fill(nodes.row(t), 0.0);
    add_rows(w.data(),
             layout.features,
             std::span(sequence.indices).subspan(begin, count),
             sequence.values.empty() ? std::span<const double>()
                                     : std::span(sequence.values).subspan(begin, count),
             nodes.row(t));
  }
}

std::size_t label_count(const SequenceData& data) {
  std::size_t count = data.label_names.size();
  for (const LabelSequence& labels : data.labels) {
    for (const std::uint32_t label : labels)
      count = std::max<std::size_t>(count, label + std::size_t{1});
  }
  return count;
}

void require_labelled(const char* who, const SequenceData& data) {
  const std::string start = std::string(who) + ": ";
  require(data.labels.size() == data.inputs.size(),
          start + "there must be one sequence of labels for every input");
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Sequence& sequence = data.inputs[i];
    const auto where = [&] { return start + "sequence " + std::to_string(i + 1) + ": "; };
    if (data.labels[i].size() != sequence.size()) {
      throw InvalidArgument(where() + "there must be one label for every position");
    }
    if (sequence.begins.back() != sequence.indices.size() ||
        !std::ranges::is_sorted(sequence.begins) ||
        (!sequence.values.empty() && sequence.values.size() != sequence.indices.size())) {
      throw InvalidArgument(where() + "begins, indices and values do not fit together");
    }
    for (const std::uint32_t feature : sequence.indices) {
      if (feature >= data.features) {
        throw InvalidArgument(where() + "feature " + std::to_string(feature) +
                              " is beyond the number of features");
      }
    }
    for (const double value : sequence.values) {
      if (!std::isfinite(value)) throw InvalidArgument(where() + "a value is not finite");
    }
  }
}

void require_sequence_weights(const char* who,
                              const SequenceData& data,
                              std::span<const double> weights) {
  const std::string start = std::string(who) + ": ";
  require(weights.empty() || weights.size() == data.size(),
          start + "there must be one weight for every sequence");
  for (const double weight : weights) {
    require_field(
        weight >= 0 && std::isfinite(weight), start + "a weight", weight, "finite and >= 0");
  }
}

namespace {

// One clone for the whole loop: a call for every row would cost as much as its sum.
MAXMARGIN_VECTOR_CLONES void add_all(const double* __restrict__ table,
                                     std::size_t rows,
                                     const std::uint32_t* indices,
                                     const double* values,
                                     std::size_t count,
                                     double* __restrict__ sums,
                                     std::size_t length) {
  for (std::size_t e = 0; e < count; ++e) {
    if (indices[e] >= rows) continue;
    const double factor = values != nullptr ? values[e] : 1.0;
    const double* row = table + indices[e] * length;
    for (std::size_t j = 0; j < length; ++j) sums[j] += factor * row[j];
  }
}

}  // namespace

void add_rows(const double* table,
              std::size_t rows,
              std::span<const std::uint32_t> indices,
              std::span<const double> values,
              std::span<double> sums) {
  add_all(table,
          rows,
          indices.data(),
          values.empty() ? nullptr : values.data(),
          indices.size(),
          sums.data(),
          sums.size());
}

}  // namespace maxmargin
