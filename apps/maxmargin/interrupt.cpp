// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <memory>

#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/stream/output.hpp"

namespace maxmargin::tool {

namespace {

volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t solving = 0;
volatile std::sig_atomic_t renaming = 0;

/// What a run found before it was stopped is verified where that takes no longer.
constexpr double seconds_to_verify_anyway = 0.4;

/// Callbacks run one at a time, and who asks for this comes after them.
bool stopped_verification = false;

/// Starts with the process, as --time-limit counts from there.
const Stopwatch since_start;

extern "C" void on_interrupt(int /*signal*/) {
  if (renaming != 0) return;
  if (interrupted != 0 || solving == 0) {
    remove_temporary_files();
    _exit(130);
  }
  interrupted = 1;
}

}  // namespace

void install_interrupt_handler() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    const bool is_ignored =
        sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
    if (!is_ignored) sigaction(signal, &action, nullptr);
  }
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
}

SolveScope::SolveScope() { solving = 1; }

SolveScope::~SolveScope() { solving = 0; }

RenamingScope::RenamingScope() { renaming = 1; }

RenamingScope::~RenamingScope() { renaming = 0; }

double seconds_since_start() { return since_start.seconds(); }

bool verification_was_stopped() { return stopped_verification; }

ProgressCallback interruptible(ProgressCallback inner, std::optional<double> time_limit_seconds) {
  // Since the start of the process; unset: nothing was verified yet.
  auto verify_began = std::make_shared<std::optional<double>>();
  return [inner = std::move(inner), time_limit_seconds, verify_began](const Progress& progress) {
    const bool is_late = time_limit_seconds && since_start.seconds() > *time_limit_seconds;
    if (progress.phase == "verify") {
      if (!*verify_began) *verify_began = since_start.seconds();
      const bool is_soon = since_start.seconds() < **verify_began + seconds_to_verify_anyway;
      if ((interrupted != 0 || is_late) && is_soon) return Continue::yes;
      if (interrupted != 0 || is_late) stopped_verification = true;
    }
    if (interrupted != 0) return Continue::stop;
    return is_late ? Continue::time_is_up : ask(inner, progress);
  };
}

}  // namespace maxmargin::tool
