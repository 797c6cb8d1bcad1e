// SPDX-License-Identifier: Apache-2.0
#include "learner/fold_trainings.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace maxmargin::learning {

void FoldTrainings::add(const SolveReport& report) {
  const std::lock_guard lock(mutex_);
  ++count_;
  if (!is_success(report.status)) ++unsolved_;
  worst_ = worse(worst_, report.status);
  warnings_.insert(report.warnings.begin(), report.warnings.end());
}

void FoldTrainings::keep_options(const std::string& point, const ReportFields& options) {
  const std::lock_guard lock(mutex_);
  options_[point] = options;
}

void FoldTrainings::add_to(SolveReport& report) const {
  report.status = worse(report.status, worst_);
  if (unsolved_ > 0) {
    report.warnings.push_back(std::to_string(unsolved_) + " of " + std::to_string(count_) +
                              " trainings did not converge: " + std::string(to_string(worst_)) +
                              " at worst");
  }
  std::vector<std::string> fresh;
  std::ranges::copy_if(warnings_, std::back_inserter(fresh), [&](const std::string& warning) {
    return std::ranges::count(report.warnings, warning) == 0;
  });
  constexpr std::size_t most_shown = 5;
  if (fresh.size() > most_shown) {
    const std::size_t left_out = fresh.size() - most_shown;
    fresh.resize(most_shown);
    fresh.push_back(std::to_string(left_out) + " more warnings of single trainings");
  }
  report.warnings.insert(report.warnings.end(), fresh.begin(), fresh.end());
}

ReportFields FoldTrainings::options_at(const std::string& point) const {
  const auto found = options_.find(point);
  return found == options_.end() ? ReportFields{} : found->second;
}

}  // namespace maxmargin::learning
