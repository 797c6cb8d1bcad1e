// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-multiclass.md
#include "maxmargin/cluster/mmc/multiclass.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <variant>

#include "cluster/equal_rows.hpp"
#include "core/memory_limit.hpp"
#include "core/parallel.hpp"
#include "core/settle.hpp"
#include "kernel/near_origin.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "model/kernel/gram_rounding.hpp"
#include "relax/class_bound.hpp"
#include "relax/class_polish.hpp"
#include "relax/class_rounding.hpp"
#include "relax/label_search.hpp"
#include "solver/cluster_numbers.hpp"
#include "solver/saddle/class_saddle.hpp"

namespace maxmargin {

namespace {

/// Square matrices of doubles that a relaxation needs, the Gram matrix among them; while the
/// symmetry is broken there are M and the certificate of the plain one as well.
constexpr std::size_t matrices = 21;
constexpr std::size_t plain_matrices = 2;

std::size_t bytes_of_matrices(std::size_t count, std::size_t n) {
  return checked_multiply(count, checked_multiply(checked_multiply(n, n), sizeof(double)));
}

std::size_t limit_of(std::optional<std::size_t> memory_limit) {
  return memory_limit.value_or(machine_memory() / 2);
}

ClassSaddle saddle_of(DenseView gram, const ClassRules& rules, double c) {
  ClassSaddle problem{.matrix = gram, .c = c, .classes = rules.classes()};
  problem.least.assign(rules.least.begin(), rules.least.end());
  problem.most.assign(rules.most.begin(), rules.most.end());
  return problem;
}

/// Steps 1 to 6: the relaxation, and bounds from those in which anchors are told apart.
class Bounds {
 public:
  Bounds(DenseView gram,
         bool semidefinite,
         const ClassRules& rules,
         const MulticlassMmcOptions& options)
      : options_(options),
        problem_(saddle_of(gram, rules, options.c)),
        semidefinite_(semidefinite) {}

  /// Solves the plain relaxation and fills in everything but what rounding says.
  ClassSaddleSolution run(MulticlassMmc& clustering) {
    ClassSaddleSolution plain = solve_class_saddle(problem_, saddle_options());
    MulticlassRelaxation& relaxation = clustering.relaxation;
    relaxation.value = options_.c * std::max(plain.value, plain.lower_bound);
    relaxation.plain_bound = options_.c * plain.lower_bound;
    relaxation.relative_gap = plain.miss;
    relaxation.rank = plain.rank;
    relaxation.status = plain.report.status;
    if (!semidefinite_) return plain;
    if (plain.lower_bound > 0) {
      relaxation.lower_bound = relaxation.plain_bound;
      relaxation.bound = ClassBound::relaxation;
      clustering.proofs.push_back({.certificate = std::move(plain.certificate)});
    }
    if (was_stopped(plain.report.status)) return plain;
    PhaseTimer timer;
    timer.enter("symmetry");
    break_symmetry(plain, clustering);
    for (auto& phase : timer.finish()) plain.report.seconds.push_back(std::move(phase));
    return plain;
  }

 private:
  [[nodiscard]] ClassSaddleOptions saddle_options() const {
    return {.tolerance = options_.tolerance,
            .max_iterations = options_.max_iterations,
            .context = options_.context};
  }

  /// Every labelling puts the anchors into some classes: the least bound over all the ways to do so
  /// holds for all labellings.
  void break_symmetry(ClassSaddleSolution& plain, MulticlassMmc& clustering) const {
    const std::size_t count = std::min(
        options_.anchors.value_or(std::min(problem_.classes, default_anchors)), problem_.size());
    if (count == 0) return;
    const std::vector<std::size_t> anchors = far_points(problem_.matrix, count);
    if (looks_vacuous(problem_, plain.m.view(), anchors)) return;
    std::vector<std::vector<std::int32_t>> all = told_apart(problem_, anchors);
    if (!fits(all.size(), plain.report.warnings)) return;
    const double known = std::max(0.0, plain.lower_bound);
    double least = std::numeric_limits<double>::infinity();
    double value = least;
    double miss = 0;
    Status status = Status::solved;
    std::size_t unsolved = 0;
    std::vector<ClassProof> proofs;
    for (std::vector<std::int32_t>& labels : all) {
      ClassSaddle told = problem_;
      told.labels = std::move(labels);
      ClassSaddleSolution solution = solve_class_saddle(told, saddle_options());
      // Nothing to win any more, or the caller wants to stop.
      if (!(solution.lower_bound > known) || was_stopped(solution.report.status)) return;
      least = std::min(least, solution.lower_bound);
      value = std::min(value, std::max(solution.value, solution.lower_bound));
      miss = std::max(miss, solution.miss);
      status = worse(status, solution.report.status);
      if (solution.report.status != Status::solved) ++unsolved;
      proofs.push_back({std::move(told.labels), std::move(solution.certificate)});
    }
    if (proofs.empty()) return;
    if (unsolved > 0) {
      plain.report.warnings.push_back(
          std::to_string(unsolved) + " of " + std::to_string(proofs.size()) +
          " symmetry-broken relaxations ended before the tolerance: the bound could be better");
    }
    MulticlassRelaxation& relaxation = clustering.relaxation;
    relaxation.value = options_.c * value;
    relaxation.broken_bound = options_.c * least;
    relaxation.lower_bound = options_.c * least;
    relaxation.relative_gap = miss;
    relaxation.status = status;
    relaxation.bound = ClassBound::symmetry_broken;
    clustering.anchors = anchors;
    clustering.proofs = std::move(proofs);
  }

  /// Every partition leaves a certificate behind, a square matrix each.
  [[nodiscard]] bool fits(std::size_t partitions, std::vector<std::string>& warnings) const {
    const std::size_t needed =
        bytes_of_matrices(matrices + plain_matrices + partitions, problem_.size());
    const std::size_t limit = limit_of(options_.context.memory_limit);
    if (needed <= limit) return true;
    warnings.push_back("the symmetry of the clusters was not broken for a better bound: that " +
                       over_limit_text(needed, limit));
    return false;
  }

  const MulticlassMmcOptions& options_;
  ClassSaddle problem_;
  bool semidefinite_;
};

/// Numbers the clusters by size, and the machine's functions with them.
void number_clusters(FittedClasses& best, std::size_t k, MulticlassMmc& clustering) {
  ClusterNumbers numbers = number_by_size(best.labels, k);
  clustering.coefficients = DenseMatrix(best.coefficients.rows(), k);
  for (std::size_t r = 0; r < k; ++r) {
    for (std::size_t i = 0; i < best.coefficients.rows(); ++i) {
      clustering.coefficients(i, r) = best.coefficients(i, numbers.old_number[r]);
    }
  }
  clustering.labels = std::move(numbers.labels);
  clustering.sizes = std::move(numbers.sizes);
}

/// Why nothing is proven but that an objective is at least 0.
std::string why_vacuous(const MulticlassMmc& clustering, bool semidefinite) {
  const MulticlassRelaxation& relaxation = clustering.relaxation;
  const std::string end = "nothing is proven but that an objective is at least 0";
  if (!semidefinite) {
    return "the run ended before the kernel matrix was known to be positive semidefinite, so " +
           end;
  }
  if (relaxation.value < 0) {
    return "the relaxation's value is negative (" + format_number(relaxation.value) + "), so " +
           end + "; smaller C have bounds";
  }
  return "the relaxation ended as " + std::string(to_string(clustering.report.status)) +
         " before its bound (" + format_number(relaxation.plain_bound) + ") was positive, so " +
         end;
}

void warn(const MulticlassMmc& clustering, bool semidefinite, std::vector<std::string>& warnings) {
  const MulticlassRelaxation& relaxation = clustering.relaxation;
  if (relaxation.bound == ClassBound::trivial) {
    warnings.push_back("the bound is vacuous: " + why_vacuous(clustering, semidefinite));
  } else {
    warn_of_weak_bound(clustering.objective, relaxation.lower_bound, warnings, "");
  }
}

/// Throws InvalidArgument, saying what to do instead, when the relaxation of n points does not fit
/// the limit in bytes (unset: half of the machine's memory).
void require_multiclass_mmc_memory(std::size_t n, std::optional<std::size_t> memory_limit) {
  require_within_limit(bytes_of_matrices(matrices, n),
                       memory_limit,
                       "mmc on " + std::to_string(n) + " points",
                       "cluster a sample of the points and predict the others, use "
                       "mmc-alternating, or allow more memory");
}

/// The same sizes for all clusters.
[[nodiscard]] ClassRules equal_rules(std::size_t n, std::size_t k, std::optional<double> balance) {
  const ClusterSizes sizes = balanced_sizes(n, k, balance);
  return {.least = std::vector<std::size_t>(k, sizes.least),
          .most = std::vector<std::size_t>(k, sizes.most)};
}

}  // namespace

MulticlassMmc cluster_multiclass_mmc(DenseMatrix gram,
                                     const MulticlassMmcOptions& options,
                                     std::span<const ClassCandidate> candidates) {
  validate(options);
  const std::size_t n = gram.rows();
  require(n == gram.cols(), "the Gram matrix must be square");
  require(
      n >= options.k,
      std::to_string(options.k) + " clusters need as many points, there are " + std::to_string(n));
  require_multiclass_mmc_memory(n, options.context.memory_limit);
  FeatureCentring centring;
  if (options.bias == KernelBias::center) centring = FeatureCentring::fit(gram.view());
  const GramRounding rounding_of(gram, options.bias);
  const bool semidefinite = apply_bias(options.bias,
                                       centring,
                                       gram,
                                       "mmc",
                                       thread_count(options.context.threads),
                                       options.context.on_progress);
  const ClassRules rules = equal_rules(n, options.k, options.balance);
  MulticlassMmc clustering;
  ClassSaddleSolution relaxed = Bounds(gram.view(), semidefinite, rules, options).run(clustering);
  MulticlassRelaxation& relaxation = clustering.relaxation;
  const bool lost = rounding_of.spoils(options.c,
                                       options.tolerance,
                                       relaxation.value / options.c,
                                       relaxation.lower_bound / options.c);
  relaxation.lower_bound = std::max(
      0.0, options.c * rounding_of.without_rounding(options.c, relaxation.lower_bound / options.c));
  if (lost) {
    relaxation.lower_bound = 0;
    relaxation.bound = ClassBound::trivial;
    clustering.anchors.clear();
    clustering.proofs.clear();
  }

  PhaseTimer timer;
  timer.enter("rounding");
  const ClassRoundingOptions rounding{.restarts = options.restarts, .context = options.context};
  // After a stop only what is there already, or cheap.
  const bool stopped = was_stopped(relaxed.report.status);
  std::vector<ClassCandidate> all;
  if (!stopped) all = round_class_matrix(relaxed.m.view(), rules, rounding);
  if (!stopped || candidates.empty()) {
    for (ClassCandidate& candidate : round_class_components(gram.view(), rules, rounding)) {
      all.push_back(std::move(candidate));
    }
  }
  all.insert(all.end(), candidates.begin(), candidates.end());
  if (all.empty()) {
    // Points that are all alike: any balanced labelling.
    all.push_back({"any", best_allowed_classes(DenseMatrix(n, options.k).view(), rules)});
  }
  ClassSearch found = search_classes(
      gram.view(), rules, std::move(all), {.c = options.c, .context = options.context});

  clustering.objective = found.best.objective;
  clustering.relaxation.roundings = found.tried;
  clustering.relaxation.winner = std::move(found.winner);
  clustering.report = std::move(relaxed.report);
  note_search_end(found.answer, found.best.status, clustering.report);
  number_clusters(found.best, options.k, clustering);
  clustering.report.primal_objective = clustering.objective;
  clustering.report.lower_bound = clustering.relaxation.lower_bound;
  for (auto& phase : timer.finish()) clustering.report.seconds.push_back(std::move(phase));
  settle(clustering.report);
  if (lost) {
    say_digits_are_lost(clustering.report);
  } else {
    warn(clustering, semidefinite, clustering.report.warnings);
  }
  settle_end(clustering.report, Ending::search, options.tolerance);
  return clustering;
}

namespace {

/// Multiples of gamma at which spectral clustering proposes labels.
constexpr std::array spectral_widths = {1.0, 4.0, 16.0, 64.0};

void check(const Dataset& data, const Kernel& kernel, std::size_t k) {
  data.validate();
  require(data.weights.empty(), "mmc does not take example weights: the balance counts points");
  require(definiteness(kernel) != Definiteness::indefinite,
          "mmc: the kernel " + kernel_name(kernel) +
              " is not positive semidefinite, the relaxation needs one that is");
  const std::size_t distinct = distinct_rows(data.examples, k);
  require(distinct >= k,
          "mmc: " + std::to_string(k) + " clusters need as many distinct points, " + data.source +
              " has " + std::to_string(distinct));
}

std::vector<ClassCandidate> spectral_candidates(const Dataset& data,
                                                const Kernel& kernel,
                                                const MulticlassMmcOptions& options) {
  std::vector<ClassCandidate> candidates;
  const auto* rbf = std::get_if<Rbf>(&kernel);
  if (rbf == nullptr) return candidates;
  const ClassRules rules = equal_rules(data.size(), options.k, options.balance);
  const ClassRoundingOptions rounding{.context = options.context};
  for (const double width : spectral_widths) {
    if (options.context.ask({.phase = "spectral"}) != Continue::yes) break;
    ClassCandidate candidate = round_class_spectral(
        gram(Rbf{.gamma = width * rbf->gamma}, data.examples, {.context = options.context}),
        "spectral, gamma x " + format_number(width),
        rules,
        rounding);
    if (!candidate.labels.empty()) candidates.push_back(std::move(candidate));
  }
  return candidates;
}

/// The machine as sums over the points as they are, and the offsets that go with them.
KernelExpansion expansion(const Dataset& data,
                          const Kernel& kernel,
                          KernelBias bias,
                          const FeatureCentring& centring,
                          const DenseMatrix& coefficients) {
  KernelExpansion function{
      .kernel = kernel, .vectors = data.examples.owned(), .coefficients = coefficients};
  std::vector<double> column(data.size());
  for (std::size_t r = 0; r < coefficients.cols(); ++r) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = coefficients(i, r);
    const PlainFunction plain = plain_function(bias, centring, column);
    function.offsets.push_back(plain.offset);
    for (std::size_t i = 0; i < column.size(); ++i) {
      function.coefficients(i, r) = plain.coefficients[i];
    }
  }
  function.training_rows.resize(data.size());
  std::iota(function.training_rows.begin(), function.training_rows.end(), std::size_t{0});
  return function;
}

}  // namespace

TrainedMulticlassMmc cluster_multiclass_mmc(const Dataset& data,
                                            const Kernel& given,
                                            const MulticlassMmcOptions& options) {
  validate(options);
  check(data, given, options.k);
  const Kernel kernel =
      options.bias == KernelBias::center ? near_origin(given, data.examples) : given;
  require_multiclass_mmc_memory(data.size(), options.context.memory_limit);
  DenseMatrix matrix = gram(kernel, data.examples, {.context = options.context});
  const std::vector<ClassCandidate> candidates = spectral_candidates(data, kernel, options);
  const FeatureCentring centring = FeatureCentring::fit(matrix.view());
  TrainedMulticlassMmc trained{.clustering =
                                   cluster_multiclass_mmc(std::move(matrix), options, candidates)};
  trained.model.functions =
      expansion(data, kernel, options.bias, centring, trained.clustering.coefficients);
  return trained;
}

}  // namespace maxmargin
