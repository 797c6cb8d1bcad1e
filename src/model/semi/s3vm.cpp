// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/s3vm-sdp.md
#include "maxmargin/model/semi/s3vm.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/memory_limit.hpp"
#include "core/parallel.hpp"
#include "core/settle.hpp"
#include "kernel/gram/stoppable.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/model/semi/tsvm.hpp"
#include "model/kernel/gram_rounding.hpp"
#include "model/kernel/training.hpp"
#include "model/semi/training.hpp"
#include "relax/label_rounding.hpp"
#include "relax/label_search.hpp"
#include "solver/saddle/label_saddle.hpp"

namespace maxmargin {

namespace {

/// Points x labellings that are polished: the labels given make the best ones good, and large costs
/// with the linear kernel make trainings slow.
constexpr std::size_t polishing = 8000;
/// Relative gap of the machines that the answer is compared with and may start from.
constexpr double supervised_tolerance = 1e-3;

void require_s3vm_memory(std::size_t n, const S3vmOptions& options) {
  const std::size_t square = checked_multiply(checked_multiply(n, n), sizeof(double));
  require_within_limit(checked_add(square, label_saddle_memory(n)),
                       options.control.context.memory_bytes(),
                       "s3vm on " + std::to_string(n) + " rows",
                       "train tsvm or s3vm-cccp, which need less, or allow more memory");
}

/// One function's answer.
struct FunctionAnswer {
  MachineReport machine = {};
  LabelRelaxation relaxation = {};
  LabelCertificate certificate = {};
  FittedLabels fit = {};
};

/// Trains the functions of a code one after the other on one Gram matrix.
class S3vmTrainer {
 public:
  S3vmTrainer(const Dataset& data, Kernel kernel, const S3vmOptions& options)
      : data_(data),
        kernel_(std::move(kernel)),
        options_(options),
        task_(semi_task(data, {})),
        code_(one_vs_rest_code(task_.classes.count())) {}

  [[nodiscard]] TrainedS3vm train();

 private:
  /// Matrix and centring; the answer is no when there was no time for them.
  [[nodiscard]] Continue prepare();
  [[nodiscard]] LabelRule rule_of(std::span<const std::int8_t> given) const;
  [[nodiscard]] FunctionAnswer train_function(std::size_t function) const;
  /// Of a function whose time never came: zero, with the supervised machine's labels and no bound.
  [[nodiscard]] FunctionAnswer untrained_function(std::size_t function, Status end) const;
  [[nodiscard]] std::vector<LabelCandidate> candidates(std::size_t function,
                                                       const LabelRule& rule) const;
  [[nodiscard]] TrainedClassifier assemble() const;
  void keep_certificates(DualPoint& kept) const;

  const Dataset& data_;
  Kernel kernel_;  ///< that of the options, its width found
  const S3vmOptions& options_;
  SemiTask task_;
  OutputCode code_;
  DenseMatrix gram_;
  FeatureCentring centring_;
  std::optional<GramRounding> rounding_;
  TrainedSemiSupervised searched_;  ///< by tsvm: the supervised machine, and a start
  std::vector<FunctionAnswer> answers_;
};

std::vector<LabelCandidate> S3vmTrainer::candidates(std::size_t function,
                                                    const LabelRule& rule) const {
  const TrainingControl& control = options_.control;
  const LabelRoundingOptions rounding{.rule = rule, .context = control.context};
  std::vector<LabelCandidate> all =
      round_spectral_widths(data_.examples, kernel_, rounding, control.context.on_progress);
  const auto add = [&](const char* origin, const DenseMatrix& values) {
    std::vector<double> scores(data_.size());
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = values(i, function);
    all.push_back({origin, balanced_signs(scores, rule)});
  };
  add("supervised", searched_.supervised.training_values);
  add("tsvm", searched_.semi_supervised.training_values);
  return all;
}

LabelRule S3vmTrainer::rule_of(std::span<const std::int8_t> given) const {
  const SignWindow window = sign_window(given, options_.balance);
  return {.least_positive = window.least, .most_positive = window.most, .given = given};
}

FunctionAnswer S3vmTrainer::untrained_function(std::size_t function, Status end) const {
  const std::size_t n = data_.size();
  const std::vector<std::int8_t> given = code_.labels_of(function, task_.classes.of_row);
  std::vector<double> scores(n);
  for (std::size_t i = 0; i < n; ++i) {
    scores[i] = searched_.supervised.training_values(i, function);
  }
  FunctionAnswer answer;
  FittedLabels& fit = answer.fit;
  fit.signs = balanced_signs(scores, rule_of(given));
  fit.coefficients.assign(n, 0.0);
  fit.values.assign(n, 0.0);
  fit.objective = options_.c * static_cast<double>(n);
  fit.status = end;
  answer.certificate.lambda.assign(n, 0.0);
  answer.certificate.diagonal.assign(task_.unlabelled.size() + 1, 0.0);
  answer.relaxation = {
      .value = fit.objective, .relative_gap = 1, .winner = "no machine", .status = end};
  SolveReport& report = answer.machine.report;
  report.status = end;
  report.primal_objective = fit.objective;
  report.lower_bound = 0.0;
  return answer;
}

FunctionAnswer S3vmTrainer::train_function(std::size_t function) const {
  const std::vector<std::int8_t> given = code_.labels_of(function, task_.classes.of_row);
  const LabelRule rule = rule_of(given);
  const TrainingControl& control = options_.control;
  SaddleOptions solving{.tolerance = control.tolerance, .context = control.context};
  if (control.max_iterations) solving.max_iterations = *control.max_iterations;
  LabelSaddleSolution relaxed =
      solve_label_saddle(s3vm_saddle(gram_.view(), given, options_), solving);
  const bool lost =
      rounding_->spoils(options_.c, control.tolerance, relaxed.value, relaxed.lower_bound);
  relaxed.lower_bound =
      lost ? 0 : std::max(0.0, rounding_->without_rounding(options_.c, relaxed.lower_bound));
  PhaseTimer timer;
  timer.enter("rounding");
  LabelSearchAnswer found = search_roundings(gram_,
                                             relaxed.v.view(),
                                             candidates(function, rule),
                                             {.c = options_.c,
                                              .rule = rule,
                                              .restarts = options_.restarts,
                                              .polishing = polishing,
                                              .context = control.context});
  FunctionAnswer answer;
  answer.relaxation = {.value = options_.c * relaxed.value,
                       .lower_bound = options_.c * relaxed.lower_bound,
                       .relative_gap = relative_gap(relaxed.value, relaxed.lower_bound),
                       .rank = relaxed.rank,
                       .roundings = found.tried,
                       .winner = std::move(found.origin),
                       .status = relaxed.report.status};
  answer.certificate = std::move(relaxed.certificate);
  MachineReport& machine = answer.machine;
  machine.report = std::move(relaxed.report);
  note_search(found, answer.relaxation.lower_bound, machine.report);
  if (lost) {
    say_digits_are_lost(machine.report);
  }
  for (auto& phase : timer.finish()) machine.report.seconds.push_back(std::move(phase));
  for (const double b : found.best.coefficients) {
    if (b != 0) ++machine.support_vectors;
    if (std::abs(b) >= options_.c) ++machine.bounded;
  }
  machine.squared_norm = dot(found.best.coefficients, found.best.values);
  answer.fit = std::move(found.best);
  return answer;
}

TrainedClassifier S3vmTrainer::assemble() const {
  TrainedClassifier trained;
  trained.model.classes = task_.classes.names;
  trained.model.code = code_;
  trained.model.feature_names = data_.feature_names;
  trained.training_values = DenseMatrix(data_.size(), code_.functions);
  std::vector<std::vector<double>> coefficients;
  std::vector<double> offsets;
  for (std::size_t f = 0; f < answers_.size(); ++f) {
    const FunctionAnswer& answer = answers_[f];
    // Without a matrix there is no centre, and no function but zero.
    PlainFunction plain = gram_.rows() > 0
                              ? plain_function(options_.bias, centring_, answer.fit.coefficients)
                              : PlainFunction{.coefficients = answer.fit.coefficients};
    coefficients.push_back(std::move(plain.coefficients));
    offsets.push_back(plain.offset);
    trained.machines.push_back(answer.machine);
    for (std::size_t i = 0; i < data_.size(); ++i) {
      trained.training_values(i, f) = answer.fit.values[i];
    }
  }
  trained.model.functions =
      make_expansion(kernel_, data_.examples, coefficients, std::move(offsets));
  trained.report = sum_of_reports(trained.machines);
  if (options_.control.keep_dual) keep_certificates(trained.dual_coefficients);
  return trained;
}

void S3vmTrainer::keep_certificates(DualPoint& kept) const {
  const std::size_t n = data_.size();
  for (const FunctionAnswer& answer : answers_) {
    kept.push_back(answer.certificate.lambda);
    std::vector<double> diagonal(n, 0.0);
    diagonal[task_.labelled.front()] = answer.certificate.diagonal.front();
    for (std::size_t k = 0; k < task_.unlabelled.size(); ++k) {
      diagonal[task_.unlabelled[k]] = answer.certificate.diagonal[k + 1];
    }
    kept.push_back(std::move(diagonal));
    std::vector<double> balance = answer.certificate.balance;
    balance.resize(n, 0.0);
    kept.push_back(std::move(balance));
    kept.emplace_back(answer.fit.signs.begin(), answer.fit.signs.end());
  }
}

Continue S3vmTrainer::prepare() {
  const Context& context = options_.control.context;
  StoppableGram given = gram_unless_stopped(kernel_, data_.examples, context);
  if (given.answer != Continue::yes) return given.answer;
  gram_ = std::move(given.matrix);
  centring_ = FeatureCentring::fit(gram_.view());
  rounding_.emplace(gram_, options_.bias);
  // A stop must not skip the check where the kernel does not answer for itself.
  (void)apply_bias(options_.bias,
                   centring_,
                   gram_,
                   "s3vm",
                   thread_count(context.threads),
                   is_psd(kernel_) ? context.on_progress : ProgressCallback());
  return Continue::yes;
}

TrainedS3vm S3vmTrainer::train() {
  const TrainingControl& control = options_.control;
  PhaseTimer timer;
  timer.enter("supervised");
  // Tolerance and steps are the relaxation's; these machines are judged, too.
  TrainingControl plain = control;
  plain.tolerance = std::min(control.tolerance, supervised_tolerance);
  plain.max_iterations = std::nullopt;
  searched_ = train_tsvm(
      data_, {.c = options_.c, .kernel = kernel_, .balance = options_.balance, .control = plain});
  timer.enter("kernel");
  Continue go_on = prepare();
  const auto seconds = timer.finish();
  for (std::size_t f = 0; f < code_.functions; ++f) {
    // The first is an answer even where there was no time at all.
    if (f > 0 && go_on == Continue::yes) go_on = control.context.ask({.phase = "relaxation"});
    answers_.push_back(go_on == Continue::yes ? train_function(f)
                                              : untrained_function(f, status_of(go_on)));
  }
  TrainedS3vm trained;
  trained.machines.semi_supervised = assemble();
  auto& all = trained.machines.semi_supervised.report.seconds;
  all.insert(all.begin(), seconds.begin(), seconds.end());
  trained.machines.supervised = std::move(searched_.supervised);
  const Status supervised = trained.machines.supervised.report.status;
  if (supervised != Status::solved) {
    trained.machines.semi_supervised.report.warnings.push_back("the supervised machine ended as " +
                                                               std::string(to_string(supervised)));
  }
  settle_end(trained.machines.semi_supervised.report, Ending::search, options_.control.tolerance);
  trained.machines.labelled = task_.labelled.size();
  trained.machines.unlabelled = task_.unlabelled.size();
  for (FunctionAnswer& answer : answers_) {
    trained.machines.signs.push_back(std::move(answer.fit.signs));
    trained.relaxations.push_back(std::move(answer.relaxation));
  }
  return trained;
}

}  // namespace

void S3vmOptions::describe(OptionVisitor& visit) {
  describe_relaxed_first(visit, *this);
  visit.name({.name = "balance-form",
              .help = "how the relaxation has the balance: total, or rows as published"},
             balance_form,
             {LabelBalance::total, LabelBalance::rows});
  describe_relaxed_last(visit, *this);
}

SignWindow sign_window(std::span<const std::int8_t> given, const std::optional<double>& balance) {
  const std::size_t n = given.size();
  const auto count = [&](std::int8_t sign) {
    return static_cast<std::size_t>(std::ranges::count(given, sign));
  };
  const std::size_t positive = count(1);
  const std::size_t negative = count(-1);
  require(positive > 0 && negative > 0, "both signs must be given");
  SignWindow window{.least = positive, .most = n - negative};
  if (!balance) return window;
  const double share = static_cast<double>(positive) / static_cast<double>(positive + negative);
  const SignWindow wanted = share_window(share, n, *balance);
  return {.least = std::clamp(wanted.least, window.least, window.most),
          .most = std::clamp(wanted.most, window.least, window.most)};
}

LabelSaddle s3vm_saddle(DenseView gram,
                        std::span<const std::int8_t> given,
                        const S3vmOptions& options) {
  LabelSaddle saddle{.matrix = gram, .c = options.c, .labels = given};
  if (!options.balance) return saddle;
  // k positive rows make the signs' sum 2 k - n.
  const SignWindow window = sign_window(given, options.balance);
  const auto n = static_cast<double>(given.size());
  saddle.balance = options.balance_form;
  saddle.centre = static_cast<double>(window.least + window.most) - n;
  saddle.imbalance = static_cast<double>(window.most - window.least);
  return saddle;
}

TrainedS3vm train_s3vm(const Dataset& data, const S3vmOptions& options) {
  validate(options);
  require(data.weights.empty(), "s3vm does not take example weights: the relaxation counts rows");
  require_s3vm_memory(data.size(), options);
  return S3vmTrainer(data,
                     resolved_kernel(
                         options.kernel, data, options.control, options.bias == KernelBias::center),
                     options)
      .train();
}

}  // namespace maxmargin
