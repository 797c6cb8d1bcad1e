// SPDX-License-Identifier: Apache-2.0
#include "solver/structural/latent_state.hpp"

#include <cmath>
#include <cstddef>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// Of numbers_of; other numbers are of another version.
constexpr double layout = 1;
/// Whole numbers up to here are doubles.
constexpr double most_whole = 9007199254740992.0;

class Writer {
 public:
  void number(double x) { numbers_.push_back(x); }
  void whole(std::uint64_t x) { number(static_cast<double>(x)); }
  void maybe(const std::optional<double>& x) {
    number(x ? 1 : 0);
    number(x.value_or(0));
  }
  void vector(const std::vector<double>& x) {
    whole(x.size());
    numbers_.insert(numbers_.end(), x.begin(), x.end());
  }
  void trace(const std::vector<LatentStep>& steps) {
    whole(steps.size());
    for (const LatentStep& step : steps) {
      number(step.objective);
      number(step.inner_gap);
      whole(step.changed);
      whole(step.oracle_calls);
      whole(step.refused);
    }
  }
  [[nodiscard]] std::vector<double> take() { return std::move(numbers_); }

 private:
  std::vector<double> numbers_;
};

class Reader {
 public:
  explicit Reader(const std::vector<double>& numbers) : numbers_(numbers) {}

  double number() {
    require(at_ < numbers_.size(), "the checkpoint's outer numbers: there are too few");
    return numbers_[at_++];
  }
  std::uint64_t whole() {
    const double x = number();
    require(x >= 0 && x <= most_whole && x == std::floor(x),
            "the checkpoint's outer numbers: a count is none");
    return static_cast<std::uint64_t>(x);
  }
  /// Of things of which each takes at least one number.
  std::size_t count() {
    const std::uint64_t n = whole();
    require(n <= numbers_.size() - at_, "the checkpoint's outer numbers: there are too few");
    return static_cast<std::size_t>(n);
  }
  std::optional<double> maybe() {
    const bool is_there = number() != 0;
    const double x = number();
    return is_there ? std::optional(x) : std::nullopt;
  }
  std::vector<double> vector(std::size_t dimension) {
    const std::size_t n = count();
    require(n == 0 || n == dimension, "the checkpoint's outer numbers: weights of another problem");
    std::vector<double> x(n);
    for (double& each : x) each = number();
    return x;
  }
  std::vector<LatentStep> trace() {
    std::vector<LatentStep> steps(count());
    for (LatentStep& step : steps) {
      step.objective = number();
      step.inner_gap = number();
      step.changed = whole();
      step.oracle_calls = whole();
      step.refused = whole();
    }
    return steps;
  }
  [[nodiscard]] bool is_at_end() const { return at_ == numbers_.size(); }

 private:
  const std::vector<double>& numbers_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<double> numbers_of(const LatentMemory& memory) {
  Writer out;
  out.number(layout);
  const LatentPoint& point = memory.point;
  out.vector(point.w);
  out.maybe(point.objective);
  out.number(point.inner_gap);
  out.whole(point.steps);
  out.whole(point.refused);
  out.whole(point.oracle_calls);
  out.trace(point.trace);
  out.whole(memory.runs.size());
  for (const LatentRun& run : memory.runs) {
    out.whole(static_cast<std::uint64_t>(run.status));
    out.maybe(run.objective);
    out.maybe(run.stationary_gap);
    out.maybe(run.measure);
    out.whole(run.steps);
    out.whole(run.oracle_calls);
  }
  out.whole(memory.best);
  out.vector(memory.best_w);
  out.trace(memory.best_trace);
  return out.take();
}

LatentMemory memory_of(const std::vector<double>& numbers,
                       std::size_t dimension,
                       std::uint64_t most_runs) {
  Reader in(numbers);
  require(in.number() == layout, "the checkpoint's outer numbers: they are of another version");
  LatentMemory memory;
  LatentPoint& point = memory.point;
  point.w = in.vector(dimension);
  point.objective = in.maybe();
  point.inner_gap = in.number();
  point.steps = in.whole();
  point.refused = in.whole();
  point.oracle_calls = in.whole();
  point.trace = in.trace();
  require(point.inner_gap > 0 && point.inner_gap < 1,
          "the checkpoint's outer numbers: a gap is none");
  require(point.objective.has_value() == !point.w.empty(),
          "the checkpoint's outer numbers: there must be an objective where there are weights");
  memory.runs.resize(in.count());
  require(memory.runs.size() < most_runs, "the checkpoint's outer numbers: there are more runs");
  for (LatentRun& run : memory.runs) {
    const std::uint64_t status = in.whole();
    require(status <= static_cast<std::uint64_t>(Status::local_optimum),
            "the checkpoint's outer numbers: a status is none");
    run.status = static_cast<Status>(status);
    run.objective = in.maybe();
    run.stationary_gap = in.maybe();
    run.measure = in.maybe();
    run.steps = in.whole();
    run.oracle_calls = in.whole();
  }
  memory.best = in.whole();
  memory.best_w = in.vector(dimension);
  memory.best_trace = in.trace();
  require(memory.runs.empty() || memory.best < memory.runs.size(),
          "the checkpoint's outer numbers: the best run is none");
  require(memory.best_w.size() == (memory.runs.empty() ? 0 : dimension),
          "the checkpoint's outer numbers: the best run has no weights");
  require(in.is_at_end(), "the checkpoint's outer numbers: there are too many");
  return memory;
}

}  // namespace maxmargin
