// SPDX-License-Identifier: Apache-2.0
#include "io/model/structural_state_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// Whole numbers up to here are doubles.
constexpr double most_whole = 9007199254740992.0;

std::vector<double> to_numbers(const std::vector<std::uint64_t>& values) {
  return {values.begin(), values.end()};
}

std::vector<std::uint64_t> to_whole(const std::vector<double>& numbers, const std::string& name) {
  std::vector<std::uint64_t> values;
  values.reserve(numbers.size());
  for (const double x : numbers) {
    require(x >= 0 && x <= most_whole && x == std::floor(x), name + " holds no whole number");
    values.push_back(static_cast<std::uint64_t>(x));
  }
  return values;
}

/// Slopes as rows of a matrix.
SparseMatrix slopes_of(const PlaneTable& planes) {
  Buffer<std::int64_t> offsets(planes.begins.size());
  Buffer<std::int32_t> columns(planes.indices.size());
  Buffer<double> values(planes.values.size());
  std::ranges::copy(planes.values, values.span().begin());
  std::size_t cols = 0;
  for (std::size_t k = 0; k < planes.indices.size(); ++k) {
    require(planes.indices[k] < std::numeric_limits<std::int32_t>::max(),
            "a checkpoint takes weights below 2^31");
    columns.span()[k] = static_cast<std::int32_t>(planes.indices[k]);
    cols = std::max<std::size_t>(cols, planes.indices[k] + 1U);
  }
  for (std::size_t p = 0; p < planes.begins.size(); ++p) {
    offsets.span()[p] = static_cast<std::int64_t>(planes.begins[p]);
  }
  return {cols, std::move(offsets), std::move(columns), std::move(values)};
}

std::uint64_t count_of(const ModelDocument& document, std::string_view name) {
  const std::int64_t value = document.integer(name);
  require(value >= 0, std::string(name) + " is negative");
  return static_cast<std::uint64_t>(value);
}

/// Solvers write nothing else than finite numbers.
std::vector<double> finite_numbers(const ModelDocument& document, const std::string& name) {
  const std::vector<double>& numbers = document.numbers(name);
  require(std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); }),
          name + " holds a number that is not finite");
  return numbers;
}

PlaneTable planes_of(const ModelDocument& document) {
  PlaneTable planes{.owners = to_whole(document.numbers("planes.owners"), "planes.owners"),
                    .offsets = finite_numbers(document, "planes.offsets"),
                    .weights = finite_numbers(document, "planes.weights"),
                    .ages = to_whole(document.numbers("planes.ages"), "planes.ages")};
  const SparseView slopes = document.sparse("planes.slopes").view();
  require(slopes.rows() == planes.owners.size() && planes.offsets.size() == slopes.rows() &&
              planes.weights.size() == slopes.rows() && planes.ages.size() == slopes.rows(),
          "the parts of the planes have different lengths");
  for (std::size_t p = 0; p < slopes.rows(); ++p) {
    const SparseRow row = slopes.row(p);
    for (const std::int32_t column : row.columns) {
      planes.indices.push_back(static_cast<std::uint32_t>(column));
    }
    planes.values.insert(planes.values.end(), row.values.begin(), row.values.end());
    planes.begins.push_back(planes.indices.size());
  }
  return planes;
}

}  // namespace

ModelDocument state_document(const StructuralState& state, const std::string& run) {
  ModelDocument document("checkpoint");
  document.set_string("run", run);
  document.set_string("solver", state.solver);
  document.set_number("c", state.c);
  document.set_string("seed", std::to_string(state.seed));
  document.set_integer("examples", static_cast<std::int64_t>(state.examples));
  document.set_integer("passes", static_cast<std::int64_t>(state.passes));
  document.set_integer("oracle_calls", static_cast<std::int64_t>(state.oracle_calls));
  document.set_number("dual", state.dual);
  if (state.best_primal) document.set_number("best_primal", *state.best_primal);
  document.set_numbers("w", state.w);
  document.set_numbers("best_w", state.best_w);
  document.set_numbers("numbers", state.numbers);
  if (!state.outer.empty()) document.set_numbers("outer", state.outer);
  document.set_numbers("planes.owners", to_numbers(state.planes.owners));
  document.set_numbers("planes.offsets", state.planes.offsets);
  document.set_numbers("planes.weights", state.planes.weights);
  document.set_numbers("planes.ages", to_numbers(state.planes.ages));
  document.set_sparse("planes.slopes", slopes_of(state.planes));
  return document;
}

StructuralState state_of(ModelDocument document, const std::string& run) {
  const auto fail = [&](const std::string& problem) {
    throw ModelFormatError(document.source(), {}, "checkpoint: " + problem);
  };
  if (document.learner() != "checkpoint") fail("this is a model of " + document.learner());
  if (document.string("run") != run) {
    fail("it is of another run (" + document.string("run") + "), this one is " + run);
  }
  try {
    StructuralState state{.solver = document.string("solver"),
                          .c = document.number("c"),
                          .examples = count_of(document, "examples"),
                          .passes = count_of(document, "passes"),
                          .oracle_calls = count_of(document, "oracle_calls"),
                          .w = finite_numbers(document, "w"),
                          .best_w = finite_numbers(document, "best_w"),
                          .dual = document.number("dual"),
                          .planes = planes_of(document),
                          .numbers = finite_numbers(document, "numbers")};
    const std::string& seed = document.string("seed");
    require(!seed.empty() && seed.size() <= 20 &&
                std::ranges::all_of(seed, [](char c) { return c >= '0' && c <= '9'; }),
            "seed is no whole number");
    state.seed = std::stoull(seed);
    if (document.has("best_primal")) state.best_primal = document.number("best_primal");
    if (document.has("outer")) state.outer = finite_numbers(document, "outer");
    return state;
  } catch (const InvalidArgument& broken) {
    fail(broken.what());
  } catch (const std::out_of_range&) {
    fail("seed is too large");
  }
  throw InternalError("unreachable");
}

void write_state(const std::string& path, const StructuralState& state, const std::string& run) {
  OutputFile file(path);
  write_model(state_document(state, run), file, ModelFormat::binary);
  file.commit();
}

StructuralState read_state(const std::string& path, const std::string& run) {
  Input input = Input::open(path);
  return state_of(read_model(input), run);
}

}  // namespace maxmargin
