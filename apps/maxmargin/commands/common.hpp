// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/call.hpp"
#include "maxmargin/core/context.hpp"
#include "maxmargin/core/threads_option.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/learner/source.hpp"
#include "outputs.hpp"

/// What several commands take and do alike.
namespace maxmargin::tool {

/// What a run has around it.
struct RunOptions {
  Context context = {};
  /// Seconds since the start of the process.
  std::optional<double> time_limit = std::nullopt;
  bool quiet = false;
  void describe(OptionVisitor& visit);
  /// The context with a line of progress, Ctrl-C and the time limit.
  [[nodiscard]] Context running() const;
  /// The callback of the next of so many runs, one after the other, that share the time.
  [[nodiscard]] ProgressCallback share_of_time(std::size_t runs_left) const;
};

/// Where the report goes.
struct ReportOptions {
  std::optional<std::string> json = std::nullopt;
  void describe(OptionVisitor& visit);
  /// Is standard output the report's alone?
  [[nodiscard]] bool is_alone() const { return json == "-"; }
};

/// Where the model goes, and whether its certificate is recomputed.
struct ModelOptions {
  std::optional<std::string> output = std::nullopt;
  ModelFormat format = ModelFormat::text;
  bool verify = false;
  void describe(OptionVisitor& visit);
};

/// Described options as a group of a help page.
template <DescribesOptions O>
[[nodiscard]] OptionGroup group_of(std::string title) {
  return {std::move(title), describe_options(O{})};
}
template <DescribesOptions O>
void add_options(OptionGroup& group) {
  for (OptionDescription& option : describe_options(O{}))
    group.options.push_back(std::move(option));
}

/// Holds the process to the memory limit, if one was given. Before anything is read.
void bound_memory(const Context& context);

/// The options of reading data of that kind.
[[nodiscard]] OptionGroup data_group(DataKind kind, std::string title = "The data");
/// The learner's own options as a group.
[[nodiscard]] OptionGroup learner_group(const Learner& learner);

/// The rows; throws UsageError for data of another kind.
[[nodiscard]] const TableData& rows_of(const LearnerData& data);
/// The names of all measures, for completion.
[[nodiscard]] std::vector<std::string_view> metric_names();

/// Adds every option that is not in `group` yet, under its first description; of the others the
/// names that their value may have.
void merge_options(const std::vector<OptionDescription>& options, OptionGroup& group);
/// The options of files of all kinds of data as one group.
[[nodiscard]] OptionGroup group_of_all_sources();

/// The report's options as a run used them: the data, what the learner says, and the run's own.
void add_run_options(const std::string& data, const RunOptions& run, RunReport& report);

/// 0 solved, 2 not, or the verification was stopped, 3 a certificate that does not hold.
[[nodiscard]] int exit_code(const RunReport& report);

/// Before the work, on standard error, what the data says of how long it may take; not with quiet,
/// which has it among the warnings.
void show_remarks(const Learner& learner,
                  const LearnerData& data,
                  const OptionTexts& options,
                  const RunOptions& run);

/// The summary on standard error; with `quiet` its warnings alone.
void show_summary(const RunReport& report, bool quiet);

/// Puts the outputs in place, shows the summary and returns the exit code.
int finish(const RunReport& report, const RunOptions& run, Outputs& outputs);

/// The names between commas; throws UsageError for an empty one. `option` holds the list.
[[nodiscard]] std::vector<std::string> names_in(std::string_view option, const std::string& list);

}  // namespace maxmargin::tool
