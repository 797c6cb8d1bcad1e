// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "arguments.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/verify/verify.hpp"

/// The learners of `train` and `tune`. A new learner is one entry in a table: commands, help and
/// completion find it by its name.
namespace maxmargin::tool {

/// What a learner's labels are.
enum class TaskKind {
  classification,  ///< classes
  regression,      ///< real targets
  one_class        ///< ignored at training; predictions are 1 (inside) and -1
};
/// "classification", "regression", "one-class": the field `task` of model files.
[[nodiscard]] std::string_view to_string(TaskKind kind) noexcept;

/// A trained machine of either kind.
using Machine = std::variant<Classifier, Regressor>;

/// What a learner is given beside the data.
struct TrainingInput {
  /// The options; a grid point overrides some of them.
  Arguments arguments = {};
  /// With --kernel precomputed: the kernel between all examples. The data then holds row numbers.
  std::shared_ptr<const DenseMatrix> kernel_matrix = nullptr;
  /// Of that kernel, where it has one and the learner was not told to take it all the same.
  std::optional<double> negative_eigenvalue = std::nullopt;
  ProgressCallback progress = {};
  /// --memory-limit, or a share of it where several trainings run side by side.
  std::optional<std::size_t> memory_limit = std::nullopt;
  /// One of several trainings of a larger run (folds, grid points): no comparisons of its own.
  bool is_part = false;
  /// With --libsvm: gamma is 1/d unless given, and solves stop at this KKT violation.
  std::optional<double> kkt_tolerance = std::nullopt;
  bool shrinking = true;
};

/// What a learner hands back.
struct TrainingAnswer {
  Machine machine = Classifier{};
  SolveReport report = {};
  std::vector<MachineReport> machines = {};
  /// Measures only the learner knows, shown first.
  std::vector<std::pair<std::string, std::optional<double>>> metrics = {};
  /// Lists only the learner knows, as in RunReport.
  std::vector<std::pair<std::string, std::vector<ReportFields>>> tables = {};
  /// With --weights-output: every row's weight, for that file and not for the report.
  std::vector<ReportFields> row_weights = {};
  /// Objects only the learner knows, such as what a relaxation found.
  std::vector<std::pair<std::string, ReportFields>> objects = {};
  /// The learner's options as used.
  ReportFields options = {};
  /// As in TrainedClassifier; empty when the learner does not know them.
  DenseMatrix training_values = {};
  /// Of learners from unlabelled rows: the same of the machine trained on the labelled rows alone.
  DenseMatrix supervised_values = {};
  /// With --verify, of learners whose model does not hold it.
  DualPoint dual_coefficients = {};
  /// Largest K(x, x) over the training rows: all lie within its root around the origin.
  double squared_radius = 0;
};

struct LoadedMachine;

struct LearnerSpec {
  std::string_view name;
  std::string_view summary;
  TaskKind task;
  /// Long names of the options that only some learners take, of those this one takes.
  std::span<const std::string_view> options;
  TrainingAnswer (*train)(const Dataset& data, const TrainingInput& input);
  /// Trains once for every C, sharing what does not depend on it; nullptr: no such way.
  std::vector<TrainingAnswer> (*train_path)(const Dataset& data,
                                            const TrainingInput& input,
                                            std::span<const double> c_values) = nullptr;
  /// Recomputes the certificate from model and data, sharing no code with a solver; nullptr: there
  /// is none to recompute.
  Certificate (*verify)(const Machine& machine,
                        const Dataset& data,
                        const MachineTerms& terms,
                        std::optional<std::size_t> threads) = nullptr;
  /// The same for learners whose model does not hold the dual point: it and the options come from
  /// the document.
  Certificate (*verify_kept_dual)(const LoadedMachine& loaded,
                                  const Dataset& data,
                                  std::optional<std::size_t> threads) = nullptr;

  /// Is -C inf, the hard margin, among its values?
  bool takes_infinite_cost = false;

  [[nodiscard]] bool takes(std::string_view option) const;
};

/// All learners, in the order help shows them.
[[nodiscard]] std::vector<const LearnerSpec*> learners();
/// The learner of that name; nullptr when there is none.
[[nodiscard]] const LearnerSpec* learner_named(std::string_view name);
/// The learner that --learner names; svc and linear-svc with --multiclass direct are cs-svc. Throws
/// UsageError when it is missing or unknown, and when an option is given that it does not take.
[[nodiscard]] const LearnerSpec& find_learner(const Arguments& arguments);

/// The families, one file each.
[[nodiscard]] std::span<const LearnerSpec> kernel_classifiers();
[[nodiscard]] std::span<const LearnerSpec> kernel_functions();
[[nodiscard]] std::span<const LearnerSpec> linear_learners();
[[nodiscard]] std::span<const LearnerSpec> robust_learners();
[[nodiscard]] std::span<const LearnerSpec> relaxed_learners();
[[nodiscard]] std::span<const LearnerSpec> baseline_learners();
[[nodiscard]] std::span<const LearnerSpec> s3vm_learners();
[[nodiscard]] std::span<const LearnerSpec> semi_supervised_learners();

}  // namespace maxmargin::tool
