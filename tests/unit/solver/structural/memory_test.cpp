// SPDX-License-Identifier: Apache-2.0
// Structural solvers within a memory limit: what is too large is refused before it is made, what
// fits keeps to it, and the room for planes does not depend on the threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "maxmargin/solver/structural/solution.hpp"
#include "solver/structural/methods.hpp"
#include "structural_cases.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

using testing::faults_of;
using testing::random_planes;
using testing::StructuralSolver;
using testing::TableRisk;
using testing::Traced;
using testing::traced;

constexpr StructuralSolver with_gap[] = {solve_one_slack, solve_n_slack, solve_block_frank_wolfe};
constexpr StructuralMethod all_methods[] = {StructuralMethod::one_slack,
                                            StructuralMethod::n_slack,
                                            StructuralMethod::block_frank_wolfe,
                                            StructuralMethod::subgradient,
                                            StructuralMethod::mira};

// 2^40 numbers are beyond any memory, 2^61 beyond any number of bytes: both are refused before a
// vector of them is asked for.
TEST(StructuralMemory, DimensionsBeyondMemoryAreRefused) {
  for (const unsigned bits : {33U, 40U, 61U, 63U}) {
    const TableRisk risk(std::size_t{1} << bits, {});
    for (const StructuralMethod method : all_methods) {
      EXPECT_THROW((void)solve_structural(risk, method, {.context = {.memory_limit = 1 << 30}}),
                   InvalidArgument)
          << to_string(method) << ", 2^" << bits;
    }
  }
}

/// One of its calls takes far more memory than the others.
class HungryRisk final : public StructuralRisk {
 public:
  [[nodiscard]] std::size_t dimension() const override { return all_.dimension(); }
  [[nodiscard]] std::size_t examples() const override { return all_.examples(); }
  [[nodiscard]] bool is_exact() const override { return true; }
  [[nodiscard]] std::size_t oracle_bytes(std::size_t calls) const override {
    return calls == 0 ? 0 : large + small * (std::min(calls, examples()) - 1);
  }
  void largest_plane(std::size_t example,
                     std::span<const double> w,
                     StructuralPlane& plane) const override {
    all_.largest_plane(example, w, plane);
  }

  static constexpr std::size_t large = 70'000;
  static constexpr std::size_t small = 700;

 private:
  TableRisk all_{40, random_planes(60, 40, 40, 11)};
};

// Each solver needs as much as the calls that it makes at once.
TEST(StructuralMemory, MemoryOfTheCallsAtOnceCounts) {
  const HungryRisk risk;
  const std::size_t vector = 8 * risk.dimension();
  const auto expect_least =
      [&](StructuralMethod method, std::size_t threads, std::size_t least, const char* advice) {
        SCOPED_TRACE(std::string(to_string(method)) + ", threads " + std::to_string(threads));
        StructuralOptions options{
            .c = 0.2, .max_passes = 1, .context = {.threads = threads, .memory_limit = least}};
        EXPECT_NO_THROW((void)solve_structural(risk, method, options));
        --*options.context.memory_limit;
        const std::string said =
            problem_of<InvalidArgument>([&] { (void)solve_structural(risk, method, options); });
        EXPECT_NE(said.find(" needs "), said.npos) << said;
        EXPECT_TRUE(said.ends_with(advice)) << said;
      };
  for (const std::size_t threads : {1U, 2U, 8U}) {
    const std::size_t calls = risk.large + (threads - 1) * risk.small;
    const char* advice =
        threads > 1 ? ": use fewer threads or smaller inputs" : ": use smaller inputs";
    expect_least(StructuralMethod::mira, threads, 3 * vector + risk.large, ": use smaller inputs");
    expect_least(StructuralMethod::subgradient, threads, 5 * vector + calls, advice);
    // Planes need an eighth.
    expect_least(StructuralMethod::one_slack, threads, 4 * vector + calls / 7 * 8, advice);
    expect_least(StructuralMethod::n_slack, threads, 2 * vector + calls / 7 * 8, advice);
    expect_least(StructuralMethod::block_frank_wolfe, threads, 2 * vector + calls / 7 * 8, advice);
  }
  const std::size_t many = risk.large + 39 * risk.small;
  expect_least(StructuralMethod::block_frank_wolfe,
               40,
               2 * vector + 2 * many,
               ": use fewer threads or smaller inputs");
}

// Planes have less room beside large argmaxes, but the same for any number of threads.
TEST(StructuralMemory, RoomBesideArgmaxesDoesNotDependOnTheThreads) {
  const HungryRisk risk;
  const TableRisk light(40, random_planes(60, 40, 40, 11));
  for (const StructuralSolver solver : with_gap) {
    StructuralOptions options{
        .c = 0.2, .tolerance = 1e-2, .max_passes = 200, .context = {.threads = 1}};
    for (const std::size_t limit : {95'000U, 120'000U, 200'000U}) {
      options.context.memory_limit = limit;
      options.context.threads = 1;
      const StructuralSolution one = solver(risk, options, nullptr);
      for (const std::size_t threads : {2U, 5U, 16U, 40U}) {
        options.context.threads = threads;
        if (threads > 16 && limit < 200'000) continue;
        EXPECT_EQ(solver(risk, options, nullptr).w, one.w) << limit << ", " << threads;
      }
      // The room matters, or nothing was tested.
      if (limit == 95'000) {
        EXPECT_NE(solver(light, options, nullptr).w, one.w);
      }
    }
  }
}

// Cuts of few features: their products are as many as the square of the cuts, and count.
TEST(StructuralMemory, ProductsOfCutsCountAsMemory) {
  const TableRisk risk(6, random_planes(60, 6, 12, 5));
  constexpr std::size_t limit = 12000;
  const StructuralOptions options{.c = 0.5,
                                  .tolerance = 1e-7,
                                  .max_passes = 150,
                                  .context = {.memory_limit = limit},
                                  .cached_planes = 0,
                                  .idle_turns = 100000};
  const Traced run = traced(solve_one_slack, risk, options);
  std::size_t most = 0;
  for (const StructuralState& state : run.states) {
    most = std::max(most,
                    8 * state.planes.size() * state.planes.size() + 8 * state.planes.values.size());
  }
  EXPECT_LE(most, limit);
  EXPECT_GT(most, limit / 3);  // or nothing was tested
  EXPECT_EQ(faults_of(risk, run.states.back(), options.c), std::vector<std::string>());
}

/// Of the planes of a state, as a table holds them.
std::size_t bytes_of(const PlaneTable& planes) {
  return 12 * planes.values.size() + 40 * planes.size();
}

// A state that is kept and the one that a run begins with stand beside the solver's planes: all
// three are within the limit.
TEST(StructuralMemory, KeptStatesCountAsMemory) {
  const TableRisk risk(40, random_planes(60, 40, 40, 11));
  constexpr std::size_t limit = 160'000;
  for (const StructuralSolver solver : with_gap) {
    StructuralOptions options{.c = 0.5,
                              .tolerance = 1e-5,
                              .max_passes = 40,
                              .context = {.threads = 1, .memory_limit = limit},
                              .cached_planes = 20,
                              .idle_turns = 1000,
                              .keep_state = true};
    const Traced first = traced(solver, risk, options);
    const Traced second = traced(solver, risk, options, &*first.solution.state);
    std::size_t most = 0;
    for (const Traced* run : {&first, &second}) {
      for (const StructuralState& state : run->states) {
        most = std::max(most, bytes_of(state.planes));
      }
    }
    // The beginning, the solver's own (in memory no larger than in a table) and the end.
    SCOPED_TRACE(std::to_string(most) + " bytes of planes");
    EXPECT_LE(3 * most, limit);
    EXPECT_GT(3 * most, limit / 4);  // or nothing was tested
    options.keep_state = false;
    const Traced unkept = traced(solver, risk, options);
    std::size_t without = 0;
    for (const StructuralState& state : unkept.states) {
      without = std::max(without, bytes_of(state.planes));
    }
    EXPECT_GT(3 * without, limit) << without;
  }
}

// Long planes come first and fill the memory; short ones follow, each within its share.
TEST(StructuralMemory, TheCacheKeepsToItsHalfOfTheMemory) {
  Rng rng(6, "uneven");
  std::vector<std::vector<StructuralPlane>> planes(200);
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const std::size_t entries = i < 100 ? 400 : 100;
    for (int k = 0; k < 3; ++k) {
      StructuralPlane plane{.offset = 1 + rng.uniform()};
      for (std::size_t j = 0; j < entries; ++j) plane.slope.add(j, rng.normal() + 0.2);
      planes[i].push_back(std::move(plane));
    }
  }
  const TableRisk risk(400, planes);
  constexpr std::size_t limit = 1'000'000;
  const Traced run =
      traced(solve_one_slack,
             risk,
             {.c = 0.001, .tolerance = 1e-4, .max_passes = 6, .context = {.memory_limit = limit}});
  std::size_t most = 0;
  for (const StructuralState& state : run.states) {
    std::size_t bytes = 0;
    for (std::size_t p = 0; p < state.planes.size(); ++p) {
      if (state.planes.owners[p] == 200) continue;
      bytes += 12 * (state.planes.begins[p + 1] - state.planes.begins[p]);
    }
    most = std::max(most, bytes);
  }
  EXPECT_LE(most, limit / 2);
  EXPECT_GT(most, limit / 8);  // or nothing was tested
}

}  // namespace
}  // namespace maxmargin
