// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "learner/data_checks.hpp"
#include "learner/feature_checks.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/learner/learner.hpp"
#include "maxmargin/learner/tune.hpp"
#include "maxmargin/solver/structural/solution.hpp"

/// What learners of structured outputs have in common: report, model, verification and measures of
/// predictions in files. A learner adds its options (which describe themselves) and a few
/// functions. Reading its data is a step of its own (sources.hpp).
namespace maxmargin::learning {

/// What a training is given beside data and options.
struct StructuredInput {
  Context context = {};
  /// What, with the data, decides the answer but for how exact it is: options and seed. Says which
  /// run a checkpoint is of.
  ReportFields run = {};
  bool keep_certificate = false;
  /// Seconds beside those of the solver ("measure").
  PhaseTimer& timer;
};

/// What it hands back.
struct StructuredFit {
  /// Fields and sections of the model, under the names that files of format 1 have; the header is
  /// added by StructuredLearner.
  ModelDocument body;
  SolveReport report = {};
  /// Examples, and weights that are learned.
  std::size_t examples = 0;
  std::size_t weights = 0;
  /// On the training data, in the order shown.
  std::vector<std::pair<std::string, std::optional<double>>> metrics = {};
  /// Options whose value was found: by key, over what was given. Nothing (monostate): the option
  /// has no meaning in this run and is not shown.
  ReportFields used = {};
  /// What was found of the data (its format), which reports show beside the options. It is no
  /// option of the learner: the model keeps it in its body.
  ReportFields of_data = {};
  /// Whether the argmax was exact: if not, the gap is an estimate.
  bool exact_oracle = true;
  /// Of the report: named lists of rows.
  std::vector<std::pair<std::string, std::vector<ReportFields>>> tables = {};
};

/// Of learners whose predictions or evaluations take none.
struct NoOptions {
  void describe(OptionVisitor& /*visit*/) {}
};

/// Learners behind the text of their options.
class StructuredLearner : public Learner {
 public:
  StructuredLearner(const LearnerInfo& info, std::span<const FoldMeasure> measures)
      : Learner(info), measures_(measures) {}

  /// What folds measure, the usual one first.
  [[nodiscard]] std::span<const FoldMeasure> measures() const { return measures_; }

  [[nodiscard]] Training train(const LearnerData& data,
                               const TrainingRequest& request) const override;
  [[nodiscard]] Prediction predict(const Model& model,
                                   const LearnerData& data,
                                   const OptionTexts& options,
                                   const Context& context) const override;
  /// Recomputes the objective at the model's weights. There is no second way to the bound: it is
  /// held to the objective.
  [[nodiscard]] Verification verify(const Model& model,
                                    const LearnerData& data,
                                    const Context& context) const override;
  [[nodiscard]] bool can_verify() const override { return true; }
  [[nodiscard]] bool has_folds() const override { return true; }

  [[nodiscard]] bool can_evaluate() const override { return true; }
  [[nodiscard]] OptionTexts written_files(const OptionTexts& options) const override;
  /// Those of a machine, where the model is one.
  [[nodiscard]] ModelFigures figures(const Model& model) const override;

 protected:
  /// A training, and the options that it was asked for, by key.
  struct OwnFit {
    StructuredFit fit;
    ReportFields options = {};
  };
  [[nodiscard]] virtual OwnFit fit_own(const LearnerData& data,
                                       const TrainingRequest& request,
                                       PhaseTimer& timer) const = 0;
  [[nodiscard]] virtual Prediction predict_own(const ModelDocument& model,
                                               const LearnerData& data,
                                               const OptionTexts& options,
                                               const Context& context,
                                               PhaseTimer& timer) const = 0;
  /// The objective again, held to what the model says. Throws Stopped.
  [[nodiscard]] Verification verify_objective(const Model& model,
                                              const LearnerData& data,
                                              const Context& context) const;
  /// Why a training with these options has no certificate; empty: it has one.
  [[nodiscard]] virtual std::string no_certificate(const OptionTexts& options) const = 0;
  [[nodiscard]] virtual double objective(const ModelDocument& model,
                                         const LearnerData& data,
                                         const OptionTexts& options,
                                         const Context& context) const = 0;
  /// How far rounding may have moved that objective, beyond what all learners are allowed.
  [[nodiscard]] virtual double doubt(const ModelDocument& model,
                                     const LearnerData& data,
                                     const OptionTexts& options) const = 0;
  /// Throws InvalidArgument: the data is of another kind.
  [[noreturn]] void refuse_data() const;

 private:
  std::span<const FoldMeasure> measures_;
};

/// Those of a training that is one of many: without files that it would write or resume.
[[nodiscard]] OptionTexts options_without_files(const OptionTexts& options);
/// The options and the seed that decide the answer but for how exact it is (StructuredInput::run).
[[nodiscard]] ReportFields run_of(const OptionScalars& options, const Context& context);
/// The options that reports show: all but those of checkpoints, `used` over them.
[[nodiscard]] ReportFields shown_options(const OptionScalars& options, const ReportFields& used);

/// The functions of a learner of D (an alternative of LearnerData) with options O, prediction
/// options P and evaluation options E.
template <class D, DescribesOptions O, DescribesOptions P, DescribesOptions E>
struct StructuredFunctions {
  /// Rules are checked. Context must be used by the function (StructuralOptions::use).
  StructuredFit (*train)(const D& data, const O& options, const StructuredInput& input) = nullptr;
  /// Fills in lines, the typed answers and of the report n, d, metrics, tables and warnings. Phases
  /// of the timer: "predict" and "measure".
  Prediction (*predict)(const ModelDocument& model,
                        const D& data,
                        const P& options,
                        const Context& context,
                        PhaseTimer& timer) = nullptr;
  /// The objective that training minimises at the model's weights, by a loop of its own. `options`
  /// are those that the model keeps.
  double (*objective)(const ModelDocument& model,
                      const D& data,
                      const O& options,
                      const Context& context) = nullptr;
  /// Why there is no objective to recompute, in the words of `verify_reason`; empty: there is
  /// one. Left out: there always is.
  std::string (*no_certificate)(const O& options) = nullptr;
  RunReport (*evaluate)(const std::string& truth,
                        const std::string& predicted,
                        const E& options,
                        const Context& context) = nullptr;
  /// Features of the examples that a model takes. Left out: its data has none.
  std::size_t (*features)(const ModelDocument& model) = nullptr;
  /// As StructuredLearner::doubt. Left out: examples have no weights that are far apart.
  double (*doubt)(const ModelDocument& model, const D& data, const O& options) = nullptr;
};

/// Binds options and functions to the interface.
template <class D, DescribesOptions O, DescribesOptions P, DescribesOptions E>
class StructuredEntry final : public StructuredLearner {
 public:
  StructuredEntry(const LearnerInfo& info,
                  StructuredFunctions<D, O, P, E> functions,
                  std::span<const FoldMeasure> measures)
      : StructuredLearner(info, measures), functions_(functions) {}

  [[nodiscard]] std::vector<OptionDescription> options() const override {
    return describe_options(O{});
  }
  [[nodiscard]] std::vector<OptionDescription> prediction_options() const override {
    return describe_options(P{});
  }
  [[nodiscard]] std::vector<OptionDescription> evaluation_options() const override {
    return describe_options(E{});
  }
  void check_options(const OptionTexts& options) const override { (void)read<O>(options, who()); }
  [[nodiscard]] std::optional<std::size_t> model_features(const Model& model) const override {
    if (functions_.features == nullptr) return std::nullopt;
    return functions_.features(model.document());
  }
  [[nodiscard]] RunReport evaluate(const std::string& truth,
                                   const std::string& predicted,
                                   const OptionTexts& options,
                                   const Context& context) const override {
    const E own = read<E>(options, "--task " + std::string(info().name));
    RunReport report = functions_.evaluate(truth, predicted, own, context);
    report.kind = "learner";
    report.name = info().name;
    return report;
  }

  void check_values(const OptionTexts& options) const override {
    check_option_values(O{}, options);
  }

 protected:
  [[nodiscard]] OwnFit fit_own(const LearnerData& data,
                               const TrainingRequest& request,
                               PhaseTimer& timer) const override {
    const O own = read<O>(request.options, who());
    const OptionScalars values = option_values(own);
    StructuredFit fit = functions_.train(of_kind(data),
                                         own,
                                         {.context = request.context,
                                          .run = run_of(values, request.context),
                                          .keep_certificate = request.keep_certificate,
                                          .timer = timer});
    ReportFields shown = shown_options(values, fit.used);
    return {.fit = std::move(fit), .options = std::move(shown)};
  }
  [[nodiscard]] Prediction predict_own(const ModelDocument& model,
                                       const LearnerData& data,
                                       const OptionTexts& options,
                                       const Context& context,
                                       PhaseTimer& timer) const override {
    const P own = read<P>(options, "the learner " + std::string(info().name));
    return functions_.predict(model, of_kind(data), own, context, timer);
  }
  [[nodiscard]] std::string no_certificate(const OptionTexts& options) const override {
    if (functions_.no_certificate == nullptr) return {};
    O own;
    set_options(own, options, who());
    return functions_.no_certificate(own);
  }
  [[nodiscard]] double objective(const ModelDocument& model,
                                 const LearnerData& data,
                                 const OptionTexts& options,
                                 const Context& context) const override {
    O own;
    set_options(own, options, who());
    return functions_.objective(model, of_kind(data), own, context);
  }
  [[nodiscard]] double doubt(const ModelDocument& model,
                             const LearnerData& data,
                             const OptionTexts& options) const override {
    if (functions_.doubt == nullptr) return 0;
    O own;
    set_options(own, options, who());
    return functions_.doubt(model, of_kind(data), own);
  }

 private:
  [[nodiscard]] std::string who() const { return "the learner " + std::string(info().name); }
  template <DescribesOptions T>
  [[nodiscard]] static T read(const OptionTexts& options, const std::string& taker) {
    T own;
    set_options(own, options, taker);
    validate(own);
    return own;
  }
  [[nodiscard]] const D& of_kind(const LearnerData& data) const {
    const D* const own = std::get_if<D>(&data);
    if (own == nullptr) refuse_data();
    check_data(*own);
    if constexpr (std::is_same_v<D, TableData>) check_numbers(own->data, who());
    return *own;
  }

  StructuredFunctions<D, O, P, E> functions_;
};

/// The families, one file each: they hand over their entries in the order that lists show them.
using LearnerList = std::vector<std::unique_ptr<const Learner>>;
void add_sequence(LearnerList& list);         // sequence
void add_hmm(LearnerList& list);              // hmm
void add_structured_rows(LearnerList& list);  // rank, multiclass, multilabel
void add_partition(LearnerList& list);        // partition
void add_coreference(LearnerList& list);      // coreference
void add_align(LearnerList& list);            // align
void add_motif(LearnerList& list);            // motif
void add_mil(LearnerList& list);              // mil

}  // namespace maxmargin::learning
