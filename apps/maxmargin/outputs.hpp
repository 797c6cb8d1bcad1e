// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/io/stream/output.hpp"

namespace maxmargin::tool {

/// The files a run writes. They are opened before the work, so that a wrong path costs no hours,
/// and put in place together at its end, so that a failure leaves none of them.
class Outputs {
 public:
  /// Opens the file of an option ("-" is standard output). Throws UsageError when another option
  /// has the same file, FileError when it cannot be created.
  void open(std::string_view option, const std::string& path);
  /// The file of that option; nullptr when it was not opened.
  [[nodiscard]] OutputFile* file(std::string_view option);
  /// Gives up the file of that option: what was there before stays.
  void drop(std::string_view option);
  /// Puts all files in place: first what is written to directly (standard output, devices), where
  /// most can still go wrong.
  void commit();

 private:
  struct Entry {
    std::string option;
    std::string path;
    OutputFile file;
  };
  std::vector<Entry> entries_;
};

}  // namespace maxmargin::tool
