// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-multiclass.md
#include "maxmargin/model/semi/multiclass_s3vm.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/memory_limit.hpp"
#include "core/parallel.hpp"
#include "core/settle.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "model/kernel/gram_rounding.hpp"
#include "model/kernel/training.hpp"
#include "model/semi/class_proof.hpp"
#include "model/semi/training.hpp"
#include "relax/class_polish.hpp"
#include "relax/class_rounding.hpp"
#include "relax/label_search.hpp"
#include "solver/saddle/class_saddle.hpp"

namespace maxmargin {

namespace {

/// Square matrices of doubles that the relaxation keeps at a time.
constexpr std::size_t matrices = 21;
constexpr std::size_t default_iterations = 2000;
/// Relative gap of the machine of the labelled rows.
constexpr double exact = 1e-8;

void require_fitting_memory(std::size_t n, std::size_t limit) {
  const std::size_t square = checked_multiply(checked_multiply(n, n), sizeof(double));
  require_within_limit(checked_multiply(matrices, square),
                       limit,
                       "s3vm on " + std::to_string(n) + " rows",
                       "use tsvm or s3vm-cccp, leave out unlabelled rows, or allow more memory");
}

/// One training, step by step.
class Trainer {
 public:
  Trainer(const Dataset& data, Kernel kernel, const MulticlassS3vmOptions& options)
      : data_(data),
        kernel_(std::move(kernel)),
        options_(options),
        task_(semi_task(data, {})),
        classes_(task_.classes.count()) {
    require(data.weights.empty(), "s3vm does not take example weights: the balance counts rows");
    require_fitting_memory(data.size(), options.control.context.memory_bytes());
    rules_ = semi_supervised_sizes(task_.classes.of_row, classes_, options.balance);
  }

  TrainedMulticlassS3vm run() {
    timer_.enter("kernel");
    gram_ = gram(kernel_, data_.examples, {.context = options_.control.context});
    centring_ = FeatureCentring::fit(gram_.view());
    const GramRounding rounding(gram_, options_.bias);
    semidefinite_ = apply_bias(options_.bias,
                               centring_,
                               gram_,
                               "s3vm",
                               thread_count(options_.control.context.threads),
                               options_.control.context.on_progress);
    TrainedMulticlassS3vm trained;
    timer_.enter("supervised");
    const FittedClasses supervised = fit_known(trained);
    timer_.enter("relaxation");
    const ClassSaddleSolution relaxed = relax(trained);
    lost_ =
        rounding.spoils(options_.c, options_.control.tolerance, relaxed.value, relaxed.lower_bound);
    timer_.enter("rounding");
    ClassSearch found = search(relaxed, supervised);

    trained.relaxation.roundings = found.tried;
    trained.relaxation.winner = found.winner;
    choose_bound(trained.relaxation);
    double& bound = trained.relaxation.lower_bound;
    bound = std::max(0.0, options_.c * rounding.without_rounding(options_.c, bound / options_.c));
    TrainedSemiSupervised& machines = trained.machines;
    machines.labelled = task_.labelled.size();
    machines.unlabelled = task_.unlabelled.size();
    machines.supervised = classifier(supervised);
    machines.supervised.report.primal_objective = supervised.objective;
    machines.supervised.report.dual_objective = supervised.dual;
    machines.supervised.report.status = supervised.status;
    machines.semi_supervised = classifier(found.best);
    machines.semi_supervised.report = report(relaxed, found, trained.relaxation);
    for (TrainedClassifier* machine : {&machines.supervised, &machines.semi_supervised}) {
      machine->machines.front().report = machine->report;
    }
    settle_end(machines.semi_supervised.report, Ending::search, options_.control.tolerance);
    for (std::size_t r = 0; r < classes_; ++r) {
      machines.signs.emplace_back();
      for (const std::int32_t label : found.best.labels) {
        machines.signs.back().push_back(static_cast<std::size_t>(label) == r ? 1 : -1);
      }
    }
    trained.labels = std::move(found.best.labels);
    if (options_.control.keep_dual) keep_proofs(trained);
    return trained;
  }

 private:
  /// The labels and the certificate that the bound rests on; the other one is not needed.
  void keep_proofs(TrainedMulticlassS3vm& trained) const {
    const std::size_t n = data_.size();
    TrainedSemiSupervised& machines = trained.machines;
    machines.supervised.dual_coefficients =
        keep_lambda(trained.supervised_certificate.lambda, task_.labelled, n);
    DualPoint& kept = machines.semi_supervised.dual_coefficients;
    for (const std::vector<std::int8_t>& signs : machines.signs) {
      kept.emplace_back(signs.begin(), signs.end());
    }
    DualPoint proof;
    if (trained.relaxation.bound == SemiBound::supervised) {
      proof = machines.supervised.dual_coefficients;
    } else if (trained.relaxation.bound == SemiBound::relaxation) {
      std::vector<std::size_t> rows(n);
      std::iota(rows.begin(), rows.end(), std::size_t{0});
      proof = keep_lambda(trained.certificate.lambda, rows, n);
      std::ranges::move(keep_multipliers(trained.certificate, n, classes_),
                        std::back_inserter(proof));
    }
    std::ranges::move(proof, std::back_inserter(kept));
  }

  /// The larger bound, if there is one above 0.
  void choose_bound(MulticlassS3vmRelaxation& relaxation) const {
    // Without a semidefinite matrix no dual value is below the objective.
    if (!semidefinite_ || lost_) return;
    if (relaxation.relaxation_bound > relaxation.lower_bound) {
      relaxation.lower_bound = relaxation.relaxation_bound;
      relaxation.bound = SemiBound::relaxation;
    }
    if (relaxation.supervised_bound > relaxation.lower_bound) {
      relaxation.lower_bound = relaxation.supervised_bound;
      relaxation.bound = SemiBound::supervised;
    }
  }

  /// What the machine of the labelled rows proves about all machines on them, and so on all rows:
  /// the relaxation in which no class is unknown. `part` is their kernel matrix.
  void bound_known(const FittedClasses& known,
                   const DenseMatrix& part,
                   TrainedMulticlassS3vm& trained) const {
    ClassSaddle problem{
        .matrix = part.view(), .c = options_.c, .classes = classes_, .labels = known.labels};
    for (const std::size_t size : problem.known_sizes()) {
      problem.least.push_back(static_cast<double>(size));
      problem.most.push_back(static_cast<double>(size));
    }
    ClassCertificate& certificate = trained.supervised_certificate;
    certificate = {.lambda = DenseMatrix(part.rows(), classes_),
                   .sizes = std::vector<double>(classes_, 0.0),
                   .memberships = DenseMatrix(0, classes_),
                   .corner = DenseMatrix(classes_, classes_)};
    for (std::size_t i = 0; i < part.rows(); ++i) {
      // Y - coefficients / C: in the simplex but for rounding.
      double sum = 0;
      for (std::size_t r = 0; r < classes_; ++r) {
        const double own = static_cast<std::size_t>(known.labels[i]) == r ? 1.0 : 0.0;
        sum += certificate.lambda(i, r) =
            std::max(0.0, own - known.coefficients(i, r) / options_.c);
      }
      for (double& x : certificate.lambda.row(i)) x /= sum;
    }
    trained.relaxation.supervised_bound = options_.c * class_saddle_bound(problem, certificate);
  }

  /// The machine of the labelled rows, with coefficients 0 and values on all rows.
  [[nodiscard]] FittedClasses fit_known(TrainedMulticlassS3vm& trained) const {
    const std::size_t count = task_.labelled.size();
    DenseMatrix part(count, count);
    ClassLabels labels;
    for (std::size_t a = 0; a < count; ++a) {
      labels.push_back(task_.classes.of_row[task_.labelled[a]]);
      for (std::size_t b = 0; b < count; ++b) {
        part(a, b) = gram_(task_.labelled[a], task_.labelled[b]);
      }
    }
    FittedClasses known = fit_classes(
        part.view(),
        classes_,
        std::move(labels),
        // There must be a machine even if there is no time left.
        {.c = options_.c, .tolerance = exact, .context = options_.control.context.quiet()});
    bound_known(known, part, trained);
    DenseMatrix coefficients(data_.size(), classes_);
    for (std::size_t a = 0; a < count; ++a) {
      std::ranges::copy(known.coefficients.row(a), coefficients.row(task_.labelled[a]).begin());
    }
    known.coefficients = std::move(coefficients);
    known.values = DenseMatrix(data_.size(), classes_);
    gemm(Transpose::no,
         Transpose::no,
         1.0,
         gram_.view(),
         known.coefficients.view(),
         0.0,
         known.values.view());
    return known;
  }

  ClassSaddleSolution relax(TrainedMulticlassS3vm& trained) const {
    ClassSaddle problem{.matrix = gram_.view(),
                        .c = options_.c,
                        .classes = classes_,
                        .labels = task_.classes.of_row};
    problem.least.assign(rules_.least.begin(), rules_.least.end());
    problem.most.assign(rules_.most.begin(), rules_.most.end());
    ClassSaddleSolution relaxed = solve_class_saddle(
        problem,
        {.tolerance = options_.control.tolerance,
         .max_iterations =
             static_cast<std::size_t>(options_.control.max_iterations.value_or(default_iterations)),
         .context = options_.control.context});
    trained.relaxation.value = options_.c * std::max(relaxed.value, relaxed.lower_bound);
    trained.relaxation.relaxation_bound = options_.c * relaxed.lower_bound;
    trained.relaxation.relative_gap = relaxed.miss;
    trained.relaxation.rank = relaxed.rank;
    trained.relaxation.status = relaxed.report.status;
    problem.matrix = {};
    trained.problem = std::move(problem);
    trained.memberships = relaxed.d;
    trained.certificate = std::move(relaxed.certificate);
    return relaxed;
  }

  [[nodiscard]] ClassSearch search(const ClassSaddleSolution& relaxed,
                                   const FittedClasses& supervised) const {
    ClassRules rules = rules_;
    rules.known = task_.classes.of_row;
    const ClassRoundingOptions rounding{.restarts = options_.restarts,
                                        .context = options_.control.context};
    std::vector<ClassCandidate> all = {round_memberships(relaxed.d.view(), rules)};
    all.push_back({"supervised", best_allowed_classes(supervised.values.view(), rules)});
    // After a stop these two must do: they cost next to nothing. Memberships may be worth nothing
    // then, and the first candidate's training alone is not asked to stop.
    if (was_stopped(relaxed.report.status)) {
      std::swap(all.front(), all.back());
    } else {
      for (ClassCandidate& candidate : round_class_matrix(relaxed.m.view(), rules, rounding)) {
        all.push_back(std::move(candidate));
      }
      for (ClassCandidate& candidate : round_class_components(gram_.view(), rules, rounding)) {
        all.push_back(std::move(candidate));
      }
    }
    return search_classes(gram_.view(),
                          rules,
                          std::move(all),
                          {.c = options_.c, .context = options_.control.context});
  }

  /// The machine as a model for rows as they are.
  [[nodiscard]] TrainedClassifier classifier(const FittedClasses& fit) const {
    TrainedClassifier trained;
    std::vector<std::vector<double>> columns(classes_, std::vector<double>(data_.size()));
    std::vector<double> offsets;
    for (std::size_t r = 0; r < classes_; ++r) {
      for (std::size_t i = 0; i < data_.size(); ++i) columns[r][i] = fit.coefficients(i, r);
      PlainFunction plain = plain_function(options_.bias, centring_, columns[r]);
      columns[r] = std::move(plain.coefficients);
      offsets.push_back(plain.offset);
    }
    trained.model.classes = task_.classes.names;
    trained.model.code = direct_code(classes_);
    trained.model.functions = make_expansion(kernel_, data_.examples, columns, std::move(offsets));
    trained.model.feature_names = data_.feature_names;
    MachineReport machine;
    machine.squared_norm = dot(fit.coefficients.values(), fit.values.values());
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const bool used =
          std::ranges::any_of(fit.coefficients.row(i), [](double t) { return t != 0; });
      machine.support_vectors += used ? 1U : 0U;
    }
    trained.machines.push_back(machine);
    trained.training_values = fit.values;
    return trained;
  }

  [[nodiscard]] SolveReport report(const ClassSaddleSolution& relaxed,
                                   const ClassSearch& found,
                                   const MulticlassS3vmRelaxation& relaxation) {
    SolveReport report = relaxed.report;
    report.seconds = timer_.finish();
    report.primal_objective = found.best.objective;
    report.lower_bound = relaxation.lower_bound;
    if (!semidefinite_) {
      report.warnings.push_back(
          "the bound is vacuous: the run ended before the kernel matrix was known to be positive "
          "semidefinite");
    } else {
      warn_of_weak_bound(found.best.objective, relaxation.lower_bound, report.warnings, "");
    }
    note_search_end(found.answer, found.best.status, report);
    settle(report);
    if (lost_) {
      say_digits_are_lost(report);
    }
    return report;
  }

  const Dataset& data_;
  Kernel kernel_;  ///< that of the options, its width found
  const MulticlassS3vmOptions& options_;
  SemiTask task_;
  std::size_t classes_;
  ClassRules rules_ = {};
  DenseMatrix gram_ = {};
  bool semidefinite_ = false;
  bool lost_ = false;  ///< the matrix has lost the digits that a bound needs
  FeatureCentring centring_ = {};
  PhaseTimer timer_ = {};
};

}  // namespace

void MulticlassS3vmOptions::describe(OptionVisitor& visit) {
  describe_relaxed_first(visit, *this);
  describe_relaxed_last(visit, *this);
}

ClassRules semi_supervised_sizes(const std::vector<std::int32_t>& known,
                                 std::size_t classes,
                                 std::optional<double> balance) {
  std::vector<std::size_t> sizes(classes, 0);
  std::size_t labelled = 0;
  for (const std::int32_t label : known) {
    if (label < 0) continue;
    ++sizes.at(static_cast<std::size_t>(label));
    ++labelled;
  }
  require(labelled > 0, "no class is known");
  const std::size_t unlabelled = known.size() - labelled;
  ClassRules rules;
  for (std::size_t r = 0; r < classes; ++r) {
    if (!balance) {
      rules.least.push_back(sizes[r]);
      rules.most.push_back(sizes[r] + unlabelled);
      continue;
    }
    const double wanted = static_cast<double>(sizes[r]) * static_cast<double>(known.size()) /
                          static_cast<double>(labelled);
    // A product that should be whole may miss it by rounding.
    const double rounding = 1e-9 * static_cast<double>(known.size());
    const double low = std::floor((1 - *balance) * wanted + rounding);
    const double high = std::ceil((1 + *balance) * wanted - rounding);
    rules.least.push_back(std::max(sizes[r], static_cast<std::size_t>(std::max(0.0, low))));
    rules.most.push_back(
        std::min(sizes[r] + unlabelled, static_cast<std::size_t>(std::max(0.0, high))));
  }
  return rules;
}

TrainedMulticlassS3vm train_multiclass_s3vm(const Dataset& data,
                                            const MulticlassS3vmOptions& options) {
  validate(options);
  return Trainer(data,
                 resolved_kernel(
                     options.kernel, data, options.control, options.bias == KernelBias::center),
                 options)
      .run();
}

}  // namespace maxmargin
