// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "maxmargin/core/report.hpp"
#include "maxmargin/io/run_report.hpp"

namespace maxmargin::learning {

/// What the trainings behind a cross-validation, a search or a calibration say of themselves.
/// Several threads may add at once; what is read afterwards does not depend on their order.
class FoldTrainings {
 public:
  /// Counts a training that ran to its end, whatever that was.
  void add(const SolveReport& report);
  /// Keeps the options that a training at `point` (empty without a grid) used.
  void keep_options(const std::string& point, const ReportFields& options);

  /// Adds to the report of the whole: the worst status, how many trainings did not converge, and
  /// the first few different warnings that it does not have yet.
  void add_to(SolveReport& report) const;
  /// The options kept for the point; nothing when there are none.
  [[nodiscard]] ReportFields options_at(const std::string& point) const;

 private:
  std::mutex mutex_;
  std::size_t count_ = 0;
  std::size_t unsolved_ = 0;
  Status worst_ = Status::solved;
  std::set<std::string> warnings_;
  std::map<std::string, ReportFields> options_;
};

}  // namespace maxmargin::learning
