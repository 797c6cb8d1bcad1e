// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/label.hpp"
#include "maxmargin/data/scaling.hpp"
#include "maxmargin/model/calibration/calibration.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"
#include "maxmargin/model/output_code.hpp"

/// Trained machines as values: what every supervised learner returns.
namespace maxmargin {

/// What a classifier says about examples, one row each.
struct ClassifierAnswer {
  /// Index into Classifier::classes.
  std::vector<std::int32_t> classes = {};
  /// As decode() makes them.
  DenseMatrix scores = {};
  /// One column a class; empty unless the model is calibrated.
  DenseMatrix probabilities = {};
};

/// A classifier, whatever trained it. With a calibration the predicted class is always the one of
/// largest probability; without one, of largest score. Ties go to the lowest index.
struct MAXMARGIN_EXPORT Classifier {
  /// In the order of Label for our own models, in the file's order for models from elsewhere.
  std::vector<Label> classes = {};
  OutputCode code = {};
  DecisionFunction functions = LinearFunctions{};
  std::optional<Calibration> calibration = std::nullopt;
  /// Applied to examples before anything else; empty: none.
  std::optional<Scaler> scaler = std::nullopt;
  /// Names of the features, when the data named them.
  std::vector<std::string> feature_names = {};

  /// Labels do not depend on the precision of `options`: rows that the error bound of fast values
  /// leaves undecided are computed again in double.
  [[nodiscard]] ClassifierAnswer answer(const Examples& examples,
                                        const DecisionOptions& options = {}) const;
  /// The labels alone.
  [[nodiscard]] std::vector<Label> predict(const Dataset& data) const;
  /// Throws InvalidArgument unless the parts fit together.
  void validate() const;
};

/// A function with real values: regression, or the score of one-class machines (>= 0 is inside).
struct MAXMARGIN_EXPORT Regressor {
  DecisionFunction function = LinearFunctions{};
  std::optional<Scaler> scaler = std::nullopt;
  std::vector<std::string> feature_names = {};

  [[nodiscard]] std::vector<double> predict(const Examples& examples,
                                            const DecisionOptions& options = {}) const;
  void validate() const;
};

/// One of the two-class (or other) problems a training solved.
struct MAXMARGIN_EXPORT MachineReport {
  SolveReport report = {};
  /// Support vectors, and those of them at their upper bound.
  std::size_t support_vectors = 0;
  std::size_t bounded = 0;
  /// |w|^2 in feature space; the margin is 1/|w|.
  double squared_norm = 0;
};

/// A point of the dual that a training solved: one vector a function (direct machines: a class),
/// one number a training row. With it a certificate can be recomputed from model and data
/// (maxmargin/model/verify/linear.hpp). Its meaning is that of the problem: the signed coefficients
/// b of LinearRisk, a column t_r of CrammerSinger, the multipliers l of LpSvm.
using DualPoint = std::vector<std::vector<double>>;

struct TrainedClassifier {
  Classifier model = {};
  /// Sums over the machines; the worst status.
  SolveReport report = {};
  /// One a function (direct machines: one).
  std::vector<MachineReport> machines = {};
  /// The functions' values on the training rows, where the solver knows them anyway (kernel
  /// machines whose functions all look at all rows); else empty.
  DenseMatrix training_values = {};
  /// With TrainingControl::keep_dual, of machines that are no expansions of it: linear-svc, cs-svc
  /// on the features and lp-svc; else empty.
  DualPoint dual_coefficients = {};
};

struct TrainedRegressor {
  Regressor model = {};
  SolveReport report = {};
  std::vector<MachineReport> machines = {};
  /// As in TrainedClassifier: linear-svr.
  DualPoint dual_coefficients = {};
};

/// Adds the objectives, gaps, iterations and seconds of the machines; takes the worst status.
[[nodiscard]] MAXMARGIN_EXPORT SolveReport
sum_of_reports(const std::vector<MachineReport>& machines);

}  // namespace maxmargin
