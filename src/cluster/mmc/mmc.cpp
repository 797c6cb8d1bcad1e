// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc.md
#include "maxmargin/cluster/mmc/mmc.hpp"

#include <string>
#include <utility>

#include "cluster/mmc/memory.hpp"
#include "core/memory_limit.hpp"
#include "core/parallel.hpp"
#include "core/settle.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/model/kernel/bias.hpp"
#include "model/kernel/gram_rounding.hpp"
#include "relax/label_search.hpp"
#include "solver/cluster_numbers.hpp"
#include "solver/saddle/label_saddle.hpp"

namespace maxmargin {

namespace {

/// Cluster numbers of the labels; turns the machine so that cluster 0 is its positive side.
void number_clusters(FittedLabels& best, MmcClustering& clustering) {
  std::vector<std::int32_t> sides;
  for (const std::int8_t sign : best.signs) sides.push_back(sign > 0 ? 0 : 1);
  ClusterNumbers numbers = number_by_size(sides, 2);
  clustering.labels = std::move(numbers.labels);
  clustering.sizes = std::move(numbers.sizes);
  clustering.coefficients = std::move(best.coefficients);
  if (numbers.old_number.front() == 0) return;
  for (double& coefficient : clustering.coefficients) coefficient = -coefficient;
}

LabelSaddle saddle_of(const DenseMatrix& gram, const MmcOptions& options) {
  const std::size_t n = gram.rows();
  const std::size_t least = balanced_sizes(n, 2, options.balance).least;
  return {.matrix = gram.view(),
          .c = options.c,
          .balance = options.balance ? options.balance_form : LabelBalance::none,
          .imbalance = static_cast<double>(n - 2 * least)};
}

}  // namespace

void require_mmc_memory(std::size_t n, const MmcOptions& options) {
  const std::size_t square = checked_multiply(checked_multiply(n, n), sizeof(double));
  require_within_limit(checked_add(square, label_saddle_memory(n)),
                       options.context.memory_limit,
                       "mmc on " + std::to_string(n) + " points",
                       "use features (nystroem:M) or mmc-alternating, cluster a sample of the "
                       "points and predict the others, or allow more memory");
}

MmcClustering cluster_mmc(DenseMatrix gram,
                          const MmcOptions& options,
                          std::span<const LabelCandidate> candidates) {
  validate(options);
  const std::size_t n = gram.rows();
  require(n == gram.cols(), "the Gram matrix must be square");
  require(n >= 2, "two clusters need two points, there are " + std::to_string(n));
  require_mmc_memory(n, options);
  FeatureCentring centring;
  if (options.bias == KernelBias::center) centring = FeatureCentring::fit(gram.view());
  const GramRounding rounding_of(gram, options.bias);
  const bool semidefinite = apply_bias(options.bias,
                                       centring,
                                       gram,
                                       "mmc",
                                       thread_count(options.context.threads),
                                       options.context.on_progress);
  const LabelSaddle problem = saddle_of(gram, options);
  LabelSaddleSolution relaxed = solve_label_saddle(problem,
                                                   {.tolerance = options.tolerance,
                                                    .max_iterations = options.max_iterations,
                                                    .context = options.context});
  const bool lost =
      rounding_of.spoils(options.c, options.tolerance, relaxed.value, relaxed.lower_bound) &&
      !was_stopped(relaxed.report.status);
  if (!semidefinite || lost) {
    // Without the check, or digits, nothing is proved but that losses are not negative.
    relaxed.lower_bound = 0;
    relaxed.certificate = {.lambda = std::vector<double>(n, 0.0),
                           .diagonal = std::vector<double>(n, 0.0),
                           .balance = std::vector<double>(balance_multipliers(problem), 0.0)};
  }
  PhaseTimer timer;
  timer.enter("rounding");
  const std::size_t least = balanced_sizes(n, 2, options.balance).least;
  LabelSearchAnswer found =
      search_roundings(gram,
                       relaxed.v.view(),
                       candidates,
                       {.c = options.c,
                        .rule = {.least_positive = least, .most_positive = n - least},
                        .either_sign = true,
                        .restarts = options.restarts,
                        .context = options.context});

  MmcClustering clustering;
  clustering.objective = found.best.objective;
  clustering.relaxation = {.value = options.c * relaxed.value,
                           .lower_bound = options.c * relaxed.lower_bound,
                           .relative_gap = relative_gap(relaxed.value, relaxed.lower_bound),
                           .rank = relaxed.rank,
                           .roundings = found.tried,
                           .winner = std::move(found.origin)};
  clustering.certificate = std::move(relaxed.certificate);
  clustering.report = std::move(relaxed.report);
  note_search(found, clustering.relaxation.lower_bound, clustering.report);
  if (lost) {
    clustering.report.status = Status::numerical_failure;
    clustering.report.message = lost_digits;
    claim_nothing(clustering.report);
  }
  number_clusters(found.best, clustering);
  for (auto& phase : timer.finish()) clustering.report.seconds.push_back(std::move(phase));
  return clustering;
}

}  // namespace maxmargin
