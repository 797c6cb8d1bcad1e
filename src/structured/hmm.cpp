// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hmm.md
#include "maxmargin/structured/hmm.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "maxmargin/core/require.hpp"
#include "structured/hmm_scores.hpp"

namespace maxmargin {

namespace {

std::vector<double> logs_of(std::span<const double> numbers) {
  std::vector<double> logs;
  logs.reserve(numbers.size());
  for (const double x : numbers) logs.push_back(std::log(x));
  return logs;
}

LabelChain chain_of(const Hmm& model) {
  DenseMatrix transitions = model.transitions;
  for (double& value : transitions.values()) value = std::log(value);
  return LabelChain(transitions.view(), logs_of(model.start), logs_of(model.end));
}

void require_distribution(std::span<const double> numbers, double more, const std::string& what) {
  const double sum = std::accumulate(numbers.begin(), numbers.end(), more);
  require_field(std::abs(sum - 1) <= 1e-9, "Hmm: the sum of " + what, sum, "1");
}

}  // namespace

HmmScores::HmmScores(const Hmm& model)
    : chain_(chain_of(model)), emissions_(model.symbols(), model.states()) {
  for (std::size_t i = 0; i < model.states(); ++i) {
    for (std::size_t o = 0; o < model.symbols(); ++o) {
      emissions_(o, i) = std::log(model.emissions(i, o));
    }
  }
}

DenseMatrix HmmScores::nodes(const SymbolSequence& symbols) const {
  DenseMatrix nodes(symbols.size(), chain_.labels(), 0.0);
  for (std::size_t t = 0; t < symbols.size(); ++t) {
    if (symbols[t] >= emissions_.rows()) continue;
    std::ranges::copy(emissions_.row(symbols[t]), nodes.row(t).begin());
  }
  return nodes;
}

void Hmm::require_sizes() const {
  require(states() > 0, "Hmm: there must be at least one state");
  require(transitions.rows() == states() && transitions.cols() == states(),
          "Hmm: transitions must be states x states");
  require(emissions.rows() == states() && symbols() > 0, "Hmm: emissions must be states x symbols");
  require(end.empty() || end.size() == states(), "Hmm: end must have one number a state");
  const auto check = [](std::span<const double> numbers) {
    for (const double x : numbers) {
      require_field(x >= 0 && std::isfinite(x), "Hmm: a probability", x, "finite and >= 0");
    }
  };
  check(start);
  check(transitions.values());
  check(emissions.values());
  check(end);
}

void Hmm::validate() const {
  require_sizes();
  require_distribution(start, 0, "start");
  for (std::size_t i = 0; i < states(); ++i) {
    const std::string state = "state " + std::to_string(i);
    require_distribution(
        transitions.row(i), end.empty() ? 0.0 : end[i], "the transitions of " + state);
    require_distribution(emissions.row(i), 0, "the emissions of " + state);
  }
}

double log_joint(const Hmm& model, const SymbolSequence& symbols, const LabelSequence& states) {
  model.require_sizes();
  const HmmScores scores(model);
  return scores.chain().score(scores.nodes(symbols).view(), states);
}

LabelSequence most_likely_states(const Hmm& model, const SymbolSequence& symbols) {
  model.require_sizes();
  const HmmScores scores(model);
  LabelSequence states;
  scores.chain().best(scores.nodes(symbols).view(), states);
  return states;
}

double log_likelihood(const Hmm& model, const SymbolSequence& symbols) {
  model.require_sizes();
  const HmmScores scores(model);
  return scores.chain().log_sum(scores.nodes(symbols).view());
}

DenseMatrix forward_logs(const Hmm& model, const SymbolSequence& symbols) {
  model.require_sizes();
  const HmmScores scores(model);
  return scores.chain().forward_logs(scores.nodes(symbols).view());
}

DenseMatrix backward_logs(const Hmm& model, const SymbolSequence& symbols) {
  model.require_sizes();
  const HmmScores scores(model);
  return scores.chain().backward_logs(scores.nodes(symbols).view());
}

HmmPosterior hmm_posterior(const Hmm& model, const SymbolSequence& symbols) {
  model.require_sizes();
  const HmmScores scores(model);
  const DenseMatrix nodes = scores.nodes(symbols);
  HmmPosterior posterior{.states = DenseMatrix(symbols.size(), model.states()),
                         .transitions = DenseMatrix(model.states(), model.states(), 0.0)};
  posterior.log_likelihood = scores.chain().expectations(
      nodes.view(), posterior.states.view(), posterior.transitions.view());
  return posterior;
}

HmmSample sample_hmm(const Hmm& model, std::size_t length, Rng& rng) {
  model.validate();
  HmmSample sample;
  std::size_t state = 0;
  for (std::size_t t = 0; t < length; ++t) {
    if (t == 0) {
      state = rng.discrete(model.start);
    } else {
      std::vector<double> next(model.transitions.row(state).begin(),
                               model.transitions.row(state).end());
      if (!model.end.empty()) next.push_back(model.end[state]);
      state = rng.discrete(next);
      if (state == model.states()) break;
    }
    sample.states.push_back(static_cast<std::uint32_t>(state));
    sample.symbols.push_back(static_cast<std::uint32_t>(rng.discrete(model.emissions.row(state))));
  }
  return sample;
}

std::vector<SymbolSequence> symbols_of(const SequenceData& data) {
  std::vector<SymbolSequence> all(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Sequence& sequence = data.inputs[i];
    for (std::size_t t = 0; t < sequence.size(); ++t) {
      const auto indices = sequence.indices_at(t);
      if (indices.size() != 1 || sequence.value(sequence.begins[t]) != 1) {
        throw InvalidArgument("sequence " + std::to_string(i + 1) + ", position " +
                              std::to_string(t + 1) + " must have one feature, of value 1");
      }
      all[i].push_back(indices[0]);
    }
  }
  return all;
}

}  // namespace maxmargin
