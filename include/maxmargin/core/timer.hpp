// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace maxmargin {

/// Seconds since construction.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Seconds by named phase, for SolveReport::seconds. A phase entered twice is added up.
class PhaseTimer {
 public:
  /// Ends the running phase and begins `name`.
  void enter(std::string_view name) {
    leave();
    running_ = name;
    watch_ = Stopwatch();
  }
  /// Ends the running phase.
  void leave() {
    if (running_.empty()) return;
    const double spent = watch_.seconds();
    for (auto& [name, seconds] : phases_) {
      if (name == running_) {
        seconds += spent;
        running_.clear();
        return;
      }
    }
    phases_.emplace_back(std::exchange(running_, {}), spent);
  }
  /// Ends the running phase and returns all of them.
  [[nodiscard]] std::vector<std::pair<std::string, double>> finish() {
    leave();
    return std::exchange(phases_, {});
  }

 private:
  std::vector<std::pair<std::string, double>> phases_;
  std::string running_;
  Stopwatch watch_;
};

}  // namespace maxmargin
