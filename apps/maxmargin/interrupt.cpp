// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

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

/// What MAXMARGIN_TEST_STOP asks for, until it came; empty: nothing.
std::string awaited_phase;
bool awaits_interrupt = false;
/// A test said so.
bool time_is_up = false;

void await_phase() {
  const char* const asked = std::getenv("MAXMARGIN_TEST_STOP");
  if (asked == nullptr) return;
  const std::string text = asked;
  const std::size_t colon = text.rfind(':');
  awaited_phase = text.substr(0, colon);
  awaits_interrupt = text.substr(colon + 1) == "interrupt";
}

/// By all threads, in the program and for it in the system.
double seconds_of_work() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

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
  await_phase();
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

void reach_phase(std::string_view phase) {
  if (awaited_phase.empty() || phase != awaited_phase) return;
  awaited_phase.clear();
  std::cerr << "stop in " + std::string(phase) + " after " + std::to_string(seconds_of_work()) +
                   " s of work\n"
            << std::flush;
  if (awaits_interrupt) {
    raise(SIGINT);
  } else {
    time_is_up = true;
  }
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
    reach_phase(progress.phase);
    const bool is_late =
        time_is_up || (time_limit_seconds && since_start.seconds() > *time_limit_seconds);
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
