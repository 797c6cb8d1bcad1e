// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hmm.md, "How far rounding goes"
#include <algorithm>
#include <cmath>
#include <limits>

#include "learner/structured/hmm_machine.hpp"
#include "structured/hmm_logs.hpp"
#include "structured/hmm_vectors.hpp"

namespace maxmargin::learning {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
/// Roundings of a position beside those of its k states: of densities, their largest and sums.
constexpr double roundings = 16;
/// What all learners are allowed of their objective.
constexpr double most = 1e-6;

/// The largest mean in deviations of its state: so many times eps is a mean's rounding.
double farthest_mean(const GaussianHmm& model) {
  const bool is_full = model.covariance == HmmCovariance::full;
  const std::size_t d = model.features();
  double farthest = 0;
  for (std::size_t j = 0; j < model.states(); ++j) {
    for (std::size_t r = 0; r < d; ++r) {
      const double variance = model.covariances(is_full ? j * d + r : j, r);
      farthest = std::max(farthest, std::abs(model.means(j, r)) / std::sqrt(variance));
    }
  }
  return farthest;
}

}  // namespace

double HmmMachine::rounding(const HmmData& data, double smoothing, double variance_floor) const {
  const auto n = static_cast<double>(data.positions());
  const auto k = static_cast<double>(chain().start.size());
  double size = n * (1 + std::log(k)) + std::abs(log_prior(smoothing));
  for (std::size_t i = 0; i < data.size(); ++i) {
    DenseMatrix nodes = logs(data, i);
    if (!data.labels.empty()) forbid_others(data.labels[i], nodes);
    for (std::size_t t = 0; t < nodes.rows(); ++t) {
      const double largest = *std::ranges::max_element(nodes.row(t));
      if (std::isfinite(largest)) size += std::abs(largest);
    }
  }
  double factor = (roundings + k) * n;
  if (kind() == HmmKind::gaussian) {
    const FeatureUnits units = units_of(data.vectors, variance_floor);
    for (const double unit : units.unit) size += n * std::abs(std::log(unit));
    factor += farthest_mean(vectors());
    if (vectors().covariance == HmmCovariance::full) {
      factor += static_cast<double>(features()) / variance_floor;
    }
  }
  return size * std::min(most, eps * factor);
}

}  // namespace maxmargin::learning
