// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/robust.md, "From the relaxation to a machine"
#include "relax/weight_rounding.hpp"

#include <array>
#include <utility>

#include "linalg/blas.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {

namespace {

constexpr std::array thresholds = {0.5, 0.25, 0.75};

}  // namespace

std::vector<WeightCandidate> round_weights(DenseView rows, const WeightRoundingOptions& options) {
  require(rows.rows > 0, "round_weights: the row of the examples that are kept is missing");
  const std::size_t n = rows.rows - 1;
  std::vector<WeightCandidate> candidates;
  for (const double threshold : thresholds) {
    WeightCandidate cut{.origin = "threshold " + format_number(threshold)};
    for (std::size_t i = 1; i <= n; ++i) {
      cut.scores.push_back((1 + dot(rows.row(0), rows.row(i))) / 2 - threshold);
    }
    candidates.push_back(std::move(cut));
  }
  std::vector<double> normal(rows.cols);
  for (std::size_t h = 0; h < options.restarts; ++h) {
    Rng rng(options.context.seed, "weight hyperplane", h);
    for (double& x : normal) x = rng.normal();
    const double side = dot(rows.row(0), normal) >= 0 ? 1 : -1;
    WeightCandidate cut{.origin = "hyperplane " + std::to_string(h + 1)};
    for (std::size_t i = 1; i <= n; ++i) cut.scores.push_back(side * dot(rows.row(i), normal));
    candidates.push_back(std::move(cut));
  }
  return candidates;
}

}  // namespace maxmargin
