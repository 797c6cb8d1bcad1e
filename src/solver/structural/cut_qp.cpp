// SPDX-License-Identifier: Apache-2.0
#include "solver/structural/cut_qp.hpp"

#include <cmath>
#include <utility>

#include "linalg/blas.hpp"

namespace maxmargin {

CutQp::CutQp(double total, std::vector<double> mean, double limit)
    : mean_(std::move(mean)),
      limit_(limit),
      weights_(total, mean_.empty() ? 0.0 : dot(mean_, mean_), limit) {}

std::size_t CutQp::add(std::vector<double> gradient, double offset) {
  std::vector<double> products(size() + 1);
  for (std::size_t l = 0; l < size(); ++l) products[l] = dot(gradients_[l], gradient);
  products.back() = dot(gradient, gradient);
  const double mean_product = mean_.empty() ? 0.0 : dot(mean_, gradient);
  gradients_.push_back(std::move(gradient));
  return weights_.add(std::move(products), offset, mean_product);
}

std::vector<double> CutQp::w() const {
  std::vector<double> w(gradients_.empty() ? mean_.size() : gradients_.front().size(), 0.0);
  for (std::size_t k = 0; k < size(); ++k) {
    if (weights()[k] != 0) axpy(weights()[k], gradients_[k], w);
  }
  if (multiplier() != 0) axpy(-multiplier(), mean_, w);
  return w;
}

double CutQp::value() const {
  const std::vector<double> at = w();
  return dot(weights(), weights_.offsets()) - 0.5 * dot(at, at) -
         (multiplier() != 0 ? limit_ * std::abs(multiplier()) : 0.0);
}

}  // namespace maxmargin
