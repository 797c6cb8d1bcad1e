// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/structural_state_file.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/solver/structural_method.hpp"
#include "structural_cases.hpp"

namespace maxmargin {
namespace {

using testing::random_planes;
using testing::TableRisk;

StructuralState some_state(StructuralMethod method) {
  const TableRisk risk(6, random_planes(12, 6, 4, 3));
  StructuralState state;
  std::size_t asked = 0;
  const StructuralOptions options{
      .c = 0.1,
      .tolerance = 1e-9,
      .max_passes = 5,
      .seed = std::numeric_limits<std::uint64_t>::max(),
      .on_checkpoint = [&](const std::function<StructuralState()>& now) {
        if (++asked == 3) state = now();
      }};
  (void)solve_structural(risk, method, options);
  EXPECT_GE(asked, 3u);
  return state;
}

void expect_equal(const StructuralState& a, const StructuralState& b) {
  EXPECT_EQ(a.solver, b.solver);
  EXPECT_EQ(a.c, b.c);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.examples, b.examples);
  EXPECT_EQ(a.passes, b.passes);
  EXPECT_EQ(a.oracle_calls, b.oracle_calls);
  EXPECT_EQ(a.w, b.w);
  EXPECT_EQ(a.best_w, b.best_w);
  EXPECT_EQ(a.best_primal, b.best_primal);
  EXPECT_EQ(a.dual, b.dual);
  EXPECT_EQ(a.numbers, b.numbers);
  EXPECT_EQ(a.planes.owners, b.planes.owners);
  EXPECT_EQ(a.planes.offsets, b.planes.offsets);
  EXPECT_EQ(a.planes.weights, b.planes.weights);
  EXPECT_EQ(a.planes.ages, b.planes.ages);
  EXPECT_EQ(a.planes.begins, b.planes.begins);
  EXPECT_EQ(a.planes.indices, b.planes.indices);
  EXPECT_EQ(a.planes.values, b.planes.values);
}

TEST(StructuralStateFile, ComesBackBitForBit) {
  for (const StructuralMethod method : {StructuralMethod::block_frank_wolfe,
                                        StructuralMethod::one_slack,
                                        StructuralMethod::n_slack,
                                        StructuralMethod::subgradient}) {
    const StructuralState state = some_state(method);
    EXPECT_EQ(state.w.size(), 6u) << to_string(method);
    expect_equal(state_of(state_document(state, "run"), "run"), state);
  }
  expect_equal(state_of(state_document({}, ""), ""), {});
}

// A file of another run, of a model, or with parts that do not fit is named, and nothing worse.
TEST(StructuralStateFile, RefusesWhatIsNoStateOfThisRun) {
  const StructuralState good = some_state(StructuralMethod::n_slack);
  ASSERT_GT(good.planes.size(), 0u);
  EXPECT_THROW((void)state_of(state_document(good, "a"), "b"), ModelFormatError);
  EXPECT_THROW((void)state_of(ModelDocument("svc"), "a"), ModelFormatError);
  EXPECT_THROW((void)state_of(ModelDocument("checkpoint"), "a"), ModelFormatError);
  const auto refused = [&](const auto& spoil) {
    StructuralState state = good;
    spoil(state);
    EXPECT_THROW((void)state_of(state_document(state, "a"), "a"), ModelFormatError);
  };
  const double infinity = std::numeric_limits<double>::infinity();
  refused([&](StructuralState& state) { state.w[0] = infinity; });
  refused([&](StructuralState& state) { state.best_w[0] = std::nan(""); });
  refused([&](StructuralState& state) { state.numbers[0] = infinity; });
  refused([&](StructuralState& state) { state.planes.weights[0] = std::nan(""); });
  refused([&](StructuralState& state) { state.planes.offsets[0] = -infinity; });
  refused([](StructuralState& state) { state.planes.offsets.pop_back(); });
  refused([](StructuralState& state) { state.planes.owners.pop_back(); });
  refused([](StructuralState& state) { state.planes.ages.push_back(1); });
}

}  // namespace
}  // namespace maxmargin
