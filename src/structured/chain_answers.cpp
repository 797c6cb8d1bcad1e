// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/chain.md: N best, and margins.
#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "maxmargin/structured/tasks/chain.hpp"
#include "structured/chain_lattice.hpp"

namespace maxmargin {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// The end of an output, from position t on.
struct Suffix {
  std::size_t t = 0;
  std::size_t state = 0;
  std::size_t longer_by = none;  ///< the suffix without this position
};

/// The suffixes that were begun, and those still to be continued.
class SuffixQueue {
 public:
  void push(double regret, const Suffix& suffix) {
    queue_.emplace(regret, suffix.t, suffixes_.size());
    suffixes_.push_back(suffix);
  }
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  /// Regret and number of the next: least regret, then the longest, then the first pushed.
  std::pair<double, std::size_t> pop() {
    const auto [regret, t, number] = queue_.top();
    queue_.pop();
    return {regret, number};
  }
  [[nodiscard]] const Suffix& operator[](std::size_t number) const { return suffixes_[number]; }

 private:
  using Entry = std::tuple<double, std::size_t, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  std::vector<Suffix> suffixes_;
};

/// The largest score of outputs that go through each state of position t, from t on: B.
std::vector<std::vector<double>> scores_to_the_end(const chain::Lattice& lattice) {
  const std::size_t length = lattice.length();
  std::vector<std::vector<double>> rest(length);
  std::vector<std::size_t> states;
  std::vector<double> steps;
  for (std::size_t t = 0; t < length; ++t) rest[t].assign(lattice.slots(t), impossible);
  lattice.states(length - 1, states);
  for (const std::size_t state : states) rest[length - 1][state] = lattice.ending(state);
  for (std::size_t t = length - 1; t > 0; --t) {
    lattice.states(t, states);
    for (const std::size_t state : states) {
      const double onwards = lattice.own_score(t, state) + rest[t][state];
      lattice.steps_into(t, state, steps);
      for (std::size_t choice = 0; choice < steps.size(); ++choice) {
        double& before = rest[t - 1][lattice.before(t, {.state = state}, choice).state];
        before = std::max(before, steps[choice] + onwards);
      }
    }
  }
  return rest;
}

}  // namespace

std::vector<ScoredLabels> ChainTask::n_best(const Sequence& x,
                                            std::span<const double> w,
                                            std::size_t count) const {
  check(w);
  std::vector<ScoredLabels> answers;
  if (count == 0) return answers;
  if (x.size() == 0) return {ScoredLabels{}};
  chain::Lattice& lattice = chain::lattice_of_thread();
  lattice.set_up(*this, x, w);
  lattice.forward();

  const std::size_t last = x.size() - 1;
  const double best = chain::possible(lattice.best_ending(0)).score;
  SuffixQueue queue;
  std::vector<std::size_t> states;
  lattice.states(last, states);
  for (const std::size_t state : states) {
    const double score = lattice.best(last, {.state = state}) + lattice.ending(state);
    if (score > impossible) queue.push(best - score, {.t = last, .state = state});
  }
  std::vector<double> reached;
  while (answers.size() < count && !queue.empty()) {
    const auto [regret, number] = queue.pop();
    const Suffix suffix = queue[number];
    if (suffix.t == 0) {
      LabelSequence labels;
      for (std::size_t k = number; k != none; k = queue[k].longer_by) {
        labels.push_back(static_cast<std::uint32_t>(lattice.label(queue[k].t, queue[k].state)));
      }
      answers.push_back({.labels = std::move(labels)});
      continue;
    }
    const chain::Place place{.state = suffix.state};
    lattice.steps_into(suffix.t, suffix.state, reached);
    for (std::size_t choice = 0; choice < reached.size(); ++choice) {
      reached[choice] += lattice.best(suffix.t - 1, lattice.before(suffix.t, place, choice));
    }
    const double largest = *std::ranges::max_element(reached);
    for (std::size_t choice = 0; choice < reached.size(); ++choice) {
      if (reached[choice] == impossible) continue;
      queue.push(regret + (largest - reached[choice]),
                 {.t = suffix.t - 1,
                  .state = lattice.before(suffix.t, place, choice).state,
                  .longer_by = number});
    }
  }
  for (ScoredLabels& answer : answers) answer.score = score(x, answer.labels, w);
  return answers;
}

std::vector<double> ChainTask::margins(const Sequence& x, std::span<const double> w) const {
  check(w);
  if (x.size() == 0) return {};
  chain::Lattice& lattice = chain::lattice_of_thread();
  lattice.set_up(*this, x, w);
  lattice.forward();
  const chain::Ending best = chain::possible(lattice.best_ending(0));
  const LabelSequence predicted = lattice.labels_to(best.place);
  const std::vector<std::vector<double>> rest = scores_to_the_end(lattice);
  std::vector<double> margins(x.size());
  std::vector<std::size_t> states;
  for (std::size_t t = 0; t < x.size(); ++t) {
    double other = impossible;
    lattice.states(t, states);
    for (const std::size_t state : states) {
      if (lattice.label(t, state) == predicted[t]) continue;
      other = std::max(other, lattice.best(t, {.state = state}) + rest[t][state]);
    }
    // A tie may come out negative by rounding.
    margins[t] = std::max(0.0, best.score - other);
  }
  return margins;
}

}  // namespace maxmargin
