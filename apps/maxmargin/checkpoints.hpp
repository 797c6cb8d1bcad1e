// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "arguments.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/solver/structural/method.hpp"

namespace maxmargin::tool {

/// Throws UsageError for their options, naming the solver that has none.
void refuse_checkpoints(const Arguments& arguments, std::string_view solver);

/// --checkpoint, --checkpoint-every and --resume: docs/guide/checkpoints.md.
class Checkpoints {
 public:
  /// `options` and `fingerprint` (of the data) say which run this is; how exact its answer is to be
  /// is no part of that. Sets `solving.on_checkpoint` with --checkpoint, and this must outlive the
  /// run. A file that cannot be written (a full disk) is no reason to lose the training: it goes
  /// on. Throws UsageError when the method has no checkpoints, and when options contradict each
  /// other; ModelFormatError when the file to go on with is of another run.
  Checkpoints(const Arguments& arguments,
              StructuralMethod method,
              const ReportFields& options,
              std::uint64_t fingerprint,
              StructuralOptions& solving);
  // The solver holds a pointer to it.
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  /// What --resume goes on with; nullptr without it and when there is no file yet.
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

}  // namespace maxmargin::tool
