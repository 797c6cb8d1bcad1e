// SPDX-License-Identifier: Apache-2.0
#include "cluster/mmc/widths.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>

#include "maxmargin/core/number.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/kernel/gram/centring.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "solver/saddle/label_saddle.hpp"

namespace maxmargin {

namespace {

/// Multiples of gamma.
constexpr std::array widths = {0.25, 4.0, 16.0, 64.0};
/// Relaxations of more points take seconds each.
constexpr std::size_t most_points = 300;
/// Their signs matter, not their values.
constexpr double rough_gap = 0.05;
constexpr std::size_t rough_steps = 60;
constexpr std::size_t eigenvectors = 3;
constexpr std::size_t restarts = 6;

}  // namespace

std::vector<LabelCandidate> candidates_of_other_widths(const Dataset& data,
                                                       const Kernel& kernel,
                                                       const MmcOptions& options) {
  std::vector<LabelCandidate> all;
  const auto* rbf = std::get_if<Rbf>(&kernel);
  const std::size_t n = data.size();
  if (rbf == nullptr || n > most_points) return all;
  const std::size_t least = balanced_sizes(n, 2, options.balance).least;
  for (const double width : widths) {
    if (options.context.ask({.phase = "other widths"}) != Continue::yes) break;
    DenseMatrix matrix =
        gram(Rbf{.gamma = width * rbf->gamma}, data.examples, {.context = options.context});
    FeatureCentring::fit(matrix.view()).apply_to_training(matrix.view());
    // Rounding may leave a diagonal entry just below 0.
    for (std::size_t i = 0; i < n; ++i) matrix(i, i) = std::max(0.0, matrix(i, i));
    const LabelSaddleSolution relaxed = solve_label_saddle(
        {.matrix = matrix.view(),
         .c = options.c,
         .balance = LabelBalance::total,
         .imbalance = static_cast<double>(n - 2 * least)},
        {.tolerance = rough_gap, .max_iterations = rough_steps, .context = options.context});
    for (LabelCandidate& candidate : round_label_matrix(relaxed.v.view(),
                                                        {.least = least,
                                                        .eigenvectors = eigenvectors,
                                                        .restarts = restarts,
                                                        .context = options.context})) {
      candidate.origin = "gamma x " + format_number(width) + ", " + candidate.origin;
      all.push_back(std::move(candidate));
    }
  }
  return all;
}

}  // namespace maxmargin
