// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "maxmargin/loss/margin_loss.hpp"
#include "maxmargin/model/robust/robust_svc.hpp"
#include "model/verify/robust.hpp"
#include "robust_data.hpp"

/// What the tests of robust-svc and outlier-svc share.
namespace maxmargin::relaxed_data {

using namespace robust_data;

constexpr double relaxed_tolerance = 1e-6;

inline RobustSvcOptions robust_options(double c, KernelBias bias = KernelBias::none) {
  return {
      .c = c,
      .kernel = Linear{},
      .bias = bias,
      .control = {.tolerance = relaxed_tolerance, .context = {.threads = 1}, .keep_dual = true}};
}

inline OutlierSvcOptions outlier_options(double c, double rho, KernelBias bias = KernelBias::none) {
  return {
      .c = c,
      .kernel = Linear{},
      .rho = rho,
      .bias = bias,
      .control = {.tolerance = relaxed_tolerance, .context = {.threads = 1}, .keep_dual = true}};
}

/// |w|^2 in the machine's space: a constant feature is part of it.
inline double norm_in_space(const Classifier& model, KernelBias bias) {
  const double offset = std::get<KernelExpansion>(model.functions).offsets.front();
  return squared_norm_of(model) + (bias == KernelBias::constant ? offset * offset : 0.0);
}

inline double robust_objective(const TrainedRelaxedClassifier& trained,
                               const Dataset& data,
                               const RobustSvcOptions& options) {
  double sum = 0.5 * norm_in_space(trained.model, options.bias);
  for (const double margin : margins_on(trained.model, data)) {
    sum += options.c * Ramp{}.value(margin);
  }
  return sum;
}

inline double outlier_objective(const TrainedRelaxedClassifier& trained,
                                const Dataset& data,
                                const OutlierSvcOptions& options) {
  std::vector<double> margins = margins_on(trained.model, data);
  std::ranges::sort(margins, std::greater<>());
  double rest = *options.rho * static_cast<double>(data.size());
  double sum = 0.5 * norm_in_space(trained.model, options.bias);
  for (const double margin : margins) {
    sum += options.c * std::clamp(rest, 0.0, 1.0) * Hinge{}.value(margin);
    rest -= 1;
  }
  return sum;
}

/// What must hold of every answer; `found` is its verification.
inline void expect_sound(const TrainedRelaxedClassifier& trained,
                         double objective,
                         double tolerance,
                         const Certificate& found) {
  EXPECT_TRUE(is_success(trained.report.status)) << trained.report.message;
  const double reported = *trained.report.primal_objective;
  const double slack = 1e-6 * std::max(1.0, reported);
  EXPECT_NEAR(reported, objective, slack);
  EXPECT_FALSE(trained.report.dual_objective.has_value());
  EXPECT_EQ(*trained.report.lower_bound, trained.relaxation.lower_bound);
  EXPECT_LE(trained.relaxation.lower_bound, reported + slack);
  EXPECT_GE(trained.relaxation.lower_bound, 0);
  EXPECT_GE(trained.relaxation.value, trained.relaxation.lower_bound - slack);
  EXPECT_LE(trained.relaxation.relative_gap, 2 * tolerance);
  EXPECT_GE(trained.stationary_gap, -1e-9);
  EXPECT_LE(trained.stationary_gap, std::max(1e-4, 2 * tolerance));
  EXPECT_GE(trained.relaxation.rank, 1U);
  EXPECT_GE(trained.relaxation.roundings, 1U);
  EXPECT_EQ(trained.relaxation.winners.size(), trained.machines.size());
  for (const std::vector<double>& weights : trained.relaxed_weights) {
    for (const double eta : weights) {
      EXPECT_GE(eta, 0);  // seed-xu fact 56
      EXPECT_LE(eta, 1);
    }
  }
  EXPECT_EQ(found.complaint, "");
  EXPECT_NEAR(found.primal, reported, slack);
  EXPECT_NEAR(found.dual, *trained.machines.front().report.dual_objective, slack);
  EXPECT_GE(*found.lower_bound, *trained.report.lower_bound - slack);
}

inline void expect_sound(const TrainedRelaxedClassifier& trained,
                         const Dataset& data,
                         const RobustSvcOptions& options) {
  expect_sound(trained,
               robust_objective(trained, data, options),
               options.control.tolerance,
               verify_robust_svc(trained.model, trained.dual_coefficients, data, options));
}

inline void expect_sound(const TrainedRelaxedClassifier& trained,
                         const Dataset& data,
                         const OutlierSvcOptions& options) {
  expect_sound(trained,
               outlier_objective(trained, data, options),
               options.control.tolerance,
               verify_outlier_svc(trained.model, trained.dual_coefficients, data, options));
}

/// Three classes in the plane, of which some overlap.
inline Dataset three_classes(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::vector<double>> points;
  std::vector<double> labels;
  for (std::size_t i = 0; i < n; ++i) {
    const double label = static_cast<double>(i % 3);
    points.push_back({rng.normal(2 * label, 1), rng.normal(label == 1 ? 2 : 0, 1)});
    labels.push_back(label);
  }
  return dataset(points, labels);
}

}  // namespace maxmargin::relaxed_data
