// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>

#include "maxmargin/core/export.hpp"
#include "maxmargin/io/input.hpp"
#include "maxmargin/io/output.hpp"
#include "maxmargin/model/classifier.hpp"

/// Model files of LIBSVM (svm-train) and LIBLINEAR (train).
namespace maxmargin {

struct MAXMARGIN_EXPORT ForeignModel {
  /// Our learner's name for it: svc, nu-svc, one-class, svr, nu-svr, linear-svc, linear-svr,
  /// cs-svc, logistic.
  std::string learner = {};
  /// One-class machines are a Regressor (>= 0 is inside).
  std::variant<Classifier, Regressor> machine = Classifier{};
};

/// Does `input` begin like a LIBSVM or LIBLINEAR model? Consumes nothing.
[[nodiscard]] MAXMARGIN_EXPORT bool looks_like_foreign_model(Input& input);

/// Throws ModelFormatError with file and line when the file is damaged, cut short or of a kind this
/// library cannot apply. Labels keep the file's order, so that ties fall as in svm-predict.
[[nodiscard]] MAXMARGIN_EXPORT ForeignModel read_foreign_model(Input& input);

/// Writes what svm-predict (predict) reads. Throw InvalidArgument for what their format cannot
/// hold: string labels, kernels they do not know, codes other than theirs, a scaler.
MAXMARGIN_EXPORT void write_libsvm_model(const ForeignModel& model, OutputFile& output);
MAXMARGIN_EXPORT void write_liblinear_model(const ForeignModel& model, OutputFile& output);

}  // namespace maxmargin
