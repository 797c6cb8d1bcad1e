// SPDX-License-Identifier: Apache-2.0
#include "solver/cut_qp.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "maxmargin/linalg/blas.hpp"

namespace maxmargin::detail {

CutQp::CutQp(double total, std::vector<double> mean, double limit)
    : total_(total), mean_(std::move(mean)), limit_(limit), slack_(total) {
  if (!mean_.empty()) mean_norm_ = dot(mean_, mean_);
}

std::size_t CutQp::add(std::vector<double> gradient, double offset) {
  const std::size_t k = size();
  std::vector<double> row(k + 1);
  for (std::size_t l = 0; l < k; ++l) {
    row[l] = dot(gradients_[l], gradient);
    products_[l].push_back(row[l]);
  }
  row[k] = dot(gradient, gradient);
  products_.push_back(std::move(row));
  mean_products_.push_back(mean_.empty() ? 0.0 : dot(mean_, gradient));
  gradients_.push_back(std::move(gradient));
  offsets_.push_back(offset);
  weights_.push_back(0);
  idle_.push_back(0);
  slopes_.push_back(0);
  return k;
}

void CutQp::erase(std::size_t k) {
  const auto at = static_cast<std::ptrdiff_t>(k);
  gradients_.erase(gradients_.begin() + at);
  offsets_.erase(offsets_.begin() + at);
  products_.erase(products_.begin() + at);
  for (std::vector<double>& row : products_) row.erase(row.begin() + at);
  mean_products_.erase(mean_products_.begin() + at);
  weights_.erase(weights_.begin() + at);
  idle_.erase(idle_.begin() + at);
  slopes_.erase(slopes_.begin() + at);
}

void CutQp::set_multiplier() {
  if (!(mean_norm_ > 0)) return;
  // The mean score is mean_score - u |m|^2: u brings it to the limit where it is beyond.
  const double next =
      std::copysign(std::max(0.0, std::abs(mean_score_) - limit_), mean_score_) / mean_norm_;
  if (next == u_) return;
  for (std::size_t k = 0; k < size(); ++k) slopes_[k] += (next - u_) * mean_products_[k];
  u_ = next;
}

void CutQp::refresh() {
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

void CutQp::solve(double gap) {
  const std::size_t slack = size();
  const std::size_t most_steps = 200 * (size() + 10);
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
    if (total_ * highest - spent <= gap || up == down) break;
    const double curvature = (up == slack ? 0.0 : entry(up, up)) +
                             (down == slack ? 0.0 : entry(down, down)) -
                             (up == slack || down == slack ? 0.0 : 2 * entry(up, down));
    const double room = down == slack ? slack_ : weights_[down];
    const double move = curvature > 0 ? std::min(room, (highest - lowest) / curvature) : room;
    if (!(move > 0)) break;
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
}

std::vector<double> CutQp::w() const {
  std::vector<double> w(gradients_.empty() ? mean_.size() : gradients_.front().size(), 0.0);
  for (std::size_t k = 0; k < size(); ++k) {
    if (weights_[k] != 0) axpy(weights_[k], gradients_[k], w);
  }
  if (u_ != 0) axpy(-u_, mean_, w);
  return w;
}

double CutQp::value() const {
  const std::vector<double> at = w();
  return dot(weights_, offsets_) - 0.5 * dot(at, at) - (u_ != 0 ? limit_ * std::abs(u_) : 0.0);
}

}  // namespace maxmargin::detail
