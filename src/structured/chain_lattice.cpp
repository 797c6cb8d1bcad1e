// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/chain.md
#include "structured/chain_lattice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/memory_limit.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "structured/chain_loops.hpp"

namespace maxmargin::chain {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

/// Room for `size` numbers; what was there stays, and nothing is given back.
void grow(std::vector<double>& table, std::size_t size) {
  if (table.size() < size) table.resize(size);
}

/// A cost in units.
std::size_t units_of(double cost, double unit) {
  return static_cast<std::size_t>(std::llround(cost / unit));
}

void require_room(const ChainTask& task, std::size_t length, const LabelSequence* truth) {
  const std::size_t bytes = lattice_bytes(task, length, truth);
  // Small ones, of which there are many, make no message.
  if (bytes <= machine_memory() / 2) return;
  require_within_limit(
      bytes,
      std::nullopt,
      "an argmax of " + std::to_string(length) + " positions",
      truth != nullptr ? "use shorter sequences or margin rescaling" : "use shorter sequences");
}

}  // namespace

std::size_t lattice_bytes(const ChainTask& task, std::size_t length, const LabelSequence* truth) {
  const std::size_t labels = task.labels();
  const std::size_t padded = padded_labels(labels);
  const std::size_t square = checked_multiply(labels, padded);
  const bool has_pairs = task.options().order == 2;
  const std::size_t slots = has_pairs ? square : padded;
  // Emissions and units; pairs, what was observed, begin, end and M.
  std::size_t numbers = checked_multiply(length, 2 * padded);
  numbers = checked_add(numbers, checked_multiply(4, square));
  if (has_pairs) numbers = checked_add(numbers, checked_multiply(labels + 2, square));
  std::size_t layers = length;
  if (truth != nullptr) {
    std::size_t most = 1;
    layers = 0;
    for (const std::uint32_t label : *truth) {
      most += units_of(std::ranges::max(task.costs_of(label)), task.cost_unit().value());
      layers = checked_add(layers, most);
    }
  }
  return checked_multiply(sizeof(double), checked_add(numbers, checked_multiply(layers, slots)));
}

const Ending& possible(const Ending& found) {
  require(found.score > impossible,
          "the rules allow no output of this length, or weights are not finite");
  return found;
}

void Lattice::set_up(const ChainTask& task, const Sequence& x, std::span<const double> w) {
  task_ = &task;
  x_ = &x;
  w_ = w;
  // Order 0 is order 1 with pairs that weigh nothing: rules and observed steps may still be there.
  const bool pairs_have_weights = task.options().order >= 1;
  order_ = pairs_have_weights ? task.options().order : 1;
  labels_ = task.labels();
  padded_ = padded_labels(labels_);
  length_ = x.size();
  units_.clear();
  require_room(task, length_, nullptr);

  grow(emissions_, length_ * padded_);
  const FeatureRows rows{.w = w, .labels = labels_, .features = task.options().features};
  for (std::size_t t = 0; t < length_; ++t) {
    const double* values = x.values.empty() ? nullptr : x.values.data() + x.begins[t];
    sum_rows(rows, x.indices_at(t), values, emissions_.data() + t * padded_);
  }

  const ChainRules& rules = task.options().rules;
  first_.assign(padded_, 0);
  last_.assign(padded_, 0);
  for (std::size_t q = 0; q < labels_; ++q) {
    if (task.options().begin) first_[q] = w[task.begin_index(q)];
    if (task.options().end) last_[q] = w[task.end_index(q)];
    if (!rules.allows_first(q)) first_[q] = impossible;
    if (!rules.allows_last(q)) last_[q] = impossible;
  }
  grow(pairs_, labels_ * padded_);
  for (std::size_t p = 0; p < labels_; ++p) {
    for (std::size_t q = 0; q < labels_; ++q) {
      pairs_[p * padded_ + q] = !rules.allows_next(labels_, p, q) ? impossible
                                : pairs_have_weights              ? w[task.pair_index(p, q)]
                                                                  : 0.0;
    }
  }
  if (order_ == 2) set_up_order_2();
}

void Lattice::set_up_order_2() {
  grow(triples_, labels_ * labels_ * padded_);
  for (std::size_t o = 0; o < labels_; ++o) {
    for (std::size_t p = 0; p < labels_; ++p) {
      const double* pair = pairs_.data() + p * padded_;
      const double* weights = w_.data() + task_->triple_index(o, p, 0);
      double* row = triples_.data() + (o * labels_ + p) * padded_;
      for (std::size_t q = 0; q < labels_; ++q) row[q] = weights[q] + pair[q];
    }
  }
  grow(last_pairs_, labels_ * padded_);
  for (std::size_t p = 0; p < labels_; ++p) {
    for (std::size_t q = 0; q < labels_; ++q) {
      const std::size_t at = p * padded_ + q;
      last_pairs_[at] = last_[q];
      if (task_->options().end) last_pairs_[at] += w_[task_->end_pair_index(p, q)];
      if (task_->options().begin) pairs_[at] += w_[task_->begin_pair_index(p, q)];
    }
  }
}

void Lattice::add_costs(const LabelSequence& truth) {
  for (std::size_t t = 0; t < length_; ++t) {
    const std::span<const double> costs = task_->costs_of(truth[t]);
    double* scores = emissions_.data() + t * padded_;
    for (std::size_t q = 0; q < labels_; ++q) scores[q] += costs[q];
  }
}

void Lattice::count_costs(const LabelSequence& truth) {
  const double unit = task_->cost_unit().value();
  require_room(*task_, length_, &truth);
  units_.resize(length_ * labels_);
  for (std::size_t t = 0; t < length_; ++t) {
    const std::span<const double> costs = task_->costs_of(truth[t]);
    for (std::size_t q = 0; q < labels_; ++q) {
      units_[t * labels_ + q] = units_of(costs[q], unit);
    }
  }
}

void Lattice::make_room() {
  layers_.resize(length_);
  offsets_.resize(length_);
  std::size_t most = 1;
  std::size_t size = 0;
  for (std::size_t t = 0; t < length_; ++t) {
    if (!units_.empty()) {
      const std::span<const std::size_t> here = std::span(units_).subspan(t * labels_, labels_);
      most += *std::ranges::max_element(here);
    }
    layers_[t] = most;
    offsets_[t] = size;
    size += most * slots(t);
  }
  grow(best_, size);
  // A loss that no output has so far is reached by no step.
  if (!units_.empty()) std::fill_n(best_.begin(), size, impossible);
  grow(reached_, slots(length_ - 1));
}

void Lattice::forward() {
  make_room();
  for (std::size_t q = 0; q < labels_; ++q) {
    best_[units(0, q) * padded_ + q] = first_[q] + emissions_[q];
  }
  for (std::size_t t = 1; t < length_; ++t) {
    observe_step(t);
    for (std::size_t layer = 0; layer < layers_[t - 1]; ++layer) {
      reach(t, layer);
      arrive(t, layer);
    }
  }
}

void Lattice::observe_step(std::size_t t) {
  has_observed_ = !x_->step_indices_at(t).empty();
  if (!has_observed_) return;
  grow(observed_, labels_ * padded_);
  for (std::size_t p = 0; p < labels_; ++p) {
    // Order 1: the steps themselves. Order 2: what the pair of labels adds.
    const double* from =
        order_ == 1 ? pairs_.data() + p * padded_ : emissions_.data() + t * padded_;
    double* row = observed_.data() + p * padded_;
    std::copy_n(from, padded_, row);
    for (const std::uint32_t feature : x_->step_indices_at(t)) {
      if (feature >= task_->options().step_features) continue;
      const double* weights = w_.data() + task_->step_index(feature, p, 0);
      for (std::size_t q = 0; q < labels_; ++q) row[q] += weights[q];
    }
  }
}

void Lattice::reach(std::size_t t, std::size_t layer) {
  const double* before = best_.data() + offsets_[t - 1] + layer * slots(t - 1);
  if (order_ == 1) {
    const MaxPlus table{.before = before,
                        .scores = (has_observed_ ? observed_ : pairs_).data(),
                        .row_stride = padded_,
                        .rows = labels_};
    max_plus(table, padded_, reached_.data());
    return;
  }
  for (std::size_t p = 0; p < labels_; ++p) {
    double* row = reached_.data() + p * padded_;
    if (t == 1) {
      const double* pair = pairs_.data() + p * padded_;
      for (std::size_t q = 0; q < padded_; ++q) row[q] = before[p] + pair[q];
    } else {
      const MaxPlus table{.before = before + p,
                          .stride = padded_,
                          .scores = triples_.data() + p * padded_,
                          .row_stride = labels_ * padded_,
                          .rows = labels_};
      max_plus(table, padded_, row);
    }
  }
}

void Lattice::arrive(std::size_t t, std::size_t layer) {
  const std::size_t rows = has_pairs(t) ? labels_ : 1;
  double* now = best_.data() + offsets_[t];
  for (std::size_t p = 0; p < rows; ++p) {
    const double* reached = reached_.data() + p * padded_;
    const double* own = has_pairs(t) && has_observed_ ? observed_.data() + p * padded_
                                                      : emissions_.data() + t * padded_;
    if (units_.empty()) {
      double* row = now + p * padded_;
      for (std::size_t q = 0; q < padded_; ++q) row[q] = reached[q] + own[q];
      continue;
    }
    for (std::size_t q = 0; q < labels_; ++q) {
      const std::size_t loss = layer + units(t, q);
      now[loss * slots(t) + p * padded_ + q] = reached[q] + own[q];
    }
  }
}

void Lattice::states(std::size_t t, std::vector<std::size_t>& out) const {
  out.clear();
  const std::size_t rows = has_pairs(t) ? labels_ : 1;
  for (std::size_t q = 0; q < labels_; ++q) {
    for (std::size_t p = 0; p < rows; ++p) out.push_back(p * padded_ + q);
  }
}

double Lattice::ending(std::size_t state) const {
  return has_pairs(length_ - 1) ? last_pairs_[state] : last_[state];
}

Ending Lattice::best_ending(std::size_t layer) const {
  Ending found{.score = impossible};
  const std::size_t t = length_ - 1;
  const std::size_t rows = has_pairs(t) ? labels_ : 1;
  for (std::size_t q = 0; q < labels_; ++q) {
    for (std::size_t p = 0; p < rows; ++p) {
      const Place place{.state = p * padded_ + q, .layer = layer};
      const double score = best(t, place) + ending(place.state);
      if (score > found.score) found = {.place = place, .score = score};
    }
  }
  return found;
}

void Lattice::steps_into(std::size_t t, std::size_t state, std::vector<double>& out) const {
  const std::size_t q = label(t, state);
  if (order_ == 2) {
    const std::size_t p = state / padded_;
    if (t == 1) {
      out.assign(1, pairs_[state]);
      return;
    }
    out.resize(labels_);
    for (std::size_t o = 0; o < labels_; ++o) out[o] = triples_[(o * labels_ + p) * padded_ + q];
    return;
  }
  out.resize(labels_);
  for (std::size_t p = 0; p < labels_; ++p) out[p] = pairs_[p * padded_ + q];
  for (const std::uint32_t feature : x_->step_indices_at(t)) {
    if (feature >= task_->options().step_features) continue;
    for (std::size_t p = 0; p < labels_; ++p) out[p] += w_[task_->step_index(feature, p, q)];
  }
}

Place Lattice::before(std::size_t t, Place place, std::size_t choice) const {
  const std::size_t layer = place.layer - units(t, label(t, place.state));
  if (order_ == 1) return {.state = choice, .layer = layer};
  const std::size_t p = place.state / padded_;
  return {.state = t == 1 ? p : choice * padded_ + p, .layer = layer};
}

double Lattice::own_score(std::size_t t, std::size_t state) const {
  const std::size_t q = label(t, state);
  double sum = emissions_[t * padded_ + q];
  if (!has_pairs(t)) return sum;
  for (const std::uint32_t feature : x_->step_indices_at(t)) {
    if (feature >= task_->options().step_features) continue;
    sum += w_[task_->step_index(feature, state / padded_, q)];
  }
  return sum;
}

LabelSequence Lattice::labels_to(Place last) const {
  LabelSequence labels(length_);
  std::vector<double> steps;
  Place place = last;
  for (std::size_t t = length_ - 1; t > 0; --t) {
    labels[t] = static_cast<std::uint32_t>(label(t, place.state));
    steps_into(t, place.state, steps);
    Place chosen = before(t, place, 0);
    double largest = best(t - 1, chosen) + steps[0];
    for (std::size_t choice = 1; choice < steps.size(); ++choice) {
      const Place from = before(t, place, choice);
      const double reached = best(t - 1, from) + steps[choice];
      if (reached > largest) {
        largest = reached;
        chosen = from;
      }
    }
    place = chosen;
  }
  labels[0] = static_cast<std::uint32_t>(label(0, place.state));
  return labels;
}

Lattice& lattice_of_thread() {
  thread_local Lattice lattice;
  return lattice;
}

}  // namespace maxmargin::chain
