// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "arguments.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/solver/structural_method.hpp"

namespace maxmargin::tool {

/// Throws UsageError for their options, naming the solver that has none.
void refuse_checkpoints(const Arguments& arguments, std::string_view solver);

/// --checkpoint, --checkpoint-every and --resume: docs/guide/checkpoints.md.
class Checkpoints {
 public:
  /// `options` and `fingerprint` (of the data) say which run this is. Throws UsageError when the
  /// method has no checkpoints, and when options contradict each other.
  Checkpoints(const Arguments& arguments,
              StructuralMethod method,
              const ReportFields& options,
              std::uint64_t fingerprint);

  /// What --resume goes on with; empty without it and when there is no file yet. Throws
  /// ModelFormatError for the file of another run.
  [[nodiscard]] std::optional<StructuralState> start() const;
  /// Writes the file when it is time; empty without --checkpoint. Must not outlive this. A file
  /// that cannot be written (a full disk) is no reason to lose the training: it goes on.
  [[nodiscard]] CheckpointCallback callback();
  /// Says in the report of the training which files the callback could not write.
  void add_warnings(SolveReport& report) const;

 private:
  std::optional<std::string> path_;
  bool resumes_ = false;
  double every_ = 0;
  std::string run_;
  Stopwatch since_;
  std::size_t failures_ = 0;
  std::string last_problem_;
};

}  // namespace maxmargin::tool
