// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/ending.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/learner/data.hpp"
#include "maxmargin/learner/model.hpp"

/// The learners of this library by name: what each is, the options it takes, and how it trains,
/// predicts and is verified. Every face (the tool, other languages) reads this table and knows no
/// learner itself.
///
///   for (const Learner* each : learners()) std::cout << each->info().name << '\n';
///   Training trained = train("svc", data, {{"C", "10"}, {"kernel", "linear"}});
///   std::cout << *trained.report.solve.relative_gap() << '\n';
namespace maxmargin {

/// What a learner is for.
enum class Task {
  classify,    ///< one class a row, or a bag of rows
  regress,     ///< a number a row
  detect,      ///< inside or outside
  cluster,     ///< groups without labels
  label_sets,  ///< a set of labels a row
  rank,        ///< an order of the rows of each query
  sequence,    ///< a label for every position
  partition,   ///< clusters of the items of each document
  align,       ///< an alignment of each pair
  motif        ///< a motif in sequences
};
template <>
inline constexpr auto names_of<Task> = name_table<Task>({{"classification", Task::classify},
                                                         {"regression", Task::regress},
                                                         {"one-class", Task::detect},
                                                         {"clustering", Task::cluster},
                                                         {"label-sets", Task::label_sets},
                                                         {"ranking", Task::rank},
                                                         {"sequence", Task::sequence},
                                                         {"partition", Task::partition},
                                                         {"alignment", Task::align},
                                                         {"motif", Task::motif}});

/// What all faces show of a learner. The texts live as long as the program.
struct LearnerInfo {
  std::string_view name = {};
  /// One line.
  std::string_view summary = {};
  Task task = Task::classify;
  DataKind data = DataKind::table;
  /// The problem it solves, in one line.
  std::string_view formula = {};
  /// Its page, from the project's root.
  std::string_view page = {};
  /// A small data set it can be tried on, as sources and the tool name it: "builtin:iris".
  std::string_view example = {};
  /// The name that other languages use for it: CamelCase.
  std::string_view class_name = {};
  /// Rows without a label are used, too.
  bool learns_from_unlabelled = false;
  /// Training::row_weights is filled: what each row weighs.
  bool weighs_rows = false;
  /// Do the bounds of support vector machines hold for its classifiers: errors of leave-one-out by
  /// the number of support vectors, and those by radius and margin?
  bool has_margin_bounds = false;
  Ending ending = Ending::gap;
};

/// What a training is asked for beside data.
struct TrainingRequest {
  /// By name, over the defaults.
  OptionTexts options = {};
  Context context = {};
  /// Keep in the model what its certificate needs to be recomputed.
  bool keep_certificate = false;
  /// One of several trainings of a larger run (folds, grid points): no comparisons of its own.
  bool is_part = false;
};

/// What a training hands back.
struct Training {
  /// Empty for a clustering that ended without a sound answer.
  std::optional<Model> model = std::nullopt;
  /// Status, certificate, measures on the training data, options as used, warnings.
  RunReport report = {};
  /// Of clusterings: the cluster of every row; -1 is an outlier.
  std::vector<std::int32_t> clusters = {};
  /// Of clusterings in a feature space: the kernel as used, its width resolved.
  std::optional<Kernel> kernel = std::nullopt;
  /// What was recorded at every iteration of the best run: one named column each.
  std::vector<std::pair<std::string, std::vector<double>>> trace = {};
  /// Of robust machines: what each row weighs.
  std::vector<ReportFields> row_weights = {};
};

/// What a model says of data.
struct Prediction {
  /// Measures where the truth is known, and warnings.
  RunReport report = {};
  /// One line an answer, or a table with a header, as `predict -o` writes them.
  std::string lines = {};
  /// Of classifiers and detectors.
  std::vector<Label> labels = {};
  /// Of classifiers: what the columns of scores and probabilities are; of two classes with one
  /// column of scores that is the last one's. Of learners of label sets, their labels.
  std::vector<Label> classes = {};
  /// Of regression and ranking.
  std::vector<double> values = {};
  /// Of clusterings; -1 is an outlier.
  std::vector<std::int32_t> clusters = {};
  /// With option scores: one row an example, a column a class (of two the larger one's alone).
  DenseMatrix scores = {};
  /// Of mixtures, and with option probabilities: one row an example, a column a class or cluster.
  DenseMatrix probabilities = {};
  /// Of structured learners.
  std::vector<std::vector<Label>> label_sets = {};
  std::vector<LabelSequence> sequences = {};
  /// What the numbers in `sequences` mean.
  std::vector<std::string> label_names = {};
  std::vector<Partition> partitions = {};
  std::vector<Alignment> alignments = {};
};

/// What recomputing a model's certificate from model and data found.
struct Verification {
  /// Empty: there is nothing to verify, as `complaint` says.
  std::optional<bool> agrees = std::nullopt;
  std::optional<double> primal = std::nullopt;
  std::optional<double> dual = std::nullopt;
  std::optional<double> lower_bound = std::nullopt;
  /// The first thing that does not agree, or why there is nothing to verify; empty: all agrees.
  std::string complaint = {};
};

/// Puts what was found into the report of the training: `verified`, why it is not true and, where
/// the objective alone was recomputed, what it is.
MAXMARGIN_EXPORT void add_verification(const Verification& found, RunReport& report);

/// What `info` shows of a model: named values, and groups of such.
struct ModelFigures {
  ReportFields fields = {};
  std::vector<std::pair<std::string, ReportFields>> groups = {};
};

/// All fields of a document, and the sizes of its sections.
[[nodiscard]] MAXMARGIN_EXPORT ModelFigures figures_of(const ModelDocument& document);

/// One entry of the table. Immutable; its functions may be called from several threads.
class MAXMARGIN_EXPORT Learner {
 public:
  explicit Learner(const LearnerInfo& info) : info_(info) {}
  virtual ~Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  [[nodiscard]] const LearnerInfo& info() const noexcept { return info_; }

  /// The options of a training, with types, rules, defaults and help.
  [[nodiscard]] virtual std::vector<OptionDescription> options() const = 0;
  /// The options of a prediction (scores, probabilities, n-best, ...).
  [[nodiscard]] virtual std::vector<OptionDescription> prediction_options() const = 0;
  /// Throws InvalidArgument, as train does, for options that break a rule or are not its own.
  virtual void check_options(const OptionTexts& options) const = 0;
  /// Throws InvalidArgument for a text that breaks the rule of its own option. Rules between
  /// options are not asked: for those that a model keeps, which are what was used.
  virtual void check_values(const OptionTexts& options) const = 0;

  /// Trains on data of the kind info().data. Throws InvalidArgument for options and data that break
  /// a rule; a training that did not converge is no error.
  [[nodiscard]] virtual Training train(const LearnerData& data,
                                       const TrainingRequest& request) const = 0;
  [[nodiscard]] virtual Prediction predict(const Model& model,
                                           const LearnerData& data,
                                           const OptionTexts& options,
                                           const Context& context) const = 0;
  /// Recomputes the certificate with code that no solver shares. `data` is what the model was
  /// trained on. Learners and trainings without a certificate have nothing to verify.
  [[nodiscard]] virtual Verification verify(const Model& model,
                                            const LearnerData& data,
                                            const Context& context) const = 0;
  /// Is there a certificate to recompute?
  [[nodiscard]] virtual bool can_verify() const = 0;
  /// Can it be tuned and measured on folds (learner/tune.hpp)?
  [[nodiscard]] virtual bool has_folds() const { return false; }

  /// Files that a training with these options writes while it runs (checkpoints), by option: faces
  /// see beforehand that they can be written.
  [[nodiscard]] virtual OptionTexts written_files(const OptionTexts& /*options*/) const {
    return {};
  }

  /// What the model is, for people. By default all fields, and the sizes of sections.
  [[nodiscard]] virtual ModelFigures figures(const Model& model) const;
  /// The points that hold a model up, one a row, as it sees them (scaled), for pictures; empty: it
  /// has none.
  [[nodiscard]] virtual std::optional<Examples> support_vectors(const Model& model) const;

  /// Features of the examples that a model takes; empty where that is not known or there are none.
  [[nodiscard]] virtual std::optional<std::size_t> model_features(const Model& model) const;

  /// Measures of a file of predictions against one of truths, of learners whose answers are no
  /// labels: n, metrics, tables and warnings. By default it throws InvalidArgument.
  [[nodiscard]] virtual RunReport evaluate(const std::string& truth,
                                           const std::string& predicted,
                                           const OptionTexts& options,
                                           const Context& context) const;
  /// The options of `evaluate`: those of reading and measuring.
  [[nodiscard]] virtual std::vector<OptionDescription> evaluation_options() const { return {}; }
  /// Does it have measures of its own?
  [[nodiscard]] virtual bool can_evaluate() const { return false; }

 private:
  LearnerInfo info_;
};

/// All learners, in the order that lists show them.
[[nodiscard]] MAXMARGIN_EXPORT std::span<const Learner* const> learners();
/// The learner of that name; nullptr when there is none.
[[nodiscard]] MAXMARGIN_EXPORT const Learner* find_learner(std::string_view name);
/// The same; throws InvalidArgument, with the nearest name, when there is none.
[[nodiscard]] MAXMARGIN_EXPORT const Learner& learner(std::string_view name);

/// The learner that trains with these options: svc and linear-svc with multiclass=direct are cs-svc
/// (on the features, for linear-svc); every other learner is itself. Throws InvalidArgument for
/// options that the learner so replaced does not take.
[[nodiscard]] MAXMARGIN_EXPORT const Learner& effective_learner(const Learner& learner,
                                                                const OptionTexts& options);

/// An option by name: text, or a number, whole number of any type, or truth value.
struct MAXMARGIN_EXPORT OptionSetting {
  OptionSetting(std::string option, std::string_view value)
      : name(std::move(option)), text(value) {}
  OptionSetting(std::string option, const char* value) : name(std::move(option)), text(value) {}
  OptionSetting(std::string option, bool value);
  OptionSetting(std::string option, double value);
  template <std::integral T>
  OptionSetting(std::string option, T value)
      : name(std::move(option)), text(std::to_string(value)) {}
  OptionSetting(std::string option, std::nullptr_t) = delete;
  std::string name;
  std::string text;
};

/// Trains the learner of that name on a table.
[[nodiscard]] MAXMARGIN_EXPORT Training train(std::string_view name,
                                              const Dataset& data,
                                              const std::vector<OptionSetting>& options = {},
                                              const Context& context = {});
/// The same on data of any kind.
[[nodiscard]] MAXMARGIN_EXPORT Training train(std::string_view name,
                                              const LearnerData& data,
                                              const std::vector<OptionSetting>& options = {},
                                              const Context& context = {});
namespace detail {
/// The options of a struct, as if they were given by name.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<OptionSetting> settings_of(const OptionTexts& texts);

}  // namespace detail

/// What a struct of options of a learner holds for the run.
template <class Options>
[[nodiscard]] auto& context_of(Options& options) {
  if constexpr (requires { options.context; }) {
    return options.context;
  } else if constexpr (requires { options.control; }) {
    return options.control.context;
  } else if constexpr (requires { options.machine; }) {
    return options.machine.control.context;
  } else if constexpr (requires { options.search; }) {
    return options.search.solving.context;
  } else {
    return options.solving.context;
  }
}

/// The same with the options of a typed call, in whose context it runs:
///
///   train("svc", data, SvcOptions{.c = 10, .kernel = Linear{}})
///
/// Where a struct has fewer options than the learner, the others have the learner's defaults; what
/// no option describes (what is kept of planes, a callback for checkpoints) is for typed calls
/// alone. Throws InvalidArgument for options that the learner does not have, as those of another
/// one, and for values that have no name: a code in memory.
template <class Data, DescribesOptions Options>
[[nodiscard]] Training train(std::string_view name, const Data& data, const Options& options) {
  return train(name, data, detail::settings_of(option_texts(options)), context_of(options));
}

/// What the model says of a table.
[[nodiscard]] MAXMARGIN_EXPORT Prediction predict(const Model& model,
                                                  const Dataset& data,
                                                  const std::vector<OptionSetting>& options = {},
                                                  const Context& context = {});
/// The same on data of any kind.
[[nodiscard]] MAXMARGIN_EXPORT Prediction predict(const Model& model,
                                                  const LearnerData& data,
                                                  const std::vector<OptionSetting>& options = {},
                                                  const Context& context = {});

/// Recomputes the certificate of a model from the table it was trained on, with code that no solver
/// shares. The short `train` keeps what that needs in the model.
[[nodiscard]] MAXMARGIN_EXPORT Verification verify(const Model& model,
                                                   const Dataset& data,
                                                   const Context& context = {});
/// The same on data of any kind.
[[nodiscard]] MAXMARGIN_EXPORT Verification verify(const Model& model,
                                                   const LearnerData& data,
                                                   const Context& context = {});

}  // namespace maxmargin
