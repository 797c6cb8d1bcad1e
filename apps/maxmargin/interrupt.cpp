// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <unistd.h>

#include <csignal>

#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/stream/output.hpp"

namespace maxmargin::tool {

namespace {

volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t solving = 0;
volatile std::sig_atomic_t renaming = 0;

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

ProgressCallback interruptible(ProgressCallback inner, std::optional<double> time_limit_seconds) {
  return [inner = std::move(inner), time_limit_seconds](const Progress& progress) {
    if (interrupted != 0) return Continue::stop;
    if (time_limit_seconds && since_start.seconds() > *time_limit_seconds) {
      return Continue::time_is_up;
    }
    return ask(inner, progress);
  };
}

}  // namespace maxmargin::tool
