// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/solver/structural/solution.hpp"

/// Runs that are saved and resumed: docs/guide/checkpoints.md.
namespace maxmargin::learning {

/// Options checkpoint, checkpoint-every and resume.
struct CheckpointChoice {
  std::optional<std::string> path = std::nullopt;
  /// Seconds between two files; unset: 60.
  std::optional<double> every = std::nullopt;
  bool resume = false;

  /// `solver` is one that keeps none; empty: it does.
  void describe(OptionVisitor& visit, std::string_view solver = {});
  /// Throws InvalidArgument when one of them is given, naming the solver that keeps none.
  void refuse(std::string_view solver) const;

 private:
  /// The option that was given, if any.
  [[nodiscard]] std::string_view given() const;
};

/// Of one run.
class Checkpoints {
 public:
  /// `run` (StructuredInput::run) and `fingerprint` (of the data) say which run this is; how exact
  /// its answer is to be is no part of that. Sets `solving.on_checkpoint` where the choice has a
  /// path, and this must outlive the run. A file that cannot be written (a full disk) is no reason
  /// to lose the training: it continues. Throws InvalidArgument when the method has no checkpoints;
  /// ModelFormatError when the file to resume is of another run.
  Checkpoints(const CheckpointChoice& choice,
              StructuralMethod method,
              const ReportFields& run,
              std::uint64_t fingerprint,
              StructuralOptions& solving);
  // The solver holds a pointer to it.
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  /// The state that `resume` continues from; nullptr without it and when there is no file yet.
  [[nodiscard]] const StructuralState* start() const { return start_ ? &*start_ : nullptr; }
  /// Says in the report of the training which files could not be written.
  void add_warnings(SolveReport& report) const;

 private:
  void write(const std::function<StructuralState()>& state);

  std::optional<std::string> path_;
  double every_ = 0;
  std::string run_;
  std::optional<StructuralState> start_;
  Stopwatch since_;
  std::size_t failures_ = 0;
  std::string last_problem_;
};

}  // namespace maxmargin::learning
