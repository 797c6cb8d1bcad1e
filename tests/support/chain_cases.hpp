// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/structured/tasks/chain.hpp"

/// Small chains for tests.
namespace maxmargin::chain_cases {

/// Up to three observed features a position, real-valued or ones, some of them beyond `features`;
/// up to two observed features a step where the task has any.
inline Sequence random_sequence(Rng& rng, std::size_t length, const ChainOptions& options) {
  Sequence x;
  const bool has_values = rng.bernoulli(0.5);
  const bool has_steps = options.step_features > 0;
  if (has_steps) x.step_begins = {0};
  for (std::size_t t = 0; t < length; ++t) {
    const std::size_t count = rng.index(4);
    for (std::size_t e = 0; e < count; ++e) {
      x.indices.push_back(static_cast<std::uint32_t>(rng.index(options.features + 1)));
      if (has_values) x.values.push_back(rng.normal());
    }
    x.begins.push_back(x.indices.size());
    if (!has_steps) continue;
    const std::size_t steps = t == 0 ? 0 : rng.index(3);
    for (std::size_t e = 0; e < steps; ++e) {
      x.step_indices.push_back(static_cast<std::uint32_t>(rng.index(options.step_features + 1)));
    }
    x.step_begins.push_back(x.step_indices.size());
  }
  return x;
}

inline LabelSequence random_labels(Rng& rng, std::size_t length, std::size_t labels) {
  LabelSequence y(length);
  for (std::uint32_t& label : y) label = static_cast<std::uint32_t>(rng.index(labels));
  return y;
}

inline std::vector<double> random_weights(Rng& rng, std::size_t size) {
  std::vector<double> w(size);
  for (double& weight : w) weight = rng.normal();
  return w;
}

/// Inputs of lengths 0, 1, ..., longest with random true labels.
inline std::vector<std::pair<Sequence, LabelSequence>> random_samples(Rng& rng,
                                                                      const ChainOptions& options,
                                                                      std::size_t longest) {
  std::vector<std::pair<Sequence, LabelSequence>> samples;
  for (std::size_t length = 0; length <= longest; ++length) {
    samples.emplace_back(random_sequence(rng, length, options),
                         random_labels(rng, length, options.labels));
  }
  return samples;
}

/// Sentences whose labels follow a planted chain: a position shows a word of its label, or now and
/// then any word; a label is mostly followed by the next one.
inline SequenceData planted_chains(std::size_t count, std::size_t labels, std::uint64_t seed) {
  constexpr std::size_t words_a_label = 3;
  Rng rng(seed, "planted chains");
  SequenceData data{.features = labels * words_a_label};
  for (std::size_t i = 0; i < count; ++i) {
    Sequence x;
    LabelSequence y;
    const std::size_t length = 1 + rng.index(6);
    for (std::size_t t = 0; t < length; ++t) {
      const bool follows = t > 0 && rng.bernoulli(0.7);
      const std::size_t label = follows ? (y.back() + 1) % labels : rng.index(labels);
      y.push_back(static_cast<std::uint32_t>(label));
      const std::size_t word = rng.bernoulli(0.2)
                                   ? rng.index(data.features)
                                   : label * words_a_label + rng.index(words_a_label);
      x.indices.push_back(static_cast<std::uint32_t>(word));
      x.begins.push_back(x.indices.size());
    }
    data.inputs.push_back(std::move(x));
    data.labels.push_back(std::move(y));
  }
  return data;
}

}  // namespace maxmargin::chain_cases
