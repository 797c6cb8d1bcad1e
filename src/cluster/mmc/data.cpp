// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc.md: from data sets to Gram matrices, and to new points.
#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cluster/equal_rows.hpp"
#include "cluster/mmc/memory.hpp"
#include "kernel/near_origin.hpp"
#include "maxmargin/cluster/mmc/mmc.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/kernel/gram/centring.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "relax/label_rounding.hpp"
#include "relax/label_search.hpp"
#include "solver/saddle/label_saddle.hpp"

namespace maxmargin {

namespace {

void check(const Dataset& data, const Kernel& kernel) {
  data.validate();
  require(data.weights.empty(), "mmc does not take example weights: the balance counts points");
  require(data.size() >= 2,
          "mmc: two clusters need two points, " + (data.source.empty() ? "the data" : data.source) +
              " has " + std::to_string(data.size()));
  require(definiteness(kernel) != Definiteness::indefinite,
          "mmc: the kernel " + kernel_name(kernel) +
              " is not positive semidefinite, the relaxation needs one that is");
  require(
      distinct_rows(data.examples, 2) == 2,
      "mmc: all points of " + data.source + " are equal, two clusters need two distinct points");
}

/// w as a sum over the points as they are, and the offset that goes with it.
KernelExpansion expansion(const Dataset& data,
                          const Kernel& kernel,
                          MmcBias bias,
                          const FeatureCentring& centring,
                          std::span<const double> coefficients) {
  const std::size_t n = data.size();
  const PlainFunction plain = plain_function(bias, centring, coefficients);
  KernelExpansion function{
      .kernel = kernel, .vectors = data.examples.owned(), .coefficients = DenseMatrix(n, 1)};
  for (std::size_t i = 0; i < n; ++i) function.coefficients(i, 0) = plain.coefficients[i];
  function.offsets = {plain.offset};
  function.training_rows.resize(n);
  std::iota(function.training_rows.begin(), function.training_rows.end(), std::size_t{0});
  return function;
}

/// Multiples of gamma.
constexpr std::array widths = {0.25, 4.0, 16.0, 64.0};
/// Relaxations of more points take seconds each.
constexpr std::size_t most_points = 300;
/// Their signs matter, not their values.
constexpr double rough_gap = 0.05;
constexpr std::size_t rough_steps = 60;
constexpr std::size_t eigenvectors = 3;
constexpr std::size_t restarts = 6;

/// Labellings from relaxations, solved roughly, at other widths of a Gaussian kernel: where the
/// kernel is wide its own relaxation says little of the labels, and a narrower one may find
/// clusters that are good at this width, too. None for other kernels and for many points, where
/// several relaxations would take too long. docs/algorithms/mmc.md, step 6.
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

}  // namespace

TrainedMmc cluster_mmc(const Dataset& data, const Kernel& given, const MmcOptions& options) {
  validate(options);
  check(data, given);
  const Kernel kernel =
      options.bias == KernelBias::center ? near_origin(given, data.examples) : given;
  require_mmc_memory(data.size(), options);
  DenseMatrix matrix = gram(kernel, data.examples, {.context = options.context});
  const LabelRoundingOptions rounding{
      .least = balanced_sizes(data.size(), 2, options.balance).least, .context = options.context};
  std::vector<LabelCandidate> candidates =
      round_spectral_widths(data.examples, kernel, rounding, options.context.on_progress);
  std::ranges::move(candidates_of_other_widths(data, kernel, options),
                    std::back_inserter(candidates));
  const FeatureCentring centring = FeatureCentring::fit(matrix.view());
  TrainedMmc trained{.clustering = cluster_mmc(std::move(matrix), options, candidates)};
  trained.model.functions =
      expansion(data, kernel, options.bias, centring, trained.clustering.coefficients);
  return trained;
}

}  // namespace maxmargin
