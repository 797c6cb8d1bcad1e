// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/chain.md
#include "maxmargin/structured/tasks/chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "structured/chain_lattice.hpp"

namespace maxmargin {

namespace {

/// Parts of the least cost that may be the unit, and units that a cost may have.
constexpr std::size_t most_parts = 16;
constexpr double most_units = 1000;

bool is_whole(double x) { return std::abs(x - std::round(x)) <= 1e-9 * std::max(1.0, x); }

std::optional<double> find_unit(std::span<const double> costs) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const double cost : costs) {
    if (cost > 0) least = std::min(least, cost);
    most = std::max(most, cost);
  }
  if (most == 0) return 1.0;
  for (std::size_t parts = 1; parts <= most_parts; ++parts) {
    const double unit = least / static_cast<double>(parts);
    const auto fits = [&](double cost) { return is_whole(cost / unit); };
    if (most / unit <= most_units && std::ranges::all_of(costs, fits)) return unit;
  }
  return std::nullopt;
}

void require_unit(const std::optional<double>& unit) {
  require(unit.has_value(),
          "slack rescaling needs costs that are whole multiples of one unit, at most "
          "1000 of them");
}

void check_table(std::string_view field, std::size_t size, std::size_t wanted) {
  require_field(size == 0 || size == wanted,
                std::string(field) + ".size()",
                static_cast<double>(size),
                "0 or " + std::to_string(wanted));
}

/// Checked, and with the Hamming loss written out.
ChainOptions complete(ChainOptions options) {
  const std::size_t labels = options.labels;
  require_field(labels >= 1 && labels <= std::numeric_limits<std::uint32_t>::max(),
                "labels",
                static_cast<double>(labels),
                ">= 1 and of 32 bits");
  require_field(options.order <= 2, "order", static_cast<double>(options.order), "0, 1 or 2");
  const std::size_t square = checked_multiply(labels, labels);
  check_table("costs", options.costs.size(), square);
  check_table("rules.first", options.rules.first.size(), labels);
  check_table("rules.next", options.rules.next.size(), square);
  check_table("rules.last", options.rules.last.size(), labels);
  if (options.costs.empty()) {
    require_memory_for_numbers(
        labels, labels, "the costs of " + std::to_string(labels) + " labels");
    options.costs.assign(square, 1.0);
    for (std::size_t a = 0; a < labels; ++a) options.costs[a * labels + a] = 0;
  }
  for (std::size_t at = 0; at < square; ++at) {
    const double cost = options.costs[at];
    if (at / labels == at % labels) {
      require_field(cost == 0, "costs of a right label", cost, "0");
    } else {
      require_field(std::isfinite(cost) && cost >= 0, "costs", cost, "finite and >= 0");
    }
  }
  return options;
}

}  // namespace

std::vector<double> costs_of_label_weights(std::span<const double> weights) {
  const std::size_t labels = weights.size();
  std::vector<double> costs(checked_multiply(labels, labels), 0.0);
  for (std::size_t a = 0; a < labels; ++a) {
    for (std::size_t b = 0; b < labels; ++b) {
      if (a != b) costs[a * labels + b] = weights[a];
    }
  }
  return costs;
}

ChainTask::ChainTask(ChainOptions options)
    : options_(complete(std::move(options))), cost_unit_(find_unit(options_.costs)) {
  const std::size_t square = options_.costs.size();
  std::size_t size = 0;
  const auto place = [&](std::size_t block) {
    const std::size_t begin = size;
    size = checked_add(size, block);
    return begin;
  };
  place(checked_multiply(options_.features, labels()));
  steps_ = place(checked_multiply(options_.step_features, square));
  if (options_.order >= 1) pairs_ = place(square);
  if (options_.begin) begin_ = place(labels());
  if (options_.end) end_ = place(labels());
  if (options_.order == 2) {
    triples_ = place(checked_multiply(square, labels()));
    if (options_.begin) begin_pairs_ = place(square);
    if (options_.end) end_pairs_ = place(square);
  }
  dimension_ = size;
}

void ChainTask::check(const Sequence& x, const LabelSequence& y) const {
  if (y.size() != x.size()) {
    throw InvalidArgument(std::to_string(y.size()) + " labels for " + std::to_string(x.size()) +
                          " positions");
  }
  for (const std::uint32_t label : y) {
    if (label >= labels()) {
      throw InvalidArgument("label " + std::to_string(label) + " of " + std::to_string(labels()));
    }
  }
}

void ChainTask::check(std::span<const double> w) const {
  if (w.size() == dimension()) return;
  throw InvalidArgument(std::to_string(w.size()) + " weights, must be " +
                        std::to_string(dimension()));
}

void ChainTask::add_parts(const Sequence& x,
                          const LabelSequence& y,
                          const LabelSequence* other,
                          double factor,
                          FeatureVector& psi) const {
  const std::size_t length = x.size();
  // Whether the last `count` labels up to t are the other's, too.
  const auto is_shared = [&](std::size_t t, std::size_t count) {
    if (other == nullptr) return false;
    for (std::size_t s = t + 1 - count; s <= t; ++s) {
      if (y[s] != (*other)[s]) return false;
    }
    return true;
  };
  for (std::size_t t = 0; t < length; ++t) {
    if (!is_shared(t, 1)) {
      for (std::size_t entry = x.begins[t]; entry < x.begins[t + 1]; ++entry) {
        if (x.indices[entry] >= options_.features) continue;
        psi.add(emission_index(x.indices[entry], y[t]), factor * x.value(entry));
      }
      if (t == 0 && options_.begin) psi.add(begin_index(y[0]), factor);
      if (t + 1 == length && options_.end) psi.add(end_index(y[t]), factor);
    }
    if (t >= 1 && !is_shared(t, 2)) {
      if (options_.order >= 1) psi.add(pair_index(y[t - 1], y[t]), factor);
      for (const std::uint32_t feature : x.step_indices_at(t)) {
        if (feature >= options_.step_features) continue;
        psi.add(step_index(feature, y[t - 1], y[t]), factor);
      }
      if (options_.order == 2) {
        if (t == 1 && options_.begin) psi.add(begin_pair_index(y[0], y[1]), factor);
        if (t + 1 == length && options_.end) psi.add(end_pair_index(y[t - 1], y[t]), factor);
      }
    }
    if (t >= 2 && options_.order == 2 && !is_shared(t, 3)) {
      psi.add(triple_index(y[t - 2], y[t - 1], y[t]), factor);
    }
  }
}

void ChainTask::joint_features(const Sequence& x,
                               const LabelSequence& y,
                               FeatureVector& psi) const {
  check(x, y);
  add_parts(x, y, nullptr, 1, psi);
}

void ChainTask::feature_difference(const Sequence& x,
                                   const LabelSequence& y,
                                   const LabelSequence& rival,
                                   FeatureVector& psi) const {
  check(x, y);
  check(x, rival);
  add_parts(x, y, &rival, 1, psi);
  add_parts(x, rival, &y, -1, psi);
}

double ChainTask::loss(const LabelSequence& truth, const LabelSequence& predicted) const {
  require(truth.size() == predicted.size(), "loss of outputs of different lengths");
  double sum = 0;
  for (std::size_t t = 0; t < truth.size(); ++t) {
    require(truth[t] < labels() && predicted[t] < labels(), "loss of an unknown label");
    sum += options_.costs[truth[t] * labels() + predicted[t]];
  }
  return sum;
}

double ChainTask::score(const Sequence& x,
                        const LabelSequence& y,
                        std::span<const double> w) const {
  check(w);
  FeatureVector psi;
  joint_features(x, y, psi);
  return psi.dot(w);
}

LabelSequence ChainTask::predict(const Sequence& x, std::span<const double> w) const {
  check(w);
  if (x.size() == 0) return {};
  chain::Lattice& lattice = chain::lattice_of_thread();
  lattice.set_up(*this, x, w);
  lattice.forward();
  return lattice.labels_to(chain::possible(lattice.best_ending(0)).place);
}

LabelSequence ChainTask::loss_augmented_argmax(const Sequence& x,
                                               const LabelSequence& truth,
                                               std::span<const double> w) const {
  check(x, truth);
  check(w);
  if (x.size() == 0) return {};
  chain::Lattice& lattice = chain::lattice_of_thread();
  lattice.set_up(*this, x, w);
  lattice.add_costs(truth);
  lattice.forward();
  return lattice.labels_to(chain::possible(lattice.best_ending(0)).place);
}

LabelSequence ChainTask::loss_scaled_argmax(const Sequence& x,
                                            const LabelSequence& truth,
                                            std::span<const double> w) const {
  require_unit(cost_unit_);
  check(x, truth);
  if (x.size() == 0) return {};
  const double own = score(x, truth, w);
  chain::Lattice& lattice = chain::lattice_of_thread();
  lattice.set_up(*this, x, w);
  lattice.count_costs(truth);
  lattice.forward();
  chain::Ending best{.score = -std::numeric_limits<double>::infinity()};
  for (std::size_t layer = 0; layer < lattice.layers(x.size() - 1); ++layer) {
    chain::Ending found = lattice.best_ending(layer);
    if (!std::isfinite(found.score)) continue;
    found.score = static_cast<double>(layer) * *cost_unit_ * (1 + found.score - own);
    if (found.score > best.score) best = found;
  }
  return lattice.labels_to(chain::possible(best).place);
}

std::size_t ChainTask::argmax_bytes(const Sequence& x) const {
  return chain::lattice_bytes(*this, x.size(), nullptr);
}

std::size_t ChainTask::loss_scaled_argmax_bytes(const Sequence& x,
                                                const LabelSequence& truth) const {
  require_unit(cost_unit_);
  check(x, truth);
  return chain::lattice_bytes(*this, x.size(), &truth);
}

void ChainTask::for_each_output(const Sequence& x,
                                const std::function<void(const LabelSequence&)>& visit) const {
  const ChainRules& rules = options_.rules;
  const auto is_allowed = [&](const LabelSequence& y) {
    if (y.empty()) return true;
    bool allowed = rules.allows_first(y.front()) && rules.allows_last(y.back());
    for (std::size_t t = 1; t < y.size(); ++t) {
      allowed = allowed && rules.allows_next(labels(), y[t - 1], y[t]);
    }
    return allowed;
  };
  LabelSequence y(x.size(), 0);
  while (true) {
    if (is_allowed(y)) visit(y);
    // The next in the order of numbers with `labels` digits.
    std::size_t t = y.size();
    while (t > 0 && y[t - 1] + 1 == labels()) y[--t] = 0;
    if (t == 0) return;
    ++y[t - 1];
  }
}

}  // namespace maxmargin
