// SPDX-License-Identifier: Apache-2.0
#include "checkpoints.hpp"

#include <filesystem>

#include "learner_options.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/model/structural_state_file.hpp"
#include "option_table.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

/// Seconds between two files: a state can be as large as the memory limit.
constexpr double default_seconds = 60;

std::string words_of(const ReportFields& options, std::uint64_t fingerprint) {
  std::string words;
  for (const auto& [name, value] : options) words += name + " " + shown(value) + ", ";
  return words + "data " + std::to_string(fingerprint);
}

}  // namespace

void refuse_checkpoints(const Arguments& arguments, std::string_view solver) {
  for (const std::string_view option : {"checkpoint", "checkpoint-every", "resume"}) {
    if (!arguments.has(option)) continue;
    throw UsageError(main_flag(option) + ": --solver " + std::string(solver) +
                     " keeps no checkpoints");
  }
}

Checkpoints::Checkpoints(const Arguments& arguments,
                         StructuralMethod method,
                         const ReportFields& options,
                         std::uint64_t fingerprint,
                         StructuralOptions& solving)
    : path_(arguments.text("checkpoint")),
      every_(number_of(
          arguments,
          "checkpoint-every",
          default_seconds,
          [](double seconds) { return seconds >= 0; },
          "a number of seconds >= 0")),
      run_(words_of(options, fingerprint)) {
  if (!has_checkpoints(method)) refuse_checkpoints(arguments, to_string(method));
  if (!path_) {
    if (arguments.has("resume"))
      throw UsageError("--resume: needs --checkpoint FILE to go on with");
    if (arguments.has("checkpoint-every")) {
      throw UsageError("--checkpoint-every: belongs to --checkpoint");
    }
    return;
  }
  if (arguments.has("resume") && std::filesystem::exists(*path_)) {
    start_ = read_state(*path_, run_);
  }
  solving.on_checkpoint = [this](const std::function<StructuralState()>& state) { write(state); };
}

void Checkpoints::write(const std::function<StructuralState()>& state) {
  if (since_.seconds() < every_) return;
  const StructuralState now = state();
  try {
    write_state(*path_, now, run_);
  } catch (const FileError& problem) {
    ++failures_;
    last_problem_ = problem.what();
  }
  since_ = Stopwatch();
}

void Checkpoints::add_warnings(SolveReport& report) const {
  if (failures_ == 0) return;
  report.warnings.push_back("--checkpoint: " + std::to_string(failures_) +
                            " could not be written, the last one because of " + last_problem_);
}

}  // namespace maxmargin::tool
