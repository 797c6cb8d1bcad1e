// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc.md
#include "maxmargin/cluster/mmc/mmc.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cluster/equal_rows.hpp"
#include "core/memory_limit.hpp"
#include "core/parallel.hpp"
#include "core/settle.hpp"
#include "kernel/gram/stoppable.hpp"
#include "kernel/near_origin.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/kernel/gram/centring.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/model/kernel/bias.hpp"
#include "model/kernel/gram_rounding.hpp"
#include "relax/label_rounding.hpp"
#include "relax/label_search.hpp"
#include "solver/cluster_numbers.hpp"
#include "solver/saddle/label_saddle.hpp"

namespace maxmargin {

namespace {

/// Throws InvalidArgument, naming the methods that need less, when n points do not fit the limit.
void require_mmc_memory(std::size_t n, const MmcOptions& options) {
  const std::size_t square = checked_multiply(checked_multiply(n, n), sizeof(double));
  require_within_limit(checked_add(square, label_saddle_memory(n)),
                       options.context.memory_limit,
                       "mmc on " + std::to_string(n) + " points",
                       "use features (nystroem:M) or mmc-alternating, cluster a sample of the "
                       "points and predict the others, or allow more memory");
}

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

/// For a run that was stopped before there was a matrix: the function that is zero, which any
/// labels within the balance suit, and no bound.
TrainedMmc untrained(const Dataset& data,
                     const Kernel& kernel,
                     const MmcOptions& options,
                     Status status) {
  const std::size_t n = data.size();
  const std::size_t larger = n - n / 2;
  TrainedMmc trained;
  MmcClustering& clustering = trained.clustering;
  clustering.labels.assign(n, 1);
  std::fill_n(clustering.labels.begin(), larger, 0);
  clustering.sizes = {larger, n - larger};
  clustering.coefficients.assign(n, 0.0);
  clustering.objective = options.c * static_cast<double>(n);
  clustering.relaxation = {
      .value = clustering.objective, .relative_gap = 1, .winner = "no machine", .status = status};
  const std::size_t prices = !options.balance                             ? 0
                             : options.balance_form == LabelBalance::rows ? n
                                                                          : 1;
  clustering.certificate = {.lambda = std::vector<double>(n, 0.0),
                            .diagonal = std::vector<double>(n, 0.0),
                            .balance = std::vector<double>(prices, 0.0)};
  clustering.report.status = status;
  clustering.report.message = "stopped before there was a machine";
  clustering.report.primal_objective = clustering.objective;
  clustering.report.lower_bound = 0.0;
  trained.model.functions =
      expansion(data, kernel, KernelBias::none, FeatureCentring(), clustering.coefficients);
  return trained;
}

}  // namespace

TrainedMmc cluster_mmc(const Dataset& data, const Kernel& given, const MmcOptions& options) {
  validate(options);
  check(data, given);
  const Kernel kernel =
      options.bias == KernelBias::center ? near_origin(given, data.examples) : given;
  require_mmc_memory(data.size(), options);
  StoppableGram found = gram_unless_stopped(kernel, data.examples, options.context);
  if (found.answer != Continue::yes) {
    return untrained(data, kernel, options, status_of(found.answer));
  }
  DenseMatrix matrix = std::move(found.matrix);
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
      rounding_of.spoils(options.c, options.tolerance, relaxed.value, relaxed.lower_bound);
  relaxed.lower_bound = std::max(0.0, rounding_of.without_rounding(options.c, relaxed.lower_bound));
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
                           .winner = std::move(found.origin),
                           .status = relaxed.report.status};
  clustering.certificate = std::move(relaxed.certificate);
  clustering.report = std::move(relaxed.report);
  note_search(found, clustering.relaxation.lower_bound, clustering.report);
  if (lost) {
    say_digits_are_lost(clustering.report);
  }
  settle_end(clustering.report, Ending::search, options.tolerance);
  number_clusters(found.best, clustering);
  for (auto& phase : timer.finish()) clustering.report.seconds.push_back(std::move(phase));
  return clustering;
}

}  // namespace maxmargin
