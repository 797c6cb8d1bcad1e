// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "maxmargin/core/export.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/model/classifier.hpp"

/// Model files of LIBSVM (svm-train) and LIBLINEAR (train): docs/guide/libsvm-models.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT ForeignModel {
  /// Our learner's name for it: svc, nu-svc, one-class, svr, nu-svr, linear-svc, linear-svr,
  /// cs-svc, logistic.
  std::string learner = {};
  /// One-class machines are a Regressor (>= 0 is inside). A classifier's own `calibration` is empty
  /// after reading, so that it predicts what svm-predict does without -b.
  std::variant<Classifier, Regressor> machine = Classifier{};
  /// The probabilities the file knows: probA and probB, or the logistic link. Moved into the
  /// classifier, they make it predict by probability as svm-predict -b 1 does.
  std::optional<Calibration> calibration = std::nullopt;
  /// LIBLINEAR's name of the solver ("L2R_LR"); empty: the writer goes by the learner.
  std::string solver = {};
};

/// Does `input` begin like a LIBSVM or LIBLINEAR model? Consumes nothing.
[[nodiscard]] MAXMARGIN_EXPORT bool looks_like_foreign_model(Input& input);

/// Throws ModelFormatError with file and line when the file is damaged, cut short or of a kind this
/// library cannot apply. Labels keep the file's order, and signs are turned where that is needed,
/// so that every tie falls as in svm-predict. A precomputed kernel comes back with a matrix of no
/// rows and as many columns as the largest row number asks for; a matrix with more is as good.
[[nodiscard]] MAXMARGIN_EXPORT ForeignModel read_foreign_model(Input& input);

/// LIBSVM's files do not say how many features there were, and svm-predict leaves none out: a
/// feature that no support vector has still counts in |x - z|. Gives the vectors at least
/// `features` columns; call it with the number of columns of the examples before predicting. Models
/// that know their features (LIBLINEAR's) and precomputed kernels stay as they are.
MAXMARGIN_EXPORT void widen_features(ForeignModel& model, std::size_t features);

/// Writes what svm-predict (predict) reads, such that it predicts the same, ties included. A
/// calibration by Platt's curves goes along, from the model or from its classifier (whose labels
/// are then those of svm-predict -b 1). Vectors without a coefficient are left out. The caller
/// commits the file.
///
/// Throw InvalidArgument for what the format cannot hold: labels that are not whole numbers of 32
/// bits, kernels they do not know, codes and decodings other than theirs, a scaler, isotonic
/// curves, learners without a counterpart.
MAXMARGIN_EXPORT void write_libsvm_model(const ForeignModel& model, OutputFile& output);
MAXMARGIN_EXPORT void write_liblinear_model(const ForeignModel& model, OutputFile& output);

}  // namespace maxmargin
