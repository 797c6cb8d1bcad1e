// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc.md: from data sets to Gram matrices, and to new points.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "cluster/equal_rows.hpp"
#include "cluster/mmc/memory.hpp"
#include "cluster/mmc/widths.hpp"
#include "maxmargin/cluster/mmc/mmc.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/kernel/gram/centring.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

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

}  // namespace

TrainedMmc cluster_mmc(const Dataset& data, const Kernel& kernel, const MmcOptions& options) {
  validate(options);
  check(data, kernel);
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
