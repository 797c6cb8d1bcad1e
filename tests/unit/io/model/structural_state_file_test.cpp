// SPDX-License-Identifier: Apache-2.0
#include "io/model/structural_state_file.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/solver/structural/solution.hpp"
#include "structural_cases.hpp"
#include "temporary_folder.hpp"

namespace maxmargin {
namespace {

/// Numbers that a careless writer spoils.
StructuralState ugly_state() {
  StructuralState state;
  state.solver = "one-slack";
  state.c = 0.1;
  state.seed = std::numeric_limits<std::uint64_t>::max();
  state.examples = 3;
  state.passes = 7;
  state.oracle_calls = (std::uint64_t{1} << 53) + 1;
  state.w = {-0.0, std::numeric_limits<double>::denorm_min(), 1.0 / 3, -1e300};
  state.best_w = {1, 2, 3, std::nextafter(4.0, 5.0)};
  state.best_primal = 1.0 / 7;
  state.dual = -0.0;
  state.numbers = {0.1, 1e-9};
  state.planes.owners = {0, 2, 3};
  state.planes.offsets = {1, 0.3, 2};
  state.planes.weights = {0, 1.0 / 3, 0.1};
  state.planes.ages = {0, 4, 1};
  // The second plane has no slope.
  state.planes.begins = {0, 2, 2, 3};
  state.planes.indices = {0, 3, 1};
  state.planes.values = {0.1, -2, std::numeric_limits<double>::min()};
  return state;
}

std::vector<std::uint64_t> bits_of(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> bits;
  bits.reserve(numbers.size());
  for (const double x : numbers) bits.push_back(std::bit_cast<std::uint64_t>(x));
  return bits;
}

void expect_equal(const StructuralState& a, const StructuralState& b) {
  EXPECT_EQ(a.solver, b.solver);
  EXPECT_EQ(a.c, b.c);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.examples, b.examples);
  EXPECT_EQ(a.passes, b.passes);
  EXPECT_EQ(a.oracle_calls, b.oracle_calls);
  EXPECT_EQ(bits_of(a.w), bits_of(b.w));
  EXPECT_EQ(bits_of(a.best_w), bits_of(b.best_w));
  EXPECT_EQ(a.best_primal, b.best_primal);
  EXPECT_EQ(bits_of({a.dual}), bits_of({b.dual}));
  EXPECT_EQ(bits_of(a.numbers), bits_of(b.numbers));
  EXPECT_EQ(a.planes.owners, b.planes.owners);
  EXPECT_EQ(bits_of(a.planes.offsets), bits_of(b.planes.offsets));
  EXPECT_EQ(bits_of(a.planes.weights), bits_of(b.planes.weights));
  EXPECT_EQ(a.planes.ages, b.planes.ages);
  EXPECT_EQ(a.planes.begins, b.planes.begins);
  EXPECT_EQ(a.planes.indices, b.planes.indices);
  EXPECT_EQ(bits_of(a.planes.values), bits_of(b.planes.values));
}

TEST(StructuralStateFile, ComesBackBitForBit) {
  const TemporaryFolder folder;
  const std::string path = folder.path("state");
  const StructuralState state = ugly_state();
  write_state(path, state, "a run");
  expect_equal(read_state(path, "a run"), state);
  // A state of before the first look, without planes; it takes the place of the other.
  StructuralState young;
  young.solver = "n-slack";
  young.c = 1;
  young.w = {0, 0};
  write_state(path, young, "a run");
  expect_equal(read_state(path, "a run"), young);
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(StructuralStateFile, AnotherRunIsNamed) {
  const TemporaryFolder folder;
  const std::string path = folder.path("state");
  write_state(path, ugly_state(), "C 1, data 17");
  try {
    (void)read_state(path, "C 2, data 17");
    FAIL();
  } catch (const ModelFormatError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("C 1, data 17"), std::string::npos) << text;
    EXPECT_NE(text.find("C 2, data 17"), std::string::npos) << text;
    EXPECT_NE(text.find(path), std::string::npos) << text;
  }
}

// A file cut anywhere, or with any byte changed, is refused: never half a state.
TEST(StructuralStateFile, BrokenFilesAreRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.path("state");
  write_state(path, ugly_state(), "a run");
  std::ifstream file(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  ASSERT_GT(whole.size(), 100u);
  const std::string broken = folder.path("broken");
  const auto is_refused = [&](const std::string& bytes) {
    std::ofstream(broken, std::ios::binary | std::ios::trunc) << bytes;
    try {
      (void)read_state(broken, "a run");
      return false;
    } catch (const Error&) {
      return true;
    }
  };
  EXPECT_FALSE(is_refused(whole));
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 50) {
    EXPECT_TRUE(is_refused(whole.substr(0, size))) << size;
  }
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_TRUE(is_refused(changed)) << at;
  }
}

/// A state as a document, written by hand, without one of its entries.
ModelDocument document_without(const std::string& left_out) {
  ModelDocument document("checkpoint");
  const auto is_in = [&](const char* name) { return name != left_out; };
  for (const char* name : {"run", "solver"}) {
    if (is_in(name)) document.set_string(name, "a run");
  }
  if (is_in("seed")) document.set_string("seed", "5");
  for (const char* name : {"c", "dual"}) {
    if (is_in(name)) document.set_number(name, 1);
  }
  for (const char* name : {"examples", "passes", "oracle_calls"}) {
    if (is_in(name)) document.set_integer(name, 2);
  }
  for (const char* name : {"w", "best_w", "numbers"}) {
    if (is_in(name)) document.set_numbers(name, {});
  }
  for (const char* name : {"planes.owners", "planes.offsets", "planes.weights", "planes.ages"}) {
    if (is_in(name)) document.set_numbers(name, {1});
  }
  if (is_in("planes.slopes")) {
    Buffer<std::int64_t> offsets(2, 0);
    document.set_sparse("planes.slopes",
                        {1, std::move(offsets), Buffer<std::int32_t>(0, 0), Buffer<double>(0, 0)});
  }
  return document;
}

TEST(StructuralStateFile, DocumentsThatAreNoStatesAreRefused) {
  EXPECT_EQ(state_of(document_without(""), "a run").seed, 5u);
  EXPECT_FALSE(state_of(document_without(""), "a run").best_primal);
  const auto refused = [](const std::string& name, const auto& put) {
    ModelDocument document = document_without(name);
    EXPECT_THROW((void)state_of(document, "a run"), ModelFormatError) << "without " << name;
    put(document);
    EXPECT_THROW((void)state_of(document, "a run"), ModelFormatError) << "wrong " << name;
  };
  refused("passes", [](ModelDocument& document) { document.set_integer("passes", -1); });
  refused("examples", [](ModelDocument& document) { document.set_number("examples", 2); });
  for (const std::string seed : {"18446744073709551616", "-1", "", "1e3"}) {
    refused("seed", [&](ModelDocument& document) { document.set_string("seed", seed); });
  }
  for (const double owner : {0.5, -1.0, 1e17}) {
    refused("planes.owners",
            [&](ModelDocument& document) { document.set_numbers("planes.owners", {owner}); });
    refused("planes.ages",
            [&](ModelDocument& document) { document.set_numbers("planes.ages", {owner}); });
  }
  refused("planes.weights",
          [](ModelDocument& document) { document.set_numbers("planes.weights", {}); });
  refused("planes.offsets", [](ModelDocument& document) {
    document.set_numbers("planes.offsets", {1, 2});
  });
  EXPECT_THROW((void)state_of(ModelDocument("svc"), "a run"), ModelFormatError);
  EXPECT_THROW((void)state_of(ModelDocument("checkpoint"), "a run"), ModelFormatError);
}

TEST(StructuralStateFile, WeightsBeyondTheFormatAreRefused) {
  StructuralState state = ugly_state();
  state.planes.indices.back() = std::numeric_limits<std::uint32_t>::max();
  EXPECT_THROW((void)state_document(state, "a run"), InvalidArgument);
}

StructuralState some_state(StructuralMethod method) {
  const testing::TableRisk risk(6, testing::random_planes(12, 6, 4, 3));
  StructuralState state;
  std::size_t asked = 0;
  const StructuralOptions options{
      .c = 0.1,
      .tolerance = 1e-9,
      .max_passes = 5,
      .context = {.seed = std::numeric_limits<std::uint64_t>::max()},
      .on_checkpoint = [&](const std::function<StructuralState()>& now) {
        if (++asked == 3) state = now();
      }};
  (void)solve_structural(risk, method, options);
  EXPECT_GE(asked, 3u);
  return state;
}

TEST(StructuralStateFile, StatesOfAllSolversComeBack) {
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
