// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/problem/linear_risk.hpp"
#include "maxmargin/solver/convex_method.hpp"

/// Linear regression with a tube: docs/algorithms/dual-coordinate-descent.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT LinearSvrOptions {
  double c = 1;          ///< > 0 and finite
  double epsilon = 0.1;  ///< half the width of the tube, >= 0
  /// epsilon_insensitive or squared_epsilon_insensitive.
  LinearLoss loss = LinearLoss::epsilon_insensitive;
  /// As in LinearSvcOptions.
  bool bias = true;
  double bias_scale = 1;  ///< > 0 and finite
  /// Stop at LIBLINEAR's eps instead of the relative gap; see LinearOptions.
  std::optional<double> kkt_tolerance = std::nullopt;
  ConvexMethod solver = ConvexMethod::automatic;
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

[[nodiscard]] MAXMARGIN_EXPORT TrainedRegressor
train_linear_svr(const Dataset& data, const LinearSvrOptions& options = {});

}  // namespace maxmargin
