// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/robust.md, "Centroid machine"
#include "maxmargin/model/robust/centroid_svc.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/parallel.hpp"
#include "kernel/gram/cross_blocks.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/problem/kernel_machines.hpp"
#include "model/choose_code.hpp"
#include "model/describe.hpp"
#include "model/kernel/code_trainer.hpp"
#include "model/kernel/training.hpp"

namespace maxmargin {

namespace {

/// Asks between slabs of rows whether to go on.
class DistanceRun {
 public:
  DistanceRun(std::size_t rows, std::size_t threads, const ProgressCallback& on_progress)
      : rows_(rows), threads_(threads), on_progress_(on_progress) {}

  [[nodiscard]] std::size_t threads() const { return threads_; }
  /// How the callback ended the run, if it did.
  [[nodiscard]] std::optional<Status> stopped() const { return stopped_; }
  /// Whether to do `rows` more.
  [[nodiscard]] bool go_on(std::size_t rows) {
    const Continue answer =
        ask(on_progress_, {.phase = "distances", .iteration = done_, .max_iterations = rows_});
    if (answer != Continue::yes) stopped_ = status_of(answer);
    done_ += rows;
    return !stopped_;
  }

 private:
  std::size_t rows_;
  std::size_t threads_;
  const ProgressCallback& on_progress_;
  std::size_t done_ = 0;
  std::optional<Status> stopped_ = std::nullopt;
};

/// For the examples of one class: sum_j weight_j K_ij / sum_j weight_j. Ends early when the run
/// does.
std::vector<double> mean_similarities(const Kernel& kernel,
                                      const Examples& members,
                                      std::span<const double> weights,
                                      double total,
                                      DistanceRun& run) {
  constexpr std::size_t slab_rows = 1024;
  std::vector<double> means(members.rows(), 0.0);
  for (std::size_t begin = 0; begin < members.rows(); begin += slab_rows) {
    std::vector<std::size_t> rows(std::min(slab_rows, members.rows() - begin));
    if (!run.go_on(rows.size())) break;
    std::iota(rows.begin(), rows.end(), begin);
    const Examples slab = members.select(rows);
    // Blocks of the same rows come one after the other, so sums do not depend on the threads.
    visit_cross_blocks(kernel, slab, members, run.threads(), [&](const CrossBlock<double>& block) {
      for (std::size_t i = 0; i < block.values.rows; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < block.values.cols; ++j) {
          sum += weights[block.col_begin + j] * block.values(i, j);
        }
        means[begin + block.row_begin + i] += sum / total;
      }
    });
  }
  return means;
}

/// How far a sum of kernel values may be off, in relation to its terms.
constexpr double distance_rounding = 16 * std::numeric_limits<double>::epsilon();

/// Squared distances to the class centres; of use unless the run was stopped.
std::vector<double> distances_of(const Kernel& kernel,
                                 const Examples& examples,
                                 std::span<const std::int32_t> classes,
                                 std::span<const double> weights,
                                 DistanceRun& run) {
  std::vector<double> distances(examples.rows(), 0.0);
  const std::int32_t count = classes.empty() ? 0 : *std::ranges::max_element(classes) + 1;
  for (std::int32_t c = 0; c < count && !run.stopped(); ++c) {
    std::vector<std::size_t> rows;
    std::vector<double> of_rows;
    double total = 0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (classes[i] != c) continue;
      rows.push_back(i);
      of_rows.push_back(weights[i]);
      total += weights[i];
    }
    if (!(total > 0)) continue;
    const Examples members = examples.select(rows);
    const std::vector<double> means = mean_similarities(kernel, members, of_rows, total, run);
    double centre_norm = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) centre_norm += of_rows[k] * means[k] / total;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double self = evaluate(kernel, members.row(k), members.row(k));
      const double square = self - 2 * means[k] + centre_norm;
      // What is left of equal numbers is rounding, not a distance: a class of one example, or of
      // equal ones, is its centre.
      const double size = std::abs(self) + 2 * std::abs(means[k]) + std::abs(centre_norm);
      distances[rows[k]] = square > distance_rounding * size ? square : 0.0;
    }
  }
  return distances;
}

/// 1/2 of the inverse of the median of the distances that count; 0 when that is not positive.
double default_lambda(std::span<const double> distances, std::span<const double> weights) {
  std::vector<double> counted;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (weights[i] > 0) counted.push_back(distances[i]);
  }
  if (counted.empty()) return 0;
  const auto middle = counted.begin() + static_cast<std::ptrdiff_t>(counted.size() / 2);
  std::ranges::nth_element(counted, middle);
  return *middle > 0 ? 0.5 / *middle : 0.0;
}

}  // namespace

std::vector<double> squared_distances_to_class_centres(const Kernel& kernel,
                                                       const Examples& examples,
                                                       std::span<const std::int32_t> classes,
                                                       std::span<const double> weights,
                                                       std::optional<std::size_t> threads) {
  require(classes.size() == examples.rows() && weights.size() == examples.rows(),
          "one class and one weight a row are wanted");
  const ProgressCallback nobody;
  DistanceRun run(examples.rows(), thread_count(threads), nobody);
  return distances_of(kernel, examples, classes, weights, run);
}

void CentroidSvcOptions::describe(OptionVisitor& visit) {
  describe_cost(visit, c);
  kernel.describe(visit, allow_indefinite);
  visit.number({.name = "lambda",
                .help = "margin given up for each unit of squared distance to the class centre",
                .value = "L",
                .fallback = "0.5 / median distance"},
               lambda,
               rules::not_negative);
  describe_bias(visit, bias);
  describe_class_weights(visit, class_weights);
  describe_multiclass(visit, multiclass, code);
  describe_one_class(visit, allow_one_class);
  control.describe(visit);
}

TrainedCentroidClassifier train_centroid_svc(const Dataset& data,
                                             const CentroidSvcOptions& options) {
  validate(options);
  const ClassificationTask task =
      classification_task(data, options.class_weights, options.allow_one_class);
  const Kernel kernel = resolved_kernel(options.kernel, data, options.control, options.bias);
  DistanceRun run(data.size(),
                  thread_count(options.control.context.threads),
                  options.control.context.on_progress);
  const std::vector<double> distances =
      distances_of(kernel, data.examples, task.classes.of_row, task.weights, run);
  TrainedCentroidClassifier trained;
  trained.lambda = options.lambda ? *options.lambda : default_lambda(distances, task.weights);
  const auto solve = [&](const CodeProblem& of) {
    const std::vector<std::int8_t>& signs = of.part.signs;
    std::vector<CodeMachine> machines;
    if (run.stopped()) {
      // The problem is not known yet: no objective, and a constant as the answer.
      machines.push_back(constant_machine(signs));
      machines.front().report.report = {
          .status = *run.stopped(),
          .message = "stopped while measuring distances to class centres"};
      return machines;
    }
    if (signs.empty() || (options.bias && has_one_sign(signs))) {
      machines.push_back(constant_machine(signs));
      return machines;
    }
    SvmDual problem =
        c_svc_dual(of.matrix, signs, of.part.weights, {.c = options.c, .bias = options.bias});
    for (std::size_t k = 0; k < signs.size(); ++k) {
      problem.linear[k] *= 1 - trained.lambda * distances[of.part.rows[k]];
    }
    SmoOptions smo = smo_options(options.control, {});
    smo.context.on_progress = of.progress;
    SmoSolution solution = solve_smo(problem, smo);
    machines.push_back(machine_of(problem, std::move(solution)));
    return machines;
  };
  static_cast<TrainedClassifier&>(trained) =
      std::move(train_code({data,
                            kernel,
                            options.control,
                            task,
                            choose_code(options.multiclass,
                                        options.code,
                                        task.classes.count(),
                                        options.control.context.seed)},
                           1,
                           solve)
                    .front());
  return trained;
}

}  // namespace maxmargin
