// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/checkpoints.hpp"

#include <filesystem>

#include "io/model/structural_state_file.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin::learning {

namespace {

/// Seconds between two files: a state can be as large as the memory limit.
constexpr double default_seconds = 60;

std::string words_of(const ReportFields& run, std::uint64_t fingerprint) {
  std::string words;
  for (const auto& [name, value] : run) words += name + " " + text_of(value) + ", ";
  return words + "data " + std::to_string(fingerprint);
}

}  // namespace

namespace {

std::string no_checkpoints(std::string_view option, std::string_view solver) {
  return flag_of(option) + ": --solver " + std::string(solver) + " keeps no checkpoints";
}

}  // namespace

void CheckpointChoice::describe(OptionVisitor& visit, std::string_view solver) {
  visit.text({.name = "checkpoint",
              .help = "write where the training stands, for --resume",
              .value = "FILE"},
             path);
  visit.number({.name = "checkpoint-every",
                .help = "least time between two checkpoints",
                .value = "SECONDS",
                .fallback = "60"},
               every,
               rules::not_negative_or_infinite);
  visit.yes_no({.name = "resume", .help = "continue from the checkpoint, if there is one"}, resume);
  visit.rule(solver.empty() || given().empty(), no_checkpoints(given(), solver));
  visit.rule(path || !resume, "--resume: needs --checkpoint FILE to continue from");
  visit.rule(path || !every, "--checkpoint-every: belongs to --checkpoint");
}

std::string_view CheckpointChoice::given() const {
  return path ? "checkpoint" : every ? "checkpoint-every" : resume ? "resume" : "";
}

void CheckpointChoice::refuse(std::string_view solver) const {
  if (!given().empty()) throw InvalidArgument(no_checkpoints(given(), solver));
}

Checkpoints::Checkpoints(const CheckpointChoice& choice,
                         StructuralMethod method,
                         const ReportFields& run,
                         std::uint64_t fingerprint,
                         StructuralOptions& solving)
    : path_(choice.path),
      every_(choice.every.value_or(default_seconds)),
      run_(words_of(run, fingerprint)) {
  if (!has_checkpoints(method)) choice.refuse(to_string(method));
  if (!path_) return;
  if (choice.resume && std::filesystem::exists(*path_)) start_ = read_state(*path_, run_);
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

}  // namespace maxmargin::learning
