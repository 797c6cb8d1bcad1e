// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/projection/lda.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/memory_limit.hpp"
#include "core/parallel.hpp"
#include "core/stoppable.hpp"
#include "core/weights.hpp"
#include "linalg/blas.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "linalg/stoppable_scatter.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/linalg/point_rows.hpp"
#include "model/describe.hpp"

namespace maxmargin {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Up to so many features the factorisation takes no time that anybody would notice, nor does the
/// covariance up to so many products.
constexpr std::size_t features_finished_anyway = 500;
constexpr double products_finished_anyway = 2e9;

/// Is the covariance known before anybody could have asked for a stop?
bool is_finished_anyway(const Dataset& data) {
  const auto d = static_cast<double>(data.features());
  return data.features() <= features_finished_anyway &&
         static_cast<double>(data.size()) * d * d <= products_finished_anyway;
}

/// The rows of a class that count.
struct ClassRows {
  std::vector<std::size_t> rows = {};
  std::vector<double> weights = {};
  ColumnMeans mean = {};
};

/// Means, shares and the within-class covariance.
struct ClassMoments {
  std::vector<ClassRows> classes = {};
  double total = 0;
  std::vector<double> shares = {};
  std::vector<double> mean = {};
  /// Mean of each class less the mean of all, one row a class.
  DenseMatrix centres = {};
  DenseMatrix within = {};
};

void require_room(std::size_t d, std::size_t k, std::size_t memory) {
  const std::size_t row = checked_add(checked_multiply(d, 3), checked_multiply(k, 2));
  require_within_limit(checked_multiply(checked_multiply(d, row), sizeof(double)),
                       memory,
                       "lda on " + std::to_string(d) + " features",
                       "use linear-svc, or allow more memory");
}

/// All but the covariance: one pass over the data, without which there is no answer at all.
ClassMoments means_of(const Dataset& data,
                      const ClassificationTask& task,
                      const LdaOptions& options) {
  const std::size_t k = task.classes.count();
  const std::size_t d = data.features();
  require_room(d, k, options.control.context.memory_bytes());
  const std::size_t threads = thread_count(options.control.context.threads);
  ClassMoments moments{.classes = std::vector<ClassRows>(k),
                       .shares = std::vector<double>(k, 0.0),
                       .mean = std::vector<double>(d, 0.0),
                       .centres = DenseMatrix(k, d)};
  for (std::size_t c = 0; c < k; ++c) {
    ClassRows& own = moments.classes[c];
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (task.classes.of_row[i] != static_cast<std::int32_t>(c) || !(task.weights[i] > 0))
        continue;
      own.rows.push_back(i);
      own.weights.push_back(task.weights[i]);
      moments.shares[c] += task.weights[i];
    }
    require(!own.rows.empty(),
            "class " + task.classes.names[c].text() + " has no example of weight > 0");
    moments.total += moments.shares[c];
    own.mean = column_means(data.examples.select(own.rows).points(), own.weights, threads);
    std::ranges::copy(own.mean.value, moments.centres.row(c).begin());
  }
  for (std::size_t c = 0; c < k; ++c) {
    moments.shares[c] /= moments.total;
    axpy(moments.shares[c], moments.centres.row(c), moments.mean);
  }
  for (std::size_t c = 0; c < k; ++c) axpy(-1.0, moments.mean, moments.centres.row(c));
  return moments;
}

/// The covariance within classes. Throws Stopped.
void add_covariance(const Dataset& data,
                    const LdaOptions& options,
                    SharedProgress& progress,
                    ClassMoments& moments) {
  const std::size_t d = data.features();
  moments.within = DenseMatrix(d, d);
  for (const ClassRows& own : moments.classes) {
    const Examples examples = data.examples.select(own.rows);
    const DenseMatrix scatter = scatter_matrix(examples.points(),
                                               own.weights,
                                               own.mean,
                                               thread_count(options.control.context.threads),
                                               progress);
    axpy(1.0, scatter.values(), moments.within.values());
  }
  for (double& value : moments.within.values()) value /= moments.total;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      if (i != j) moments.within(i, j) *= 1 - options.shrinkage;
    }
  }
  for (const double value : moments.within.values()) {
    require(std::isfinite(value), "the values are so large that their squares overflow");
  }
}

/// The diagonal of the covariance alone.
std::vector<double> variances_within(const Dataset& data, const ClassMoments& moments) {
  std::vector<double> variances(moments.mean.size(), 0.0);
  for (const ClassRows& own : moments.classes) {
    double mass = 0;
    std::vector<double> present(variances.size(), 0.0);
    for (std::size_t i = 0; i < own.rows.size(); ++i) {
      mass += own.weights[i];
      data.examples.row(own.rows[i]).for_each([&](std::size_t j, double value) {
        const double difference = value - own.mean.value[j];
        variances[j] += own.weights[i] * difference * difference;
        present[j] += own.weights[i];
      });
    }
    // Entries that sparse rows leave out are 0.
    for (std::size_t j = 0; j < variances.size(); ++j) {
      const double rest = std::max(0.0, mass - present[j]);
      variances[j] += rest * own.mean.value[j] * own.mean.value[j];
    }
  }
  for (double& variance : variances) variance /= moments.total;
  return variances;
}

/// A feature's variance over all examples, and whether that is more than rounding.
double whole_variance(const ClassMoments& moments, std::size_t j, double within) {
  double variance = within;
  double size = std::abs(moments.mean[j]);
  for (std::size_t c = 0; c < moments.shares.size(); ++c) {
    const double centre = moments.centres(c, j);
    variance += moments.shares[c] * centre * centre;
    size = std::max(size, std::abs(centre));
  }
  return std::sqrt(variance) > 16 * epsilon * size ? variance : 0;
}

/// The covariance after dividing every feature by its standard deviation over all examples, so that
/// units do not matter; factored.
class Whitening {
 public:
  /// Throws Stopped.
  Whitening(const ClassMoments& moments, std::size_t threads, SharedProgress& progress)
      : scales_(moments.mean.size(), 0.0) {
    const std::size_t d = scales_.size();
    matrix_ = DenseMatrix(d, d);
    for (std::size_t j = 0; j < d; ++j) {
      // A feature that varies by rounding alone is constant: it gets no weight.
      const double variance = whole_variance(moments, j, moments.within(j, j));
      if (variance > 0) scales_[j] = 1 / std::sqrt(variance);
    }
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        matrix_(i, j) = moments.within(i, j) * scales_[i] * scales_[j];
      }
      if (scales_[i] == 0) matrix_(i, i) = 1;
    }
    factor(threads, progress);
  }

  [[nodiscard]] double ridge() const noexcept { return ridge_; }
  [[nodiscard]] const Cholesky& factor_of() const noexcept { return *factor_; }
  [[nodiscard]] std::vector<double> scaled(std::span<const double> x) const {
    std::vector<double> answer(x.begin(), x.end());
    for (std::size_t j = 0; j < answer.size(); ++j) answer[j] *= scales_[j];
    return answer;
  }
  /// Largest |matrix x - b| over the largest |b| plus that of |matrix| |x|.
  [[nodiscard]] double residual(std::span<const double> x, std::span<const double> b) const {
    std::vector<double> rest(b.begin(), b.end());
    gemv(Transpose::no, -1.0, matrix_.view(), x, 1.0, rest);
    double error = 0;
    double size = 0;
    for (std::size_t j = 0; j < rest.size(); ++j) {
      error = std::max(error, std::abs(rest[j]));
      size = std::max({size, std::abs(b[j]), std::abs(x[j])});
    }
    return size > 0 ? error / size : 0;
  }

 private:
  void factor(std::size_t threads, SharedProgress& progress) {
    constexpr double pivot_tolerance = 1e-12;
    const ProgressCallback on_progress = [&](const Progress& asked) { return progress(asked); };
    for (double next = 1e-10;; next *= 100) {
      factor_ = matrix_.rows() <= features_finished_anyway
                    ? Cholesky::factor(matrix_.view(), pivot_tolerance)
                    : Cholesky::factor(matrix_.view(), pivot_tolerance, threads, on_progress);
      if (factor_) return;
      if (progress.answer() != Continue::yes) throw Stopped(progress.answer());
      if (next > 1e3) throw InternalError("LDA found no ridge that makes its matrix definite");
      for (std::size_t j = 0; j < matrix_.rows(); ++j) matrix_(j, j) += next - ridge_;
      ridge_ = next;
    }
  }

  std::vector<double> scales_;
  DenseMatrix matrix_ = {};
  double ridge_ = 0;
  std::optional<Cholesky> factor_ = std::nullopt;
};

/// W^-1 (mean_c - mean) and its offset, for each class.
struct Discriminants {
  DenseMatrix weights = {};
  std::vector<double> offsets = {};
  double residual = 0;
};

Discriminants discriminants_of(const ClassMoments& moments, const Whitening& whitening) {
  const std::size_t k = moments.shares.size();
  Discriminants answer{.weights = DenseMatrix(k, moments.mean.size())};
  for (std::size_t c = 0; c < k; ++c) {
    const std::vector<double> right = whitening.scaled(moments.centres.row(c));
    std::vector<double> solution = right;
    whitening.factor_of().solve(solution);
    answer.residual = std::max(answer.residual, whitening.residual(solution, right));
    const std::vector<double> w = whitening.scaled(solution);
    std::ranges::copy(w, answer.weights.row(c).begin());
    answer.offsets.push_back(std::log(moments.shares[c]) - dot(w, moments.mean) -
                             0.5 * dot(w, moments.centres.row(c)));
  }
  return answer;
}

/// The same with features that count as independent, for which there is always time.
Discriminants independent_discriminants(const Dataset& data, const ClassMoments& moments) {
  const std::size_t k = moments.shares.size();
  const std::size_t d = moments.mean.size();
  const std::vector<double> variances = variances_within(data, moments);
  Discriminants answer{.weights = DenseMatrix(k, d)};
  for (std::size_t c = 0; c < k; ++c) {
    for (std::size_t j = 0; j < d; ++j) {
      const double whole = whole_variance(moments, j, variances[j]);
      // With the ridge that a singular covariance gets.
      if (whole > 0) {
        answer.weights(c, j) = moments.centres(c, j) / std::max(variances[j], 1e-10 * whole);
      }
    }
    const std::span<const double> w = answer.weights.row(c);
    answer.offsets.push_back(std::log(moments.shares[c]) - dot(w, moments.mean) -
                             0.5 * dot(w, moments.centres.row(c)));
  }
  return answer;
}

/// Two classes are one function, the difference; one class is the constant that says so.
LinearFunctions functions_of(const Discriminants& found) {
  const std::size_t k = found.offsets.size();
  if (k > 2) return {.weights = found.weights, .offsets = found.offsets};
  LinearFunctions one{.weights = DenseMatrix(1, found.weights.cols()), .offsets = {-1}};
  if (k < 2) return one;
  axpy(1.0, found.weights.row(1), one.weights.row(0));
  axpy(-1.0, found.weights.row(0), one.weights.row(0));
  one.offsets[0] = found.offsets[1] - found.offsets[0];
  return one;
}

/// The classes after whitening.
struct BetweenClasses {
  /// g_c = L^-1 sqrt(share_c) centre_c, one a row: the between-class covariance is G'G, and GG' has
  /// the same non-zero eigenvalues.
  DenseMatrix centres = {};
  EigenPairs eigen = {};
  /// Falling, without those at rounding level.
  std::vector<double> ratios = {};
};

BetweenClasses between(const ClassMoments& moments, const Whitening& whitening) {
  const std::size_t k = moments.shares.size();
  const std::size_t d = moments.mean.size();
  BetweenClasses found{.centres = DenseMatrix(k, d)};
  DenseMatrix& g = found.centres;
  for (std::size_t c = 0; c < k; ++c) {
    std::vector<double> centre = whitening.scaled(moments.centres.row(c));
    whitening.factor_of().solve_lower(centre);
    axpy(std::sqrt(moments.shares[c]), centre, g.row(c));
  }
  DenseMatrix inner(k, k);
  gemm(Transpose::no, Transpose::yes, 1.0, g.view(), g.view(), 0.0, inner.view());
  found.eigen = eigen_symmetric(inner.view());
  const std::vector<double>& values = found.eigen.values;
  const double least = 1e3 * epsilon * std::max(values.back(), 0.0);
  for (std::size_t t = 0; t + 1 < k && t < d; ++t) {
    if (values[k - 1 - t] > least) found.ratios.push_back(values[k - 1 - t]);
  }
  return found;
}

void warn_of_ridge(double ridge, SolveReport& report) {
  if (ridge == 0) return;
  report.warnings.push_back("the within-class covariance is singular; a ridge of " +
                            format_number(ridge, 3) +
                            " times each feature's variance was added (option shrinkage)");
}

}  // namespace

void LdaOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "shrinkage",
                .help = "share of the covariance that is moved to its diagonal; 1 is naive Bayes",
                .value = "SHARE"},
               shrinkage,
               rules::share);
  describe_class_weights(visit, class_weights);
  describe_one_class(visit, allow_one_class);
  visit.threads(control.context.threads);
}

TrainedLda train_lda(const Dataset& data, const LdaOptions& options) {
  validate(options);
  data.validate();
  const ClassificationTask task =
      classification_task(data, options.class_weights, options.allow_one_class);
  const Context& context = options.control.context;
  const ProgressCallback nobody;
  SharedProgress progress(is_finished_anyway(data) ? nobody : context.on_progress);
  PhaseTimer timer;
  timer.enter("moments");
  ClassMoments moments = means_of(data, task, options);
  TrainedLda trained;
  MachineReport machine;
  Discriminants found;
  try {
    add_covariance(data, options, progress, moments);
    timer.enter("factor");
    const Whitening whitening(moments, thread_count(context.threads), progress);
    found = discriminants_of(moments, whitening);
    trained.ratios = between(moments, whitening).ratios;
    machine.report.message = "closed form: there is no duality gap";
    warn_of_ridge(whitening.ridge(), machine.report);
  } catch (const Stopped& stopped) {
    found = independent_discriminants(data, moments);
    machine.report.status = status_of(stopped.answer());
    machine.report.message =
        "ended before the covariance was known: features count as independent, as with shrinkage 1";
  }
  const std::size_t k = task.classes.count();
  trained.model.classes = task.classes.names;
  trained.model.code = k <= 2 ? one_vs_rest_code(k) : direct_code(k);
  trained.model.feature_names = data.feature_names;
  const LinearFunctions functions = functions_of(found);
  machine.report.primal_residual = found.residual;
  machine.report.seconds = timer.finish();
  for (const double w : functions.weights.values()) machine.squared_norm += w * w;
  trained.model.functions = functions;
  trained.report = machine.report;
  trained.machines.push_back(std::move(machine));
  return trained;
}

LdaProjection lda_projection(const Dataset& data, const LdaOptions& options) {
  validate(options);
  data.validate();
  const ClassificationTask task =
      classification_task(data, options.class_weights, options.allow_one_class);
  const ProgressCallback nobody;
  SharedProgress progress(nobody);
  ClassMoments moments = means_of(data, task, options);
  add_covariance(data, options, progress, moments);
  const Whitening whitening(moments, thread_count(options.control.context.threads), progress);
  const BetweenClasses found = between(moments, whitening);
  const std::size_t k = moments.shares.size();
  const std::size_t d = moments.mean.size();
  LdaProjection projection{.mean = moments.mean, .ratios = found.ratios};
  projection.directions = DenseMatrix(found.ratios.size(), d);
  for (std::size_t t = 0; t < found.ratios.size(); ++t) {
    std::vector<double> direction(d, 0.0);
    gemv(Transpose::yes,
         1 / std::sqrt(found.ratios[t]),
         found.centres.view(),
         found.eigen.vectors.row(k - 1 - t),
         0.0,
         direction);
    whitening.factor_of().solve_lower_transposed(direction);
    direction = whitening.scaled(direction);
    fix_sign(direction);
    std::ranges::copy(direction, projection.directions.row(t).begin());
  }
  return projection;
}

DenseMatrix LdaProjection::transform(const Examples& examples,
                                     std::optional<std::size_t> threads) const {
  LinearFunctions functions{.weights = directions};
  for (std::size_t t = 0; t < directions.rows(); ++t) {
    functions.offsets.push_back(-dot(directions.row(t), mean));
  }
  return decision_values(functions, examples, {.context = {.threads = threads}});
}

std::vector<double> feature_importance(const LinearFunctions& functions,
                                       std::span<const double> deviations) {
  const std::size_t d = functions.weights.cols();
  require(deviations.empty() || deviations.size() == d,
          "there are " + std::to_string(deviations.size()) + " deviations for " +
              std::to_string(d) + " features");
  std::vector<double> shares(d, 0.0);
  double total = 0;
  for (std::size_t j = 0; j < d; ++j) {
    const double deviation = weight_of(deviations, j);
    require_field(deviation >= 0, "a deviation", deviation, ">= 0");
    for (std::size_t f = 0; f < functions.weights.rows(); ++f) {
      shares[j] += std::abs(functions.weights(f, j)) * deviation;
    }
    total += shares[j];
  }
  for (double& share : shares) share = total > 0 ? share / total : 0;
  return shares;
}

std::vector<double> feature_deviations(const Dataset& data, std::optional<std::size_t> threads) {
  const std::size_t d = data.features();
  std::vector<double> deviations(d, 0.0);
  if (data.size() == 0) return deviations;
  data.validate();
  const ColumnMeans mean =
      column_means(data.examples.points(), data.weights, thread_count(threads));
  double total = 0;
  std::vector<double> present(d, 0.0);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double weight = weight_of(data.weights, i);
    total += weight;
    data.examples.row(i).for_each([&](std::size_t j, double value) {
      const double difference = value - mean.value[j];
      deviations[j] += weight * difference * difference;
      present[j] += weight;
    });
  }
  for (std::size_t j = 0; j < d; ++j) {
    // Entries that a sparse row leaves out are 0.
    const double variance = deviations[j] + (total - present[j]) * mean.value[j] * mean.value[j];
    deviations[j] = total > 0 ? std::sqrt(std::max(0.0, variance / total)) : 0;
  }
  return deviations;
}

}  // namespace maxmargin
