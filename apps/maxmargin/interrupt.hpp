// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "maxmargin/core/progress.hpp"

/// Ctrl-C (SIGINT), SIGTERM and SIGHUP. From the beginning of a solve until its answer is written
/// the first asks to stop with the best answer and the second ends the process; at any other time
/// the first ends it, but not while finished files get their names. Ending means: exit code 130,
/// and no file left behind. A signal that was ignored when the process began (nohup, jobs in the
/// background of a shell) stays ignored.
namespace maxmargin::tool {

/// To be called once, at the start. A closed pipe becomes a write error from here on.
void install_interrupt_handler();

/// While one of these lives, the first interrupt is left to the solve's callback. To be kept until
/// the answer is written: an interrupt that comes when there is nothing left to stop loses nothing.
class SolveScope {
 public:
  SolveScope();
  ~SolveScope();
  SolveScope(const SolveScope&) = delete;
  SolveScope& operator=(const SolveScope&) = delete;
};

/// While one of these lives, interrupts are not heard, whatever thread they reach: finished files
/// get their names, all of them, and the run ends as if none had come.
class RenamingScope {
 public:
  RenamingScope();
  ~RenamingScope();
  RenamingScope(const RenamingScope&) = delete;
  RenamingScope& operator=(const RenamingScope&) = delete;
};

/// For tests, which choose by MAXMARGIN_TEST_STOP=PHASE:interrupt or PHASE:limit when a stop comes:
/// when a phase of that name begins, of the command (read, write) or of a run (Progress::phase), an
/// interrupt is sent, or time is up from there on. Standard error is told how much the process has
/// worked by then.
void reach_phase(std::string_view phase);

/// Wall time since the process began.
[[nodiscard]] double seconds_since_start();

/// Has a callback from here said stop to the recomputation of a certificate?
[[nodiscard]] bool verification_was_stopped();

/// Wraps a callback: answers `stop` after an interrupt and `time_is_up` once `time_limit_seconds`
/// since the start of the process have passed; else what `inner` answers. A certificate (phase
/// "verify") has a moment all the same, so that the answer of a run that was stopped is verified
/// where that is quick.
[[nodiscard]] ProgressCallback interruptible(ProgressCallback inner,
                                             std::optional<double> time_limit_seconds);

}  // namespace maxmargin::tool
