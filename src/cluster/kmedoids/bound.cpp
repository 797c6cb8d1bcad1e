// SPDX-License-Identifier: Apache-2.0
#include "cluster/kmedoids/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/core/parallel.hpp"

namespace maxmargin::kmedoids {

namespace {

/// The dual function at prices v: what every point would pay, less what k medoids would give back.
class DualFunction {
 public:
  DualFunction(const Problem& problem, std::size_t k)
      : problem_(problem), k_(k), savings_(problem.size()), order_(problem.size()) {}

  /// The value at v, lowered by an allowance for rounding; writes a subgradient.
  double evaluate(std::span<const double> prices, std::vector<double>& subgradient) {
    const std::size_t n = problem_.size();
    parallel_chunks(problem_.threads, n, 16, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t x = begin; x < end; ++x) savings_[x] = saving(x, prices);
    });
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto last = order_.begin() + static_cast<std::ptrdiff_t>(k_);
    std::partial_sort(order_.begin(), last, order_.end(), [&](std::size_t a, std::size_t b) {
      return savings_[a] != savings_[b] ? savings_[a] < savings_[b] : a < b;
    });
    double value = 0;
    double size = 0;
    for (const double price : prices) {
      value += price;
      size += std::abs(price);
    }
    subgradient.assign(n, 1.0);
    for (auto x = order_.begin(); x != last; ++x) {
      value += savings_[*x];
      size -= savings_[*x];
      const std::span<const double> row = problem_.distances.row(*x);
      for (std::size_t o = 0; o < n; ++o) {
        if (problem_.weights[o] * row[o] < prices[o]) subgradient[o] -= 1;
      }
    }
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    return value - 2 * epsilon * static_cast<double>(n + k_) * size;
  }

 private:
  [[nodiscard]] double saving(std::size_t x, std::span<const double> prices) const {
    const std::span<const double> row = problem_.distances.row(x);
    double sum = 0;
    for (std::size_t o = 0; o < row.size(); ++o) {
      sum += std::min(0.0, problem_.weights[o] * row[o] - prices[o]);
    }
    return sum;
  }

  const Problem& problem_;
  std::size_t k_;
  std::vector<double> savings_;
  std::vector<std::size_t> order_;
};

/// Each point's price lies between what its first and its second medoid cost it: at such prices the
/// medoids of an optimal solution without slack choose themselves.
std::vector<double> starting_prices(const Problem& problem, const Neighbours& neighbours) {
  double largest = 0;
  for (std::size_t x = 0; x < problem.size(); ++x) {
    for (const double distance : problem.distances.row(x)) largest = std::max(largest, distance);
  }
  std::vector<double> prices(problem.size());
  for (std::size_t o = 0; o < prices.size(); ++o) {
    const bool has_second = std::isfinite(neighbours.second[o]);
    prices[o] = problem.weights[o] *
                (has_second ? (neighbours.nearest[o] + neighbours.second[o]) / 2 : largest);
  }
  return prices;
}

}  // namespace

double dual_bound(const Problem& problem,
                  std::size_t k,
                  const Neighbours& neighbours,
                  std::size_t steps,
                  const std::function<Continue(std::size_t, double)>& ask) {
  constexpr std::size_t patience = 10;
  const double target = cost_of(problem, neighbours);
  std::vector<double> prices = starting_prices(problem, neighbours);
  std::vector<double> best_prices = prices;
  std::vector<double> subgradient;
  DualFunction dual(problem, k);
  double best = 0;  // costs are never negative
  double length = 1;
  std::size_t since_best = 0;
  for (std::size_t step = 0; step < steps && length > 1e-4; ++step) {
    const double value = dual.evaluate(prices, subgradient);
    const double squared =
        std::inner_product(subgradient.begin(), subgradient.end(), subgradient.begin(), 0.0);
    if (value > best) {
      best = value;
      best_prices = prices;
      since_best = 0;
    } else if (++since_best == patience) {
      length /= 2;
      since_best = 0;
      prices = best_prices;
      continue;
    }
    // A zero subgradient is a maximum of the dual.
    if (target - best <= 1e-9 * target || squared == 0) break;
    if (ask(step + 1, best) != Continue::yes) break;
    const double stride = length * (target - value) / squared;
    for (std::size_t o = 0; o < prices.size(); ++o) prices[o] += stride * subgradient[o];
  }
  return std::min(best, target);
}

}  // namespace maxmargin::kmedoids
