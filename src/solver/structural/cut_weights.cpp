// SPDX-License-Identifier: Apache-2.0
#include "solver/structural/cut_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/blas.hpp"

namespace maxmargin {

std::size_t CutWeights::add(std::vector<double> products, double offset, double mean_product) {
  const std::size_t k = size();
  for (std::size_t l = 0; l < k; ++l) products_[l].push_back(products[l]);
  products_.push_back(std::move(products));
  mean_products_.push_back(mean_product);
  offsets_.push_back(offset);
  weights_.push_back(0);
  idle_.push_back(0);
  slopes_.push_back(0);
  return k;
}

void CutWeights::erase(std::size_t k) {
  const auto at = static_cast<std::ptrdiff_t>(k);
  offsets_.erase(offsets_.begin() + at);
  products_.erase(products_.begin() + at);
  for (std::vector<double>& row : products_) row.erase(row.begin() + at);
  mean_products_.erase(mean_products_.begin() + at);
  weights_.erase(weights_.begin() + at);
  idle_.erase(idle_.begin() + at);
  slopes_.erase(slopes_.begin() + at);
}

void CutWeights::set_multiplier() {
  if (!(mean_norm_ > 0)) return;
  // The mean score is mean_score - u |m|^2: u brings it to the limit where it is beyond.
  const double next =
      std::copysign(std::max(0.0, std::abs(mean_score_) - limit_), mean_score_) / mean_norm_;
  if (next == u_) return;
  for (std::size_t k = 0; k < size(); ++k) slopes_[k] += (next - u_) * mean_products_[k];
  u_ = next;
}

void CutWeights::refresh() {
  double sum = 0;
  mean_score_ = 0;
  for (std::size_t k = 0; k < size(); ++k) {
    sum += weights_[k];
    mean_score_ += weights_[k] * mean_products_[k];
  }
  slack_ = std::max(0.0, total_ - sum);
  for (std::size_t k = 0; k < size(); ++k) {
    slopes_[k] = offsets_[k] - dot(products_[k], weights_) + u_ * mean_products_[k];
  }
  set_multiplier();
}

bool CutWeights::solve(double gap) {
  const std::size_t slack = size();
  const std::size_t most_steps = 200 * (size() + 10);
  bool ends = false;
  refresh();
  for (std::size_t step = 0; step < most_steps; ++step) {
    if (step % 1000 == 999) refresh();
    // The slack has slope 0 and no vector.
    std::size_t up = slack;
    std::size_t down = slack;
    double highest = 0;
    double lowest = slack_ > 0 ? 0.0 : std::numeric_limits<double>::infinity();
    double spent = 0;
    for (std::size_t k = 0; k < size(); ++k) {
      spent += weights_[k] * slopes_[k];
      if (slopes_[k] > highest) {
        highest = slopes_[k];
        up = k;
      }
      if (weights_[k] > 0 && slopes_[k] < lowest) {
        lowest = slopes_[k];
        down = k;
      }
    }
    ends = total_ * highest - spent <= gap || up == down;
    if (ends) break;
    const double curvature = (up == slack ? 0.0 : entry(up, up)) +
                             (down == slack ? 0.0 : entry(down, down)) -
                             (up == slack || down == slack ? 0.0 : 2 * entry(up, down));
    const double room = down == slack ? slack_ : weights_[down];
    const double move = curvature > 0 ? std::min(room, (highest - lowest) / curvature) : room;
    ends = !(move > 0);
    if (ends) break;
    if (up != slack) {
      weights_[up] += move;
      mean_score_ += move * mean_products_[up];
    } else {
      slack_ += move;
    }
    if (down != slack) {
      weights_[down] = move == room ? 0.0 : weights_[down] - move;
      mean_score_ -= move * mean_products_[down];
    } else {
      slack_ = move == room ? 0.0 : slack_ - move;
    }
    for (std::size_t k = 0; k < size(); ++k) {
      if (up != slack) slopes_[k] -= move * entry(k, up);
      if (down != slack) slopes_[k] += move * entry(k, down);
    }
    set_multiplier();
  }
  for (std::size_t k = 0; k < size(); ++k) idle_[k] = weights_[k] > 0 ? 0 : idle_[k] + 1;
  return ends;
}

double CutWeights::reduced_slack() const {
  double slack = 0;
  for (std::size_t k = 0; k < size(); ++k) {
    slack = std::max(slack, offsets_[k] - dot(products_[k], weights_));
  }
  return slack;
}

}  // namespace maxmargin
