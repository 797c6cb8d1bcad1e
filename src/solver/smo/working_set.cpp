// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/smo.md, steps 1 and 3
#include "solver/smo/working_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

SmoWorkingSet::SmoWorkingSet(std::size_t variables, std::size_t capacity)
    : variables_(variables), capacity_(capacity), scores_(variables), member_(variables, 0) {}

void SmoWorkingSet::restrict_to(std::vector<std::uint32_t> variables) {
  active_ = std::move(variables);
  if (active_.empty()) return;
  // Former members that are left out must not come back: their values are not kept.
  std::erase_if(latest_, [&](std::size_t v) {
    const bool out = !std::ranges::binary_search(active_, static_cast<std::uint32_t>(v));
    if (out) member_[v] = 0;
    return out;
  });
}

template <class Body>
void SmoWorkingSet::for_each_active(const Body& body) const {
  if (active_.empty()) {
    for (std::size_t v = 0; v < variables_; ++v) body(v);
  } else {
    for (const std::uint32_t v : active_) body(v);
  }
}

SmoViolation SmoWorkingSet::violation(const SmoState& state) {
  SmoViolation result;
  if (!state.pairs()) {
    result.top = {0.0};
    result.bottom = {0.0};
    for_each_active([&](std::size_t v) {
      scores_[v] = state.score(v);
      result.finite = result.finite && std::isfinite(scores_[v]);
      if (state.can_grow(v)) result.largest = std::max(result.largest, scores_[v]);
      if (state.can_fall(v)) result.largest = std::max(result.largest, -scores_[v]);
    });
    return result;
  }
  result.top.assign(state.groups(), -infinity);
  result.bottom.assign(state.groups(), infinity);
  for_each_active([&](std::size_t v) {
    scores_[v] = state.score(v);
    result.finite = result.finite && std::isfinite(scores_[v]);
    const std::size_t g = state.group_of(v);
    if (state.can_grow(v)) result.top[g] = std::max(result.top[g], scores_[v]);
    if (state.can_fall(v)) result.bottom[g] = std::min(result.bottom[g], scores_[v]);
  });
  for (std::size_t g = 0; g < state.groups(); ++g) {
    if (std::isinf(result.top[g]) || std::isinf(result.bottom[g])) continue;
    result.largest = std::max(result.largest, result.top[g] - result.bottom[g]);
  }
  return result;
}

bool SmoWorkingSet::could_step(const SmoState& state,
                               const SmoViolation& violation,
                               std::size_t v) const {
  const std::size_t g = state.group_of(v);
  return (state.can_grow(v) && scores_[v] >= violation.bottom[g]) ||
         (state.can_fall(v) && scores_[v] <= violation.top[g]);
}

std::vector<std::uint32_t> SmoWorkingSet::still_active(const SmoState& state,
                                                       const SmoViolation& violation) const {
  std::vector<std::uint32_t> active;
  for_each_active([&](std::size_t v) {
    if (could_step(state, violation, v)) active.push_back(static_cast<std::uint32_t>(v));
  });
  return active;
}

void SmoWorkingSet::take_most_urgent(std::vector<Candidate>& candidates, std::size_t count) {
  const auto before = [](const Candidate& a, const Candidate& b) {
    return a.urgency > b.urgency || (a.urgency == b.urgency && a.variable < b.variable);
  };
  if (candidates.size() > count) {
    std::ranges::nth_element(
        candidates, candidates.begin() + static_cast<std::ptrdiff_t>(count), before);
    candidates.resize(count);
  }
  std::ranges::sort(candidates, before);
  for (const Candidate& candidate : candidates) {
    if (member_[candidate.variable] != 0) continue;
    member_[candidate.variable] = 1;
    set_.push_back(candidate.variable);
  }
}

const std::vector<std::size_t>& SmoWorkingSet::choose(const SmoState& state,
                                                      const SmoViolation& violation,
                                                      std::size_t fresh) {
  for (const std::size_t v : latest_) member_[v] = 0;
  set_.clear();
  const std::size_t groups = state.groups();
  std::vector<std::vector<Candidate>> growing(groups);
  std::vector<std::vector<Candidate>> falling(groups);
  for_each_active([&](std::size_t v) {
    const std::size_t g = state.group_of(v);
    const auto number = static_cast<std::uint32_t>(v);
    if (state.can_grow(v) && scores_[v] > violation.bottom[g]) {
      growing[g].push_back({scores_[v] - violation.bottom[g], number});
    }
    if (state.can_fall(v) && scores_[v] < violation.top[g]) {
      falling[g].push_back({violation.top[g] - scores_[v], number});
    }
  });
  const std::size_t share = std::max<std::size_t>(1, fresh / (2 * groups));
  for (std::size_t g = 0; g < groups; ++g) {
    take_most_urgent(growing[g], share);
    take_most_urgent(falling[g], share);
  }
  for (const std::size_t v : latest_) {
    if (set_.size() >= capacity_) break;
    if (member_[v] != 0 || !could_step(state, violation, v)) continue;
    member_[v] = 1;
    set_.push_back(v);
  }
  latest_ = set_;
  std::ranges::sort(set_, [&](std::size_t a, std::size_t b) {
    const std::size_t group_a = state.group_of(a);
    const std::size_t group_b = state.group_of(b);
    return group_a != group_b ? group_a < group_b : a < b;
  });
  return set_;
}

}  // namespace maxmargin
