// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "learner/supervised/machine.hpp"
#include "learner/supervised/prepare.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/learner/learner.hpp"
#include "maxmargin/model/classifier.hpp"
#include "model/verify/verify.hpp"

/// What learners from labelled rows have in common: scaling, training, calibration, measures, model
/// and verification. A learner adds its options (which describe themselves) and a few functions.
namespace maxmargin::learning {

/// What a training of a machine hands back.
struct Fit {
  Machine machine = Classifier{};
  SolveReport report = {};
  std::vector<MachineReport> machines = {};
  /// Measures only the learner knows, shown first; the model keeps them as `found.NAME`.
  std::vector<std::pair<std::string, std::optional<double>>> metrics = {};
  /// Lists and objects only the learner knows, as in RunReport.
  std::vector<std::pair<std::string, std::vector<ReportFields>>> tables = {};
  std::vector<std::pair<std::string, ReportFields>> objects = {};
  /// Every row's weight, of robust machines.
  std::vector<ReportFields> row_weights = {};
  /// Options whose value was found in training (lambda, restarts): they stand over what was given.
  ReportFields used = {};
  /// Words that only verifying asks for; the model keeps them as `found.NAME`.
  std::vector<std::pair<std::string, std::string>> facts = {};
  /// As in TrainedClassifier; empty when the learner does not know them.
  DenseMatrix training_values = {};
  /// Of learners from unlabelled rows: the same of the machine trained on the labelled rows alone.
  DenseMatrix supervised_values = {};
  /// With keep_certificate, of learners whose model does not hold it.
  DualPoint dual_coefficients = {};
  /// The options as used, by key: filled in by SupervisedLearner.
  ReportFields options = {};
  /// Largest K(x, x) over the training rows; filled in by SupervisedLearner.
  double squared_radius = 0;
};

/// The parts of a trained classifier or regressor as a Fit.
[[nodiscard]] Fit fit_of(TrainedClassifier trained);
[[nodiscard]] Fit fit_of(TrainedRegressor trained);

/// A machine as its model holds it, for verifiers.
struct KeptMachine {
  Machine machine = Classifier{};
  const ModelDocument& document;

  [[nodiscard]] const Classifier& classifier() const { return std::get<Classifier>(machine); }
  [[nodiscard]] const Regressor& regressor() const { return std::get<Regressor>(machine); }
  /// The dual point that the model holds: `points` vectors a function. Throws InvalidArgument when
  /// it holds none.
  [[nodiscard]] DualPoint dual(const Dataset& data, std::size_t points = 1) const;
  /// `found.NAME`, or in files of format 1 `option.NAME`.
  [[nodiscard]] std::string fact(const std::string& name) const;
  [[nodiscard]] std::optional<double> found(const std::string& name) const;
};

/// What all of them take beside their own options.
struct SharedOptions {
  std::optional<CalibrationKind> probabilities = std::nullopt;
  ScalingOptions scale = {};
  /// `calibrates`: probabilities are among them.
  void describe(OptionVisitor& visit, bool calibrates);
};

/// Learners of machines, behind the text of their options.
class SupervisedLearner : public Learner {
 public:
  SupervisedLearner(const LearnerInfo& info, bool calibrates)
      : Learner(info), calibrates_(calibrates) {}

  [[nodiscard]] std::vector<OptionDescription> options() const override;
  [[nodiscard]] std::vector<OptionDescription> prediction_options() const override;
  void check_options(const OptionTexts& options) const override;
  void check_values(const OptionTexts& options) const override;
  [[nodiscard]] Training train(const LearnerData& data,
                               const TrainingRequest& request) const override;
  [[nodiscard]] Prediction predict(const Model& model,
                                   const LearnerData& data,
                                   const OptionTexts& options,
                                   const Context& context) const override;
  [[nodiscard]] Verification verify(const Model& model,
                                    const LearnerData& data,
                                    const Context& context) const override;
  [[nodiscard]] bool has_folds() const override { return true; }

  [[nodiscard]] ModelFigures figures(const Model& model) const override;
  [[nodiscard]] std::optional<std::size_t> model_features(const Model& model) const override;
  [[nodiscard]] std::optional<Examples> support_vectors(const Model& model) const override;

  /// The same as train, on a table.
  [[nodiscard]] Training train_on(const TableData& given, const TrainingRequest& request) const;
  /// Scales, trains and calibrates as the options say; cross-validation trains by this.
  [[nodiscard]] Fit fit(const Dataset& data,
                        const OptionTexts& options,
                        const FitInput& input) const;
  /// The same once for every C, sharing what does not depend on it where the learner can.
  [[nodiscard]] std::vector<Fit> fit_path(const Dataset& data,
                                          const OptionTexts& options,
                                          const FitInput& input,
                                          std::span<const double> c_values) const;
  [[nodiscard]] bool calibrates() const noexcept { return calibrates_; }

 protected:
  /// Of the options without those of SharedOptions.
  [[nodiscard]] virtual std::vector<OptionDescription> own_options() const = 0;
  virtual void check_own_options(const OptionTexts& options) const = 0;
  /// Throws InvalidArgument for a value that breaks its rule; rules between options are not asked.
  virtual void check_own_values(const OptionTexts& options) const = 0;
  /// Trains on rows that are scaled already.
  [[nodiscard]] virtual Fit fit_own(const Dataset& rows,
                                    const OptionTexts& options,
                                    const FitInput& input) const = 0;
  /// Whether what it proves holds for positive semidefinite kernels alone, though it takes others.
  [[nodiscard]] virtual bool may_be_indefinite() const = 0;
  [[nodiscard]] virtual bool has_path() const = 0;
  [[nodiscard]] virtual std::vector<Fit> fit_own_path(const Dataset& rows,
                                                      const OptionTexts& options,
                                                      const FitInput& input,
                                                      std::span<const double> c_values) const = 0;
  /// The certificate of a machine on its training data, held to what the model says.
  [[nodiscard]] Verification verify_machine(const KeptMachine& kept,
                                            const Model& model,
                                            const Dataset& data,
                                            const Context& context) const;
  /// `options` are those the model keeps.
  [[nodiscard]] virtual Certificate certificate(const KeptMachine& kept,
                                                const Dataset& data,
                                                const OptionTexts& options,
                                                const Context& context) const = 0;

 private:
  /// The learner that these options lead to (effective_learner).
  [[nodiscard]] const SupervisedLearner& effective(const OptionTexts& options) const;
  /// Trains without calibration, once or for every C. `own` are without those of SharedOptions.
  [[nodiscard]] std::vector<Fit> fit_plain(const Dataset& data,
                                           const OptionTexts& own,
                                           const SharedOptions& shared,
                                           const FitInput& input,
                                           std::span<const double> c_values) const;
  /// The path in the order of `c_values`, trained from the smallest up. A learner that is stopped
  /// may leave values out: those count as stopped.
  [[nodiscard]] std::vector<Fit> fit_path_in_order(const Dataset& rows,
                                                   const OptionTexts& own,
                                                   const FitInput& input,
                                                   std::span<const double> c_values) const;

  bool calibrates_;
};

/// The functions of a learner whose options are O.
template <DescribesOptions O>
struct SupervisedFunctions {
  /// Kernel, code, control are those of the run already (prepare.hpp); rules are checked.
  Fit (*train)(const Dataset& data, const O& options, const FitInput& input) = nullptr;
  /// For every C in rising order; may be left out.
  std::vector<Fit> (*train_path)(const Dataset& data,
                                 const O& options,
                                 const FitInput& input,
                                 std::span<const double> c_values) = nullptr;
  /// Recomputes the certificate, sharing no code with a solver; left out: there is none.
  Certificate (*verify)(const KeptMachine& kept, const Dataset& data, const O& options) = nullptr;
};

/// Binds options and functions to the interface.
template <DescribesOptions O>
class SupervisedEntry final : public SupervisedLearner {
 public:
  SupervisedEntry(const LearnerInfo& info,
                  SupervisedFunctions<O> functions,
                  bool calibrates,
                  O defaults = {})
      : SupervisedLearner(info, calibrates),
        functions_(functions),
        defaults_(std::move(defaults)) {}

  [[nodiscard]] bool can_verify() const override { return functions_.verify != nullptr; }

 protected:
  [[nodiscard]] std::vector<OptionDescription> own_options() const override {
    return describe_options(defaults_);
  }
  void check_own_options(const OptionTexts& options) const override { (void)read(options); }
  void check_own_values(const OptionTexts& options) const override {
    check_option_values(defaults_, options);
  }
  [[nodiscard]] Fit fit_own(const Dataset& rows,
                            const OptionTexts& options,
                            const FitInput& input) const override {
    O own = read(options);
    prepare(own, rows, input);
    Fit fit = functions_.train(rows, own, input);
    show_options(own, fit);
    return fit;
  }
  [[nodiscard]] bool may_be_indefinite() const override { return MayBeIndefinite<O>; }
  [[nodiscard]] bool has_path() const override { return functions_.train_path != nullptr; }
  [[nodiscard]] std::vector<Fit> fit_own_path(const Dataset& rows,
                                              const OptionTexts& options,
                                              const FitInput& input,
                                              std::span<const double> c_values) const override {
    O own = read(options);
    prepare(own, rows, input);
    std::vector<Fit> fits = functions_.train_path(rows, own, input, c_values);
    for (std::size_t i = 0; i < fits.size(); ++i) {
      if constexpr (requires { own.c = c_values[i]; }) own.c = c_values[i];
      show_options(own, fits[i]);
    }
    return fits;
  }
  [[nodiscard]] Certificate certificate(const KeptMachine& kept,
                                        const Dataset& data,
                                        const OptionTexts& options,
                                        const Context& context) const override {
    O own = defaults_;
    set_options(own, options, who());
    context_of(own) = context;
    return functions_.verify(kept, data, own);
  }

 private:
  [[nodiscard]] std::string who() const { return "the learner " + std::string(info().name); }
  [[nodiscard]] O read(const OptionTexts& options) const {
    O own = defaults_;
    set_options(own, options, who());
    validate(own);
    return own;
  }
  static void show_options(const O& own, Fit& fit) {
    fit.options.clear();
    for (auto& [key, value] : option_values(own)) fit.options.emplace_back(key, std::move(value));
  }

  SupervisedFunctions<O> functions_;
  O defaults_;
};

/// The families, one file each: they hand over their entries in the order that lists show them.
using LearnerList = std::vector<std::unique_ptr<const Learner>>;
void add_kernel_classifiers(LearnerList& list);  // svc, nu-svc
void add_linear_machines(LearnerList& list);     // linear-svc, linear-svr, cs-svc
void add_kernel_functions(LearnerList& list);    // svr, nu-svr, one-class, svdd
void add_robust_machines(LearnerList& list);     // ramp-svc, ..., loo-svc
void add_relaxed_machines(LearnerList& list);    // robust-svc, outlier-svc
void add_s3vm(LearnerList& list);                // s3vm
void add_semi_supervised(LearnerList& list);     // tsvm, s3vm-cccp
void add_baselines(LearnerList& list);           // lp-svc, lda, perceptron

}  // namespace maxmargin::learning
