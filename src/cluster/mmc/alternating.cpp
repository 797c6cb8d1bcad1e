// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-alternating.md
#include "maxmargin/cluster/mmc/alternating.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>
#include <variant>

#include "cluster/equal_rows.hpp"
#include "cluster/mmc/bound.hpp"
#include "cluster/mmc/functions.hpp"
#include "cluster/mmc/machine.hpp"
#include "cluster/mmc/search.hpp"
#include "cluster/mmc/starts.hpp"
#include "core/memory_limit.hpp"
#include "core/settle.hpp"
#include "core/stoppable.hpp"
#include "kernel/gram/nystroem.hpp"
#include "kernel/gram/stoppable.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/kernel/gram/centring.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "problem/borrowed_matrix.hpp"
#include "relax/label_rounding.hpp"
#include "relax/label_search.hpp"
#include "solver/cluster_numbers.hpp"
#include "solver/saddle/label_alternation.hpp"

namespace maxmargin {

namespace {

/// Up to so many points labels are exchanged, and the last training is exact.
constexpr std::size_t few_points = 2000;
constexpr double exact = 1e-8;
constexpr double exact_linear = 1e-6;
/// Features of a kernel matrix for the bound alone.
constexpr std::size_t bound_landmarks = 1000;

class Clustering {
 public:
  Clustering(const Dataset& data, const Kernel& kernel, const MmcAlternatingOptions& options)
      : data_(data),
        kernel_(kernel),
        options_(options),
        sizes_(balanced_sizes(data.size(), options.k, options.balance)) {}

  MmcAlternatingClustering run();

 private:
  [[nodiscard]] bool on_features() const {
    return options_.landmarks || std::holds_alternative<Linear>(kernel_);
  }
  [[nodiscard]] MmcStartOptions start_options() const {
    return {.classes = options_.k,
            .least = sizes_.least,
            .most = sizes_.most,
            .count = options_.restarts,
            .context = options_.context};
  }
  [[nodiscard]] MmcSearchOptions search_options(bool anneal = true) const {
    return {.c = options_.c,
            .least = sizes_.least,
            .most = sizes_.most,
            .max_rounds = options_.max_iterations,
            .anneal = anneal,
            .rough = data_.size() <= few_points ? 1e-3 : 1e-2,
            // Coordinate steps are slow on the few dimensions of features.
            .exchanges = on_features() ? 10U : 40U,
            .fine = on_features() ? 1e-4 : 1e-5,
            .final_tolerance = data_.size() > few_points ? options_.tolerance
                               : on_features()           ? exact_linear
                                                         : exact,
            .context = options_.context};
  }
  /// The features of so many landmarks, and what they miss.
  NystroemFit landmarks(std::size_t count);
  /// Warns when the landmarks ended at the rounding of K(x, x), and centring leaves far less.
  void warn_of_hidden_spread(const NystroemFit& fit, double largest);
  /// The relaxation; directions of feature space worth a labelling.
  DenseMatrix bound(const MmcPoints& points, std::span<const double> missed);
  void run_on_features();
  /// The machine of a sample with its labels of all points, and the labels of the directions.
  std::vector<MmcStart> sampled_starts(const Examples& features,
                                       const MmcPoints& points,
                                       std::span<const std::size_t> sample,
                                       const DenseMatrix& directions);
  /// Adds the labels read off relaxed ones (MmcSteps::sdp) of these inner products.
  void add_relaxed_starts(const DenseMatrix& gram, std::vector<MmcStart>& starts);
  void run_on_gram();
  /// For a run that was stopped before there was a matrix: functions that are zero, which any
  /// labels within the balance suit.
  void take_untrained(Continue answer);
  /// Takes the answer but for the machine's function; the order of the old clusters.
  std::vector<std::size_t> take(MmcSearchAnswer& answer);
  void finish();

  const Dataset& data_;
  const Kernel& kernel_;
  const MmcAlternatingOptions& options_;
  ClusterSizes sizes_;
  PhaseTimer timer_;
  MmcAlternatingClustering result_;
};

/// Mean squared distance of the rows from their mean.
double spread_of(const DenseMatrix& rows) {
  const double part = 1 / static_cast<double>(rows.rows());
  std::vector<double> mean(rows.cols(), 0.0);
  for (std::size_t i = 0; i < rows.rows(); ++i) axpy(part, rows.row(i), mean);
  double sum = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.cols(); ++j) {
      sum += (rows(i, j) - mean[j]) * (rows(i, j) - mean[j]);
    }
  }
  return part * sum;
}

void Clustering::warn_of_hidden_spread(const NystroemFit& fit, double largest) {
  const double most = *std::ranges::max_element(fit.missed);
  if (options_.bias != MmcBias::center || most > NystroemOptions{}.tolerance * largest) return;
  const double missed = std::accumulate(fit.missed.begin(), fit.missed.end(), 0.0) /
                        static_cast<double>(fit.missed.size());
  const double share = missed / (missed + spread_of(fit.features));
  if (!(share > 1e-3)) return;
  result_.report.warnings.push_back("landmarks end where K(x, x), up to " + format_number(largest) +
                                    ", hides the distances from the mean, and miss " +
                                    format_number(share) +
                                    " of their squares: center or scale the data");
}

NystroemFit Clustering::landmarks(std::size_t count) {
  NystroemFit fit =
      fit_nystroem(kernel_, data_.examples, {.landmarks = count, .context = options_.context});
  const std::vector<double> diagonal =
      kernel_diagonal(kernel_, data_.examples, {.context = options_.context});
  result_.missed = std::accumulate(fit.missed.begin(), fit.missed.end(), 0.0) /
                   std::accumulate(diagonal.begin(), diagonal.end(), 0.0);
  warn_of_hidden_spread(fit, *std::ranges::max_element(diagonal));
  result_.features = fit.map.features();
  result_.landmark_rows = fit.map.rows;
  return fit;
}

DenseMatrix Clustering::bound(const MmcPoints& points, std::span<const double> missed) {
  MmcBound found = bound_labellings(data_, kernel_, points, missed, options_);
  result_.relaxation = std::move(found.relaxation);
  result_.certificate = std::move(found.certificate);
  result_.report.status = found.status;
  std::ranges::move(found.warnings, std::back_inserter(result_.report.warnings));
  return std::move(found.directions);
}

std::vector<MmcStart> Clustering::sampled_starts(const Examples& features,
                                                 const MmcPoints& points,
                                                 std::span<const std::size_t> sample,
                                                 const DenseMatrix& directions) {
  MmcAlternatingOptions options = options_;
  options.landmarks = std::nullopt;
  options.relaxation = false;
  const MmcAlternatingClustering found = cluster_mmc_alternating(
      {.examples = features.select(sample), .source = data_.source}, Linear{}, options);
  // On all points the sample's machine is an answer already, should there be no time for more.
  const KernelExpansion& functions = found.model.functions;
  MmcFit fit{.weights = functions.vectors.to_dense(), .offsets = functions.offsets};
  set_values(points, options_.context.threads, fit);
  fit.dual = 0;
  std::vector<MmcStart> starts(1);
  starts[0].origin = "sample, " + found.winner;
  starts[0].labels = relabel(fit.values.view(), sizes_.least, sizes_.most);
  starts[0].machine = std::move(fit);
  for (MmcStart& start : direction_starts(points, directions, start_options())) {
    starts.push_back(std::move(start));
    if (starts.size() == 2) break;
  }
  return starts;
}

void Clustering::add_relaxed_starts(const DenseMatrix& gram, std::vector<MmcStart>& starts) {
  if (options_.steps != MmcSteps::sdp) return;
  timer_.enter("relaxed steps");
  const LabelAlternation relaxed = alternate_label_matrix({.matrix = gram.view(), .c = options_.c},
                                                          {.context = options_.context});
  for (const double value : relaxed.values) result_.relaxed_trace.push_back(options_.c * value);
  for (const LabelCandidate& candidate : round_label_matrix(
           relaxed.v.view(),
           {.least = sizes_.least, .restarts = options_.restarts, .context = options_.context})) {
    starts.push_back({"sdp step, " + candidate.origin, labels_of(candidate.signs)});
  }
}

void Clustering::run_on_features() {
  NystroemFit nystroem;
  Examples features;
  if (options_.landmarks) {
    timer_.enter("landmarks");
    const std::size_t count = std::min(*options_.landmarks, data_.size());
    require_within_limit(
        checked_multiply(checked_multiply(data_.size(), count), 4 * sizeof(double)),
        options_.context.memory_limit,
        options_.method + " with " + std::to_string(count) + " landmarks for " +
            std::to_string(data_.size()) + " points",
        "use fewer landmarks, cluster a sample of the points and predict the others, or allow more "
        "memory");
    nystroem = landmarks(count);
    features = std::move(nystroem.features);
  } else {
    features = data_.examples;
    result_.features = features.cols();
  }
  const MmcPoints points =
      mmc_points(features, options_.bias, options_.k, options_.context.threads);
  DenseMatrix directions;
  if (options_.relaxation) {
    timer_.enter("relaxation");
    directions = bound(points, nystroem.missed);
  }
  timer_.enter("starts");
  const std::vector<std::size_t> sample = sample_rows(features, options_.k, options_.context.seed);
  std::vector<MmcStart> starts = sample.empty()
                                     ? feature_starts(points, directions, start_options())
                                     : sampled_starts(features, points, sample, directions);
  timer_.enter("relabelling");
  // Few points are trained on their inner products, where exact machines cost little.
  DenseMatrix products;
  std::optional<BorrowedMatrix> matrix;
  std::unique_ptr<MmcMachine> machine;
  if (data_.size() <= few_points) {
    products = points_gram(points, options_.context.threads);
    matrix.emplace(products.view());
    machine = gram_machine(products, options_.k);
    add_relaxed_starts(products, starts);
    timer_.enter("relabelling");
  } else {
    machine = feature_machine(points, options_.k);
  }
  MmcSearchAnswer answer = search_labels(*machine,
                                         std::move(starts),
                                         matrix && options_.k == 2 ? &*matrix : nullptr,
                                         search_options(sample.empty()));
  if (matrix) set_weights(points, answer.fit);
  const std::vector<std::size_t> order = take(answer);
  result_.model.functions = options_.landmarks
                                ? functions_of_landmarks(answer.fit, order, nystroem.map)
                                : functions_of_weights(answer.fit, order);
}

void Clustering::run_on_gram() {
  const std::size_t n = data_.size();
  require_within_limit(
      checked_multiply(checked_multiply(n, n), (options_.relaxation ? 3 : 2) * sizeof(double)),
      options_.context.memory_limit,
      options_.method + " on the kernel matrix of " + std::to_string(n) + " points",
      "use features (nystroem:M), a linear kernel, or allow more memory");
  timer_.enter("kernel");
  StoppableGram found = gram_unless_stopped(kernel_, data_.examples, options_.context);
  if (found.answer == Continue::yes && n > rows_finished_anyway) {
    found.answer = options_.context.ask({.phase = "kernel"});
  }
  if (found.answer != Continue::yes) {
    take_untrained(found.answer);
    return;
  }
  DenseMatrix matrix = std::move(found.matrix);
  const FeatureCentring centring = FeatureCentring::fit(matrix.view());
  apply_bias(options_.bias, matrix);
  std::vector<MmcStart> starts;
  if (options_.relaxation) {
    timer_.enter("relaxation");
    const NystroemFit nystroem = landmarks(bound_landmarks);
    const MmcPoints points = mmc_points(
        Examples(nystroem.features), options_.bias, options_.k, options_.context.threads);
    starts = direction_starts(points, bound(points, nystroem.missed), start_options());
  }
  timer_.enter("starts");
  for (MmcStart& start : spectral_starts(data_, kernel_, start_options())) {
    starts.push_back(std::move(start));
  }
  for (MmcStart& start : gram_starts(matrix, start_options())) {
    starts.push_back(std::move(start));
  }
  add_relaxed_starts(matrix, starts);
  timer_.enter("relabelling");
  const std::unique_ptr<MmcMachine> machine = gram_machine(matrix, options_.k);
  const BorrowedMatrix borrowed(matrix.view());
  MmcSearchAnswer answer = search_labels(*machine,
                                         std::move(starts),
                                         options_.k == 2 && n <= few_points ? &borrowed : nullptr,
                                         search_options());
  const std::vector<std::size_t> order = take(answer);
  result_.model.functions =
      functions_of_points(answer.fit, order, data_, kernel_, options_.bias, centring);
}

void Clustering::take_untrained(Continue answer) {
  const std::size_t n = data_.size();
  const std::size_t functions = options_.k == 2 ? 1 : options_.k;
  MmcSearchAnswer nothing{.winner = "no machine", .starts = 1, .answer = answer};
  for (std::size_t i = 0; i < n; ++i) {
    nothing.fit.labels.push_back(static_cast<std::int32_t>(i % options_.k));
  }
  nothing.fit.values = DenseMatrix(n, functions);
  nothing.fit.coefficients = DenseMatrix(n, functions);
  nothing.fit.objective = options_.c * label_loss(nothing.fit.values.view(), nothing.fit.labels);
  const std::vector<std::size_t> order = take(nothing);
  result_.model.functions =
      functions_of_points(nothing.fit, order, data_, kernel_, KernelBias::none, FeatureCentring());
}

std::vector<std::size_t> Clustering::take(MmcSearchAnswer& answer) {
  ClusterNumbers numbers = number_by_size(answer.fit.labels, options_.k);
  result_.labels = std::move(numbers.labels);
  result_.sizes = std::move(numbers.sizes);
  result_.objective = answer.fit.objective;
  result_.training_bound = std::max(0.0, answer.fit.dual);
  result_.starts = answer.starts;
  result_.winner = std::move(answer.winner);
  result_.trainings = answer.trainings;
  result_.trace = std::move(answer.trace);
  SolveReport& report = result_.report;
  if (answer.answer != Continue::yes) {
    report.status = status_of(answer.answer);
    report.warnings.push_back("stopped: not all labellings were tried and polished");
    return numbers.old_number;
  }
  if (!answer.settled) {
    report.status = worse(report.status, Status::iteration_limit);
    report.warnings.push_back("relabelling still changed labels at the limit of " +
                              std::to_string(options_.max_iterations) + " trainings");
  }
  if (answer.fit.status != Status::solved) {
    report.status = worse(report.status, answer.fit.status);
    report.warnings.push_back("the last training ended as " +
                              std::string(to_string(answer.fit.status)) +
                              ": its objective may be above the least for these labels" +
                              (options_.landmarks ? " and features by " : " by ") +
                              format_number(result_.objective - result_.training_bound));
  }
  return numbers.old_number;
}

void Clustering::finish() {
  SolveReport& report = result_.report;
  report.primal_objective = result_.objective;
  report.lower_bound = result_.relaxation ? result_.relaxation->lower_bound : 0.0;
  report.iterations = result_.trainings;
  report.seconds = timer_.finish();
  if (result_.relaxation) {
    result_.relaxation->winner = result_.winner;
    warn_of_weak_bound(result_.objective, *report.lower_bound, report.warnings);
  }
  settle_end(report, Ending::search, options_.tolerance);
}

MmcAlternatingClustering Clustering::run() {
  if (on_features()) {
    run_on_features();
  } else {
    run_on_gram();
  }
  finish();
  return std::move(result_);
}

void check(const Dataset& data, const Kernel& kernel, const MmcAlternatingOptions& options) {
  data.validate();
  require(data.weights.empty(),
          options.method + " does not take example weights: the balance counts points");
  require(definiteness(kernel) != Definiteness::indefinite,
          options.method + ": the kernel " + kernel_name(kernel) +
              " is not positive semidefinite, the machines need one that is");
  require(options.steps == MmcSteps::relabel || data.size() <= few_points,
          options.method + ": sdp steps take up to " + std::to_string(few_points) + " points, " +
              data.source + " has " + std::to_string(data.size()) + ": use relabelling");
  const std::size_t distinct = distinct_rows(data.examples, options.k);
  require(distinct == options.k,
          options.method + ": " + std::to_string(options.k) + " clusters need as many distinct " +
              "points, " + data.source + " has " + std::to_string(distinct));
}

}  // namespace

MmcAlternatingClustering cluster_mmc_alternating(const Dataset& data,
                                                 const Kernel& kernel,
                                                 const MmcAlternatingOptions& options) {
  validate(options);
  check(data, kernel, options);
  return Clustering(data, kernel, options).run();
}

}  // namespace maxmargin
