// SPDX-License-Identifier: Apache-2.0
#include "solver/linear/l1_quadratic.hpp"

#include <algorithm>
#include <cmath>

#include "solver/linear/l1_move.hpp"

namespace maxmargin::linear {

std::vector<double> minimise_l1_quadratic(DenseView h,
                                          std::span<const double> g,
                                          std::span<const double> w) {
  constexpr std::size_t most_updates = 100'000'000;
  const std::size_t most_passes =
      std::clamp<std::size_t>(most_updates / (g.size() * g.size() + 1), 500, 20'000);
  constexpr double share_left = 0.01;
  const std::size_t k = g.size();
  std::vector<double> p(k, 0.0);
  std::vector<double> slope(g.begin(), g.end());  // g + H p
  double first = 0;
  for (std::size_t pass = 0; pass < most_passes; ++pass) {
    double violation = 0;
    for (std::size_t j = 0; j < k; ++j) {
      const double now = w[j] + p[j];
      violation += l1_violation(now, slope[j]);
      const double move = l1_move(now, slope[j], h(j, j));
      if (move == 0) continue;
      p[j] += move;
      const auto row = h.row(j);
      for (std::size_t l = 0; l < k; ++l) slope[l] += move * row[l];
    }
    if (pass == 0) first = violation;
    if (violation <= share_left * first) break;
  }
  return p;
}

}  // namespace maxmargin::linear
