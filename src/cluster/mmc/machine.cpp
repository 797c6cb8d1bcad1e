// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-alternating.md, "Training"
#include "cluster/mmc/machine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"
#include "maxmargin/problem/kernel_machines.hpp"
#include "problem/borrowed_matrix.hpp"
#include "relax/balanced_classes.hpp"
#include "solver/crammer_singer/crammer_singer.hpp"
#include "solver/linear/centred_hinge.hpp"
#include "solver/linear/hinge_cuts.hpp"
#include "solver/linear/linear.hpp"
#include "solver/smo/smo.hpp"

namespace maxmargin {

namespace {

/// Of a training over all points; large C and few features may want more than is worth it.
constexpr std::uint64_t most_passes = 1000;
constexpr std::size_t most_cuts = 1000;
constexpr std::size_t cut_features = 1000;
constexpr std::uint64_t most_smo_steps = 5'000'000;

/// Objective and, where it is not known, dual of a machine whose values, norm and coefficients are
/// known. The dual point's w is then the machine's own: its value is the sum of the coefficients of
/// the labels less 1/2 |w|^2.
void measure(double c, MmcFit& fit) {
  fit.objective = fit.half_norm + c * label_loss(fit.values.view(), fit.labels);
  if (std::isfinite(fit.dual)) return;
  double sum = 0;
  for (std::size_t i = 0; i < fit.labels.size(); ++i) {
    sum += fit.coefficients.cols() == 1
               ? std::abs(fit.coefficients(i, 0))
               : fit.coefficients(i, static_cast<std::size_t>(fit.labels[i]));
  }
  fit.dual = sum - fit.half_norm;
}

DenseMatrix one_column(std::span<const double> values) {
  DenseMatrix matrix(values.size(), 1);
  std::ranges::copy(values, matrix.values().begin());
  return matrix;
}

/// A feasible start for the machine of Crammer and Singer: rows that do not fit their label (it
/// changed, or C did) begin at 0.
DenseMatrix feasible_start(std::span<const std::int32_t> labels, double c, const MmcFit& start) {
  DenseMatrix from = start.coefficients;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto own = static_cast<std::size_t>(labels[i]);
    bool fits = from(i, own) <= c;
    for (std::size_t r = 0; r < from.cols(); ++r) fits = fits && (r == own || from(i, r) <= 0);
    if (!fits) std::ranges::fill(from.row(i), 0.0);
  }
  return from;
}

CrammerSinger direct_problem(std::span<const std::int32_t> labels, std::size_t classes, double c) {
  CrammerSinger problem;
  problem.class_count = classes;
  problem.classes.assign(labels.begin(), labels.end());
  problem.costs.assign(labels.size(), c);
  return problem;
}

CrammerSingerSolution solve_direct(const CrammerSinger& problem,
                                   const MmcTraining& training,
                                   const MmcFit* start) {
  const bool begun = start != nullptr && start->coefficients.rows() == problem.size();
  const CrammerSingerOptions options{.tolerance = training.tolerance,
                                     .max_iterations = most_passes * problem.size(),
                                     .context = training.context};
  if (!begun) return solve_crammer_singer(problem, options);
  const DenseMatrix from = feasible_start(problem.classes, training.c, *start);
  return solve_crammer_singer(problem, options, from.view());
}

class GramMachine final : public MmcMachine {
 public:
  GramMachine(const DenseMatrix& gram, std::size_t classes)
      : MmcMachine(classes), gram_(gram), matrix_(gram.view()) {}

  [[nodiscard]] std::size_t size() const override { return gram_.rows(); }
  [[nodiscard]] MmcFit train(std::vector<std::int32_t> labels,
                             const MmcTraining& training,
                             const MmcFit* start) const override {
    MmcFit fit;
    if (classes() == 2) {
      const std::vector<double> weights(labels.size(), 1.0);
      const SvmDual problem =
          c_svc_dual(matrix_, signs_of(labels), weights, {.c = training.c, .bias = false});
      std::vector<double> from;
      if (start != nullptr) {
        for (std::size_t i = 0; i < labels.size(); ++i) {
          from.push_back(std::clamp(start->coefficients(i, 0), problem.lower[i], problem.upper[i]));
        }
      }
      const SmoSolution found = solve_smo(problem,
                                          {.tolerance = training.tolerance,
                                           .max_iterations = most_smo_steps,
                                           .context = training.context},
                                          from);
      fit.status = found.report.status;
      fit.coefficients = one_column(found.coefficients);
    } else {
      CrammerSinger problem = direct_problem(labels, classes(), training.c);
      problem.points = &matrix_;
      CrammerSingerSolution found = solve_direct(problem, training, start);
      fit.status = found.report.status;
      fit.coefficients = std::move(found.coefficients);
    }
    fit.labels = std::move(labels);
    fit.values = products(fit.coefficients, thread_count(training.context.threads));
    fit.half_norm = 0.5 * dot(fit.coefficients.values(), fit.values.values());
    measure(training.c, fit);
    return fit;
  }

 private:
  [[nodiscard]] DenseMatrix products(const DenseMatrix& coefficients, std::size_t threads) const {
    constexpr std::size_t rows_at_once = 256;
    DenseMatrix values(gram_.rows(), coefficients.cols());
    const MutableDenseView to = values.view();
    parallel_chunks(
        threads, gram_.rows(), rows_at_once, [&](std::size_t, std::size_t begin, std::size_t end) {
          gemm(Transpose::no,
               Transpose::no,
               1.0,
               gram_.view().middle_rows(begin, end),
               coefficients.view(),
               0.0,
               to.middle_rows(begin, end));
        });
    return values;
  }

  const DenseMatrix& gram_;
  BorrowedMatrix matrix_;
};

class FeatureMachine final : public MmcMachine {
 public:
  FeatureMachine(const MmcPoints& points, std::size_t classes, std::size_t cut_points)
      : MmcMachine(classes), points_(points), cut_points_(cut_points) {}

  [[nodiscard]] std::size_t size() const override { return points_.examples.rows(); }
  [[nodiscard]] MmcFit train(std::vector<std::int32_t> labels,
                             const MmcTraining& training,
                             const MmcFit* start) const override {
    MmcFit fit;
    fit.labels = std::move(labels);
    if (classes() > 2) {
      train_direct(training, start, fit);
    } else if (size() > cut_points_ && points_.examples.cols() <= cut_features) {
      train_by_cuts(training, start, fit);
    } else if (points_.shifts()) {
      train_shifted(training, start, fit);
    } else {
      train_plain(training, start, fit);
    }
    set_values(points_, training.context.threads, fit);
    measure(training.c, fit);
    return fit;
  }

 private:
  [[nodiscard]] bool has_constant() const { return points_.bias == MmcBias::constant; }
  [[nodiscard]] std::variant<SparseView, DenseView> rows() const {
    if (points_.examples.is_dense()) return DenseView(points_.examples.dense());
    return points_.examples.sparse();
  }
  [[nodiscard]] static LinearOptions linear_options(const MmcTraining& training) {
    return {.tolerance = training.tolerance,
            .max_iterations = most_passes,
            .context = training.context};
  }
  /// Coefficients, turned where the label was: solvers move them into their bounds.
  [[nodiscard]] static std::span<const double> start_of(const MmcFit* start) {
    return start == nullptr ? std::span<const double>() : start->coefficients.values();
  }
  [[nodiscard]] static std::vector<double> targets_of(std::span<const std::int32_t> labels) {
    std::vector<double> targets;
    targets.reserve(labels.size());
    for (const std::int32_t label : labels) targets.push_back(label == 0 ? 1 : -1);
    return targets;
  }

  /// Many points, few features: cutting planes close a gap that coordinate descent does not at a
  /// large C.
  void train_by_cuts(const MmcTraining& training, const MmcFit* start, MmcFit& fit) const {
    const std::vector<double> targets = targets_of(fit.labels);
    BoundedMeanHinge problem{.points = points_.examples.points(),
                             .bias = has_constant() ? 1.0 : 0.0,
                             .signs = targets,
                             .c = training.c};
    if (points_.shifts()) problem.centre = points_.mean;
    std::vector<double> from;
    if (start != nullptr && start->weights.rows() == 1) {
      from.assign(start->weights.row(0).begin(), start->weights.row(0).end());
      if (has_constant()) from.push_back(start->offsets.front());
    }
    HingeCutsSolution found = solve_hinge_cuts(
        problem,
        {.tolerance = training.tolerance, .max_iterations = most_cuts, .context = training.context},
        from);
    fit.status = found.report.status;
    // The solver gives no dual where rounding ate it; 0 is below every objective.
    fit.dual = found.report.dual_objective.value_or(0.0);
    fit.coefficients = one_column(found.coefficients);
    const std::size_t columns = points_.examples.cols();
    fit.weights = DenseMatrix(1, columns);
    std::ranges::copy(std::span(found.w).first(columns), fit.weights.row(0).begin());
    fit.offsets = {has_constant() ? found.w.back() : 0.0};
  }

  void train_plain(const MmcTraining& training, const MmcFit* start, MmcFit& fit) const {
    const std::vector<double> targets = targets_of(fit.labels);
    LinearRisk problem;
    problem.examples = rows();
    problem.targets = targets;
    problem.c = training.c;
    problem.bias = has_constant() ? 1 : 0;
    LinearSolution found =
        solve_dual_coordinate(problem, linear_options(training), start_of(start));
    fit.status = found.report.status;
    fit.coefficients = one_column(found.coefficients);
    const std::size_t columns = points_.examples.cols();
    fit.weights = DenseMatrix(1, columns);
    std::ranges::copy(std::span(found.w).first(columns), fit.weights.row(0).begin());
    fit.offsets = {has_constant() ? found.w.back() : 0.0};
  }

  void train_shifted(const MmcTraining& training, const MmcFit* start, MmcFit& fit) const {
    const std::vector<double> targets = targets_of(fit.labels);
    const std::vector<double> margins(targets.size(), 1.0);
    const std::vector<double> costs(targets.size(), training.c);
    const CentredHingeSolution found = solve_centred_hinge({.examples = rows(),
                                                            .centre = points_.mean,
                                                            .signs = targets,
                                                            .margins = margins,
                                                            .costs = costs},
                                                           linear_options(training),
                                                           start_of(start));
    fit.status = found.report.status;
    // The solver gives no dual where rounding ate it; 0 is below every objective.
    fit.dual = found.report.dual_objective.value_or(0.0);
    fit.coefficients = one_column(found.coefficients);
    fit.weights = DenseMatrix(1, found.w.size());
    std::ranges::copy(found.w, fit.weights.row(0).begin());
    fit.offsets = {0.0};
  }

  void train_direct(const MmcTraining& training, const MmcFit* start, MmcFit& fit) const {
    CrammerSinger problem = direct_problem(fit.labels, classes(), training.c);
    problem.points = points_.examples.points();
    problem.bias = has_constant() ? 1 : 0;
    CrammerSingerSolution found = solve_direct(problem, training, start);
    fit.status = found.report.status;
    fit.coefficients = std::move(found.coefficients);
    fit.weights = std::move(found.weights);
    fit.offsets = std::move(found.offsets);
  }

  const MmcPoints& points_;
  std::size_t cut_points_;
};

}  // namespace

double label_loss(DenseView values, std::span<const std::int32_t> labels) {
  double sum = 0;
  if (values.cols == 1) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      sum += std::max(0.0, 1 - (labels[i] == 0 ? values(i, 0) : -values(i, 0)));
    }
    return sum;
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto own = static_cast<std::size_t>(labels[i]);
    double loss = 0;
    for (std::size_t r = 0; r < values.cols; ++r) {
      if (r != own) loss = std::max(loss, 1 + values(i, r) - values(i, own));
    }
    sum += loss;
  }
  return sum;
}

std::vector<std::int8_t> signs_of(std::span<const std::int32_t> labels) {
  std::vector<std::int8_t> signs;
  signs.reserve(labels.size());
  for (const std::int32_t label : labels) signs.push_back(label == 0 ? 1 : -1);
  return signs;
}

std::vector<std::int32_t> labels_of(std::span<const std::int8_t> signs) {
  std::vector<std::int32_t> labels;
  labels.reserve(signs.size());
  for (const std::int8_t sign : signs) labels.push_back(sign > 0 ? 0 : 1);
  return labels;
}

std::unique_ptr<MmcMachine> gram_machine(const DenseMatrix& gram, std::size_t classes) {
  return std::make_unique<GramMachine>(gram, classes);
}

MmcPoints mmc_points(const Examples& examples,
                     MmcBias bias,
                     std::size_t classes,
                     std::optional<std::size_t> threads) {
  MmcPoints points{.bias = bias};
  if (bias != MmcBias::center) {
    points.examples = examples;
    return points;
  }
  const ColumnMeans means = column_means(examples.points(), {}, thread_count(threads));
  points.mean = means.value;
  if (!examples.is_dense() && classes == 2) {
    points.examples = examples;
    return points;
  }
  require_memory_for_numbers(examples.rows(), examples.cols(), "the centred points");
  DenseMatrix centred(examples.rows(), examples.cols());
  examples.points().copy_shifted(0, examples.rows(), points.mean, centred.view());
  points.examples = std::move(centred);
  return points;
}

DenseMatrix points_gram(const MmcPoints& points, std::optional<std::size_t> threads) {
  DenseMatrix products = gram(Linear{}, points.examples, {.context = {.threads = threads}});
  // Dense points are centred already.
  if (!points.shifts()) {
    if (points.bias == MmcBias::constant) apply_bias(points.bias, products);
    return products;
  }
  const auto largest = [&] {
    double value = 0;
    for (std::size_t i = 0; i < products.rows(); ++i) value = std::max(value, products(i, i));
    return value;
  };
  const double given = largest();
  apply_bias(points.bias, products);
  // Points far from 0 beside their distances lose digits here: they are filled and centred first.
  constexpr double most_lost = 1e-9;
  if (std::numeric_limits<double>::epsilon() * given <= most_lost * largest()) return products;
  const Examples& examples = points.examples;
  require_memory_for_numbers(examples.rows(), examples.cols(), "the centred points");
  DenseMatrix centred(examples.rows(), examples.cols());
  examples.points().copy_shifted(0, examples.rows(), points.mean, centred.view());
  return gram(Linear{}, Examples(std::move(centred)), {.context = {.threads = threads}});
}

void set_weights(const MmcPoints& points, MmcFit& fit) {
  const std::size_t count = fit.coefficients.cols();
  fit.weights = DenseMatrix(count, points.examples.cols());
  fit.offsets.assign(count, 0.0);
  for (std::size_t r = 0; r < count; ++r) {
    const std::span<double> w = fit.weights.row(r);
    double sum = 0;
    for (std::size_t i = 0; i < points.examples.rows(); ++i) {
      points.examples.row(i).axpy_into(fit.coefficients(i, r), w);
      sum += fit.coefficients(i, r);
    }
    if (points.shifts()) axpy(-sum, points.mean, w);
    if (points.bias == MmcBias::constant) fit.offsets[r] = sum;
    if (points.bias == MmcBias::center) fit.offsets[r] = -dot(w, points.mean);
  }
}

void set_values(const MmcPoints& points, std::optional<std::size_t> threads, MmcFit& fit) {
  const std::size_t count = fit.weights.rows();
  fit.half_norm = 0.5 * dot(fit.weights.values(), fit.weights.values());
  if (points.bias == MmcBias::constant) {
    fit.half_norm += 0.5 * dot(fit.offsets, fit.offsets);
  } else {
    fit.offsets.assign(count, 0.0);
  }
  LinearFunctions functions{.weights = fit.weights, .offsets = fit.offsets};
  if (points.bias == MmcBias::center) {
    for (std::size_t r = 0; r < count; ++r) {
      fit.offsets[r] = -dot(fit.weights.row(r), points.mean);
    }
    // Dense points are centred already.
    if (points.shifts()) functions.offsets = fit.offsets;
  }
  fit.values = decision_values(functions, points.examples, {.context = {.threads = threads}});
}

std::unique_ptr<MmcMachine> feature_machine(const MmcPoints& points,
                                            std::size_t classes,
                                            std::size_t cut_points) {
  return std::make_unique<FeatureMachine>(points, classes, cut_points);
}

}  // namespace maxmargin
