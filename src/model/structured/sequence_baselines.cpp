// SPDX-License-Identifier: Apache-2.0
#include "model/structured/sequence_baselines.hpp"

#include <string>
#include <utility>

#include "maxmargin/core/require.hpp"
#include "solver/structural/chain_crf.hpp"
#include "structured/averaged_perceptron.hpp"

namespace maxmargin {

namespace {

/// Calls visit(place in the task, place in the layout) for every weight. Both have the same
/// weights, and today even in the same order; nothing here relies on the order.
template <class Visit>
void for_each_weight(const ChainTask& task, const ChainLayout& layout, const Visit& visit) {
  for (std::size_t f = 0; f < layout.features; ++f) {
    for (std::size_t y = 0; y < layout.labels; ++y) {
      visit(task.emission_index(f, y), layout.node(f, y));
    }
  }
  for (std::size_t from = 0; from < layout.labels; ++from) {
    for (std::size_t to = 0; to < layout.labels; ++to) {
      visit(task.pair_index(from, to), layout.transition(from, to));
    }
  }
  for (std::size_t y = 0; y < layout.labels; ++y) {
    visit(task.begin_index(y), layout.begin(y));
    visit(task.end_index(y), layout.end(y));
  }
}

/// The CRF that has the task's weights.
ChainCrf crf_of(const ChainTask& task, const SequenceData& data) {
  const ChainOptions& chain = task.options();
  require(chain.order == 1, "a CRF has weights of pairs of labels: its order must be 1");
  require(chain.step_features == 0,
          data.source + ": a CRF has no weights for features of steps (B lines with macros)");
  require(chain.begin && chain.end, "a CRF needs weights for first and last labels");
  ChainCrf crf(data);
  const ChainLayout& layout = crf.layout();
  require(layout.labels == chain.labels && layout.features == chain.features,
          data.source + ": labels or features are not those of the tagger");
  return crf;
}

}  // namespace

StructuralSolution train_chain_crf(const ChainTask& task,
                                   const SequenceData& data,
                                   const StructuralOptions& options) {
  const ChainCrf crf = crf_of(task, data);
  StructuralSolution solution = solve_chain_crf(crf, options);
  std::vector<double> weights(task.dimension(), 0.0);
  for_each_weight(task, crf.layout(), [&](std::size_t in_task, std::size_t in_layout) {
    weights[in_task] = solution.w[in_layout];
  });
  solution.w = std::move(weights);
  return solution;
}

StructuralSolution train_chain_perceptron(const ChainTask& task,
                                          const SequenceData& data,
                                          const StructuralOptions& options) {
  return train_averaged_perceptron(
      task,
      std::span(data.inputs),
      std::span(data.labels),
      {.max_passes = options.passes(online_passes), .context = options.context});
}

double plain_crf_objective(const ChainTask& task,
                           const SequenceData& data,
                           double c,
                           std::span<const double> weights) {
  const ChainCrf crf = crf_of(task, data);
  std::vector<double> w(crf.dimension(), 0.0);
  for_each_weight(task, crf.layout(), [&](std::size_t in_task, std::size_t in_layout) {
    w[in_layout] = weights[in_task];
  });
  return crf.plain_objective(c, w);
}

}  // namespace maxmargin
