// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "maxmargin/core/export.hpp"

namespace maxmargin {

/// A file that appears whole or not at all: bytes go to a temporary name in the same folder, and
/// commit() renames it. Without commit() (an exception on the way) nothing is left behind; what a
/// killed process leaves there (.maxmargin-*.part) the next OutputFile in that folder removes. The
/// temporary file is its owner's alone; at the end it gets the permissions of the file it replaces,
/// or of a new one. Where the path is a symbolic link, the link stays and the file it names is made
/// or replaced. A path that exists and is not a regular file (a device, a pipe) is written to
/// directly, and "-" is standard output. Names ending in .gz, .bz2 or .xz are compressed.
class MAXMARGIN_EXPORT OutputFile {
 public:
  /// Throws FileError when the file cannot be created.
  explicit OutputFile(const std::string& path);
  /// Appends to `bytes`, which must outlive it, instead of writing a file; commit() hands the last
  /// of them over.
  [[nodiscard]] static OutputFile to_memory(std::string& bytes);
  /// Moved from, it is no file: write() and commit() throw InvalidArgument.
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;
  ~OutputFile();

  /// Throws FileError when the bytes cannot be written (a full disk).
  void write(std::string_view bytes);
  /// Puts all bytes on the disk, still under the temporary name, so that commit() only renames: of
  /// several files none is replaced before all are whole. Where there is no temporary name they are
  /// handed over here. Nothing can be written afterwards. Throws FileError.
  void finish();
  /// Finishes the file, unless that was done, and puts it in its place. Throws FileError.
  void commit();

 private:
  struct State;
  explicit OutputFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Removes the temporary files of all OutputFiles that are open, for a signal handler which then
/// ends the process: async-signal-safe, it only unlinks names from a table of fixed size. An
/// OutputFile beyond the 64th, or with a name of 4096 bytes or more, is not in the table. Should
/// the process go on, commit() of those files fails.
MAXMARGIN_EXPORT void remove_temporary_files() noexcept;

/// Writes `bytes` to `path` whole or not at all.
MAXMARGIN_EXPORT void write_file(const std::string& path, std::string_view bytes);

}  // namespace maxmargin
