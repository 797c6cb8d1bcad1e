// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "maxmargin/loss/margin_loss.hpp"
#include "maxmargin/model/robust/ramp_svc.hpp"
#include "model/verify/robust.hpp"
#include "robust_data.hpp"

/// What tests of machines with ramp loss have in common.
namespace maxmargin::robust_data {

inline constexpr double tight = 1e-9;

inline RampSvcOptions tight_options(double c, bool bias = false, RampStep step = RampStep::cccp) {
  return {.c = c,
          .kernel = Linear{},
          .step = step,
          .bias = bias,
          .control = {.tolerance = tight, .context = {.threads = 1}, .keep_dual = true}};
}

/// The objective from its definition.
inline double ramp_objective(const TrainedRobustClassifier& trained,
                             const Dataset& data,
                             double c,
                             double s = 0) {
  double sum = 0.5 * squared_norm_of(trained.model);
  for (const double margin : margins_on(trained.model, data)) sum += c * Ramp{s}.value(margin);
  return sum;
}

inline void expect_sound(const TrainedRobustClassifier& trained,
                         const Dataset& data,
                         const RampSvcOptions& options) {
  EXPECT_TRUE(is_success(trained.report.status)) << trained.report.message;
  const double objective = *trained.report.primal_objective;
  EXPECT_NEAR(objective, ramp_objective(trained, data, options.c, options.s), 1e-9 * objective);
  EXPECT_FALSE(trained.report.dual_objective.has_value());
  EXPECT_LE(*trained.report.lower_bound, objective * (1 + 1e-9));
  EXPECT_GE(*trained.report.lower_bound, 0);
  EXPECT_GE(trained.stationary_gap, -1e-9);
  EXPECT_LE(trained.stationary_gap, 10 * options.control.tolerance);
  for (std::size_t k = 1; k < trained.objectives.size(); ++k) {
    EXPECT_LT(trained.objectives[k], trained.objectives[k - 1]);
  }
  const Certificate found =
      verify_ramp_svc(trained.model, trained.dual_coefficients, data, options);
  EXPECT_EQ(found.complaint, "");
  EXPECT_NEAR(found.primal, objective, 1e-8 * objective);
  EXPECT_NEAR(found.dual, *trained.machines.front().report.dual_objective, 1e-8 * objective);
  EXPECT_GE(*found.lower_bound, *trained.report.lower_bound - 1e-8 * objective);
  EXPECT_LE(*found.lower_bound, objective * (1 + 1e-9));
}

}  // namespace maxmargin::robust_data
