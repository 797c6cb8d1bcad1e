// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "maxmargin/io/stream/output.hpp"

namespace maxmargin::tool {

struct Call;

/// A file that is named on the command line, and by which option ("labels") or argument ("DATA").
struct NamedFile {
  std::string name;
  std::string path;
};

/// The files that a call may read: its arguments, and what stands behind options for files. Some of
/// them it writes.
[[nodiscard]] std::vector<NamedFile> named_files(const Call& call);

/// The files a run writes. They are opened before the work, so that a wrong path costs no hours,
/// and put in place together at its end, so that a failure leaves none of them.
class Outputs {
 public:
  /// Those of options (or arguments) that have a path; "-" is standard output. The one called
  /// `report_name` is put in place last, as it tells of the others.
  using Paths = std::vector<std::pair<std::string, std::optional<std::string>>>;
  static constexpr std::string_view report_name = "json";

  /// Opens them. Throws UsageError when two of them are one file, or one of them is also read:
  /// named in `read` by another option, under whatever link; FileError when one cannot be made.
  Outputs(const std::vector<NamedFile>& read, const Paths& paths);
  Outputs(const Call& call, const Paths& paths) : Outputs(named_files(call), paths) {}
  /// The file of that option; nullptr when there is none.
  [[nodiscard]] OutputFile* file(std::string_view option);
  /// Gives up the file of that option: what was there before stays.
  void drop(std::string_view option);
  /// Puts all files in place. First all are on the disk; then what is written to directly (standard
  /// output, devices), where most can still go wrong; then the others get their names, during which
  /// no interrupt is heard. The report is the last in any case: who sees it sees what it tells of.
  void commit();

 private:
  struct Entry {
    std::string option;
    std::string path;
    OutputFile file;
    /// What goes to a terminal, where control characters are to be shown and not obeyed.
    std::unique_ptr<std::string> shown = nullptr;
  };
  std::vector<Entry> entries_;
};

}  // namespace maxmargin::tool
