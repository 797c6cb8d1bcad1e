// SPDX-License-Identifier: Apache-2.0
#include "outputs.hpp"

#include <filesystem>

#include "cli/call.hpp"

namespace maxmargin::tool {

namespace {

namespace fs = std::filesystem;

bool is_same_file(const std::string& a, const std::string& b) {
  if (a == "-" || b == "-") return a == b;
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(a, ignored), ignored) ==
         fs::weakly_canonical(fs::absolute(b, ignored), ignored);
}

/// Standard output, a device or a pipe: there is no temporary name to rename.
bool is_written_directly(const std::string& path) {
  std::error_code ignored;
  return path == "-" || (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored));
}

}  // namespace

void Outputs::open(std::string_view option, const std::string& path) {
  for (const Entry& entry : entries_) {
    if (is_same_file(entry.path, path)) {
      throw UsageError("--" + entry.option + " and --" + std::string(option) +
                       " must not write to the same file, " + path);
    }
  }
  entries_.push_back({std::string(option), path, OutputFile(path)});
}

OutputFile* Outputs::file(std::string_view option) {
  for (Entry& entry : entries_) {
    if (entry.option == option) return &entry.file;
  }
  return nullptr;
}

void Outputs::drop(std::string_view option) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.option == option; });
}

void Outputs::commit() {
  for (const bool direct : {true, false}) {
    for (Entry& entry : entries_) {
      if (is_written_directly(entry.path) == direct) entry.file.commit();
    }
  }
}

}  // namespace maxmargin::tool
