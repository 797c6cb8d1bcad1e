// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/smo.md, steps 4a to 4d
#include "solver/smo/inner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/vector_clones.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t lanes = smo_lanes;

using Wide = double __attribute__((vector_size(lanes * sizeof(double))));
using Loose [[gnu::aligned(alignof(double)), gnu::may_alias]] = Wide;
using Marks = std::int64_t __attribute__((vector_size(lanes * sizeof(std::int64_t))));

MAXMARGIN_INLINE void load(Wide& wide, const double* from) {
  wide = *reinterpret_cast<const Loose*>(from);
}

/// Eight running maxima with the places they were seen first.
struct LaneMaximum {
  Wide value = Wide{} - infinity;
  Marks place = {};

  MAXMARGIN_INLINE void see(const Wide& candidate, const Marks& at) {
    const Marks larger = candidate > value;
    value = larger ? candidate : value;
    place = larger ? at : place;
  }
  /// The largest of the eight, the lowest place among equals.
  MAXMARGIN_INLINE void reduce(double& largest, std::size_t& where) const {
    largest = -infinity;
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
    for (std::size_t l = 0; l < lanes; ++l) {
      if (value[l] < largest || (value[l] == largest && place[l] >= lowest)) continue;
      largest = value[l];
      lowest = place[l];
    }
    where = static_cast<std::size_t>(lowest);
  }
};

MAXMARGIN_INLINE void set_places(Marks& places, std::size_t begin) {
  for (std::size_t l = 0; l < lanes; ++l) places[l] = static_cast<std::int64_t>(begin + l);
}

/// Largest score + mask over [begin, end), both multiples of `lanes` apart.
MAXMARGIN_VECTOR_CLONES void find_up(const double* score,
                                     const double* mask,
                                     std::size_t begin,
                                     std::size_t end,
                                     double* largest,
                                     std::size_t* where) {
  LaneMaximum maximum;
  Marks places;
  set_places(places, begin);
  for (std::size_t k = begin; k < end; k += lanes) {
    Wide s;
    Wide m;
    load(s, score + k);
    load(m, mask + k);
    maximum.see(s + m, places);
    places += static_cast<std::int64_t>(lanes);
  }
  maximum.reduce(*largest, *where);
}

/// The partner of largest gain for a variable of score `top`, and the least score + mask.
template <class T>
struct PartnerSearch {
  const double* score;
  const double* mask;
  const double* diagonal;
  const T* row;
  double top;
  double top_diagonal;
  double least_curvature;
  std::size_t begin;
  std::size_t end;
};
template <class T>
MAXMARGIN_INLINE void search_partner(const PartnerSearch<T>& search,
                                     double* gain,
                                     std::size_t* where,
                                     double* least) {
  LaneMaximum maximum;
  Wide lowest = Wide{} + infinity;
  const Wide zero = {};
  const Wide floor = zero + search.least_curvature;
  Marks places;
  set_places(places, search.begin);
  for (std::size_t k = search.begin; k < search.end; k += lanes) {
    Wide s;
    Wide m;
    Wide d;
    Wide entry;
    load(s, search.score + k);
    load(m, search.mask + k);
    load(d, search.diagonal + k);
    for (std::size_t l = 0; l < lanes; ++l) entry[l] = static_cast<double>(search.row[k + l]);
    const Wide masked = s + m;
    lowest = masked < lowest ? masked : lowest;
    const Wide difference = search.top - masked;
    Wide curvature = (d + search.top_diagonal) - 2 * entry;
    curvature = curvature > floor ? curvature : floor;
    const Wide possible = difference > zero ? difference : zero;
    maximum.see(possible * possible / curvature, places);
    places += static_cast<std::int64_t>(lanes);
  }
  maximum.reduce(*gain, *where);
  *least = infinity;
  for (std::size_t l = 0; l < lanes; ++l) *least = std::min(*least, lowest[l]);
}
MAXMARGIN_VECTOR_CLONES void partner(const PartnerSearch<float>& search,
                                     double* gain,
                                     std::size_t* where,
                                     double* least) {
  search_partner(search, gain, where, least);
}
MAXMARGIN_VECTOR_CLONES void partner(const PartnerSearch<double>& search,
                                     double* gain,
                                     std::size_t* where,
                                     double* least) {
  search_partner(search, gain, where, least);
}

/// score -= step (up_row - low_row)
template <class T>
MAXMARGIN_INLINE void move_scores(
    double* score, const T* up_row, const T* low_row, double step, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    score[k] -= step * (static_cast<double>(up_row[k]) - static_cast<double>(low_row[k]));
  }
}
MAXMARGIN_VECTOR_CLONES void pair_update(
    double* score, const float* up_row, const float* low_row, double step, std::size_t count) {
  move_scores(score, up_row, low_row, step, count);
}
MAXMARGIN_VECTOR_CLONES void pair_update(
    double* score, const double* up_row, const double* low_row, double step, std::size_t count) {
  move_scores(score, up_row, low_row, step, count);
}

}  // namespace

template <class T>
void SmoInner<T>::reset(std::size_t places, bool pairs, double least_curvature) {
  places_ = places;
  pairs_ = pairs;
  least_curvature_ = least_curvature;
  groups_.clear();
  matrix_.resize(places_ * places_);
  for (Buffer<double>* array : {&b_, &lower_, &upper_, &score_, &diagonal_, &ridge_}) {
    array->resize(places_);
    std::fill(array->begin(), array->end(), 0.0);
  }
  up_mask_.resize(places_);
  low_mask_.resize(places_);
  std::fill(up_mask_.begin(), up_mask_.end(), -infinity);
  std::fill(low_mask_.begin(), low_mask_.end(), infinity);
}

template <class T>
void SmoInner<T>::set(std::size_t k, const SmoVariable& variable) {
  b_[k] = variable.b;
  lower_[k] = variable.lower;
  upper_[k] = variable.upper;
  score_[k] = variable.score;
  diagonal_[k] = variable.diagonal + variable.ridge;
  ridge_[k] = variable.ridge;
  refresh_masks(k);
}

template <class T>
void SmoInner<T>::refresh_masks(std::size_t k) {
  up_mask_[k] = b_[k] < upper_[k] ? 0.0 : -infinity;
  low_mask_[k] = b_[k] > lower_[k] ? 0.0 : infinity;
}

template <class T>
typename SmoInner<T>::Choice SmoInner<T>::choose_pair(Range range) const {
  Choice choice;
  double top = 0;
  find_up(score_.data(), up_mask_.data(), range.begin, range.end, &top, &choice.up);
  if (!(top > -infinity)) return choice;
  double least = 0;
  const PartnerSearch<T> search{score_.data(),
                                low_mask_.data(),
                                diagonal_.data(),
                                matrix_.data() + choice.up * places_,
                                top,
                                diagonal_[choice.up],
                                least_curvature_,
                                range.begin,
                                range.end};
  partner(search, &choice.gain, &choice.low, &least);
  choice.violation = top - least;
  return choice;
}

template <class T>
typename SmoInner<T>::Choice SmoInner<T>::choose_single() const {
  Choice choice;
  for (std::size_t k = 0; k < places_; ++k) {
    const bool movable = score_[k] > 0 ? b_[k] < upper_[k] : b_[k] > lower_[k];
    if (!movable || score_[k] == 0) continue;
    choice.violation = std::max(choice.violation, std::abs(score_[k]));
    const double gain = score_[k] * score_[k] / std::max(diagonal_[k], least_curvature_);
    if (gain <= choice.gain) continue;
    choice.gain = gain;
    choice.up = k;
  }
  return choice;
}

template <class T>
bool SmoInner<T>::step_pair(const Choice& choice) {
  const std::size_t i = choice.up;
  const std::size_t j = choice.low;
  const T* up_row = matrix_.data() + i * places_;
  const T* low_row = matrix_.data() + j * places_;
  const double curvature =
      std::max(diagonal_[i] + diagonal_[j] - 2 * static_cast<double>(up_row[j]), least_curvature_);
  double step = (score_[i] - score_[j]) / curvature;
  const double room_up = upper_[i] - b_[i];
  const double room_low = b_[j] - lower_[j];
  const double old_up = b_[i];
  const double old_low = b_[j];
  step = std::min({step, room_up, room_low});
  // A bound that is reached is reached exactly: no point hovers near its bound.
  b_[i] = step == room_up ? upper_[i] : old_up + step;
  b_[j] = step == room_low ? lower_[j] : old_low - step;
  if (b_[i] == old_up && b_[j] == old_low) return false;
  pair_update(score_.data(), up_row, low_row, step, places_);
  score_[i] -= step * ridge_[i];
  score_[j] += step * ridge_[j];
  refresh_masks(i);
  refresh_masks(j);
  return true;
}

template <class T>
bool SmoInner<T>::step_single(std::size_t k) {
  const double old = b_[k];
  b_[k] =
      std::clamp(old + score_[k] / std::max(diagonal_[k], least_curvature_), lower_[k], upper_[k]);
  const double step = b_[k] - old;
  if (step == 0) return false;
  const T* row = matrix_.data() + k * places_;
  for (std::size_t m = 0; m < places_; ++m) score_[m] -= step * static_cast<double>(row[m]);
  score_[k] -= step * ridge_[k];
  return true;
}

template <class T>
std::uint64_t SmoInner<T>::solve(double tolerance, std::uint64_t max_steps) {
  std::uint64_t steps = 0;
  while (steps < max_steps) {
    Choice best;
    if (pairs_) {
      for (const Range& range : groups_) {
        const Choice choice = choose_pair(range);
        const double violation = std::max(best.violation, choice.violation);
        if (choice.gain > best.gain) best = choice;
        best.violation = violation;
      }
    } else {
      best = choose_single();
    }
    if (!(best.violation > tolerance) || !(best.gain > 0)) break;
    if (!(pairs_ ? step_pair(best) : step_single(best.up))) break;
    ++steps;
  }
  return steps;
}

template class SmoInner<float>;
template class SmoInner<double>;

}  // namespace maxmargin
