// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>

#include "io/model/structural_state_file.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/solver/structural/solution.hpp"

/// What every learner on structural solvers must keep.
namespace maxmargin::testing {

/// The methods with a gap end within it of each other. `train`: from a method to what it trained;
/// `objective`: P at the weights of a model, computed anew.
template <typename Train, typename Objective>
void expect_methods_agree(double tolerance, const Train& train, const Objective& objective) {
  double least = std::numeric_limits<double>::infinity();
  double largest_bound = 0;
  for (const StructuralMethod method : {StructuralMethod::block_frank_wolfe,
                                        StructuralMethod::one_slack,
                                        StructuralMethod::n_slack}) {
    SCOPED_TRACE(to_string(method));
    const auto trained = train(method);
    EXPECT_EQ(trained.report.status, Status::solved);
    const double own = objective(trained.model);
    EXPECT_NEAR(own, *trained.report.primal_objective, 1e-9 * own);
    least = std::min(least, own);
    largest_bound = std::max(largest_bound, *trained.report.dual_objective);
  }
  EXPECT_LE(largest_bound, least * (1 + 1e-12));
  EXPECT_LE(least - largest_bound, 1.1 * tolerance * least);
}

/// A run that goes on from the state after a pass, written and read, ends with the same bits.
/// `train`: from options and a state to what was trained.
template <typename Options, typename Train>
void expect_goes_on_from_a_file(Options options, std::size_t pass, const Train& train) {
  SCOPED_TRACE(to_string(options.method));
  const auto whole = train(options, nullptr);
  std::optional<ModelDocument> kept;
  std::size_t asked = 0;
  options.solving.on_checkpoint = [&](const std::function<StructuralState()>& state) {
    if (++asked == pass) kept = state_document(state(), "a run");
  };
  (void)train(options, nullptr);
  ASSERT_TRUE(kept);
  EXPECT_THROW((void)state_of(*kept, "another run"), ModelFormatError);
  const StructuralState state = state_of(*kept, "a run");
  options.solving.on_checkpoint = {};
  const auto resumed = train(options, &state);
  EXPECT_EQ(resumed.model.weights, whole.model.weights);
  EXPECT_EQ(resumed.report.primal_objective, whole.report.primal_objective);
  EXPECT_EQ(resumed.report.iterations, whole.report.iterations);
}

}  // namespace maxmargin::testing
