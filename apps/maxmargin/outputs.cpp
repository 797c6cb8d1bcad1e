// SPDX-License-Identifier: Apache-2.0
#include "outputs.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>

#include "cli/call.hpp"
#include "interrupt.hpp"

namespace maxmargin::tool {

namespace {

namespace fs = std::filesystem;

bool is_same_path(const std::string& a, const std::string& b) {
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

/// A regular file as the system knows it; "-" is what the standard stream `stream` comes from.
/// Empty when there is none.
std::optional<std::pair<dev_t, ino_t>> identity(const std::string& path, int stream) {
  struct stat about = {};
  const int failed = path == "-" ? ::fstat(stream, &about) : ::stat(path.c_str(), &about);
  if (failed != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
  return std::pair(about.st_dev, about.st_ino);
}

/// Arguments are written in capitals: they have no flag.
std::string shown_name(const std::string& name) {
  return std::isupper(static_cast<unsigned char>(name.front())) != 0 ? name : flag_of(name);
}

void refuse_same_file(const Outputs::Paths& paths) {
  for (auto second = paths.begin(); second != paths.end(); ++second) {
    for (auto first = paths.begin(); first != second; ++first) {
      if (!first->second || !second->second) continue;
      if (!is_same_path(*first->second, *second->second)) continue;
      throw UsageError(shown_name(first->first) + " and " + shown_name(second->first) +
                       " must not write to the same file, " + *second->second);
    }
  }
}

void refuse_inputs(const std::vector<NamedFile>& read, const Outputs::Paths& paths) {
  for (const auto& [name, path] : paths) {
    const auto written = path ? identity(*path, STDOUT_FILENO) : std::nullopt;
    if (!written) continue;
    for (const NamedFile& each : read) {
      const bool is_output = std::ranges::any_of(
          paths, [&](const auto& output) { return output.first == each.name && output.second; });
      if (is_output || identity(each.path, STDIN_FILENO) != written) continue;
      throw UsageError(shown_name(name) + " " + *path + ": is the file of " +
                       shown_name(each.name) + ", which would be lost");
    }
  }
}

/// The path in an option's text: some take lines of a file (FILE:LINE), or words instead of a file.
std::string path_in(const std::string& text) {
  std::error_code ignored;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || fs::exists(text, ignored)) return text;
  return text.substr(0, colon);
}

}  // namespace

std::vector<NamedFile> named_files(const Call& call) {
  std::vector<NamedFile> files;
  for (std::size_t p = 0; p < call.positionals.size(); ++p) {
    const Positional& positional = call.command->positionals[p];
    if (positional.kind == PositionalKind::word) continue;
    files.push_back({std::string(positional.name), call.positionals[p]});
  }
  const std::vector<OptionGroup> groups = call.command->groups(call.learner);
  for (const OptionTexts* const texts : {&call.given, &call.taken}) {
    for (const auto& [name, text] : *texts) {
      const OptionDescription* const option = find_option(groups, name);
      if (option != nullptr && names_a_file(*option)) files.push_back({name, path_in(text)});
    }
  }
  return files;
}

Outputs::Outputs(const std::vector<NamedFile>& read, const Paths& paths) {
  refuse_same_file(paths);
  refuse_inputs(read, paths);
  for (const auto& [name, path] : paths) {
    if (!path) continue;
    if (*path == "-" && isatty(STDOUT_FILENO) != 0) {
      auto shown = std::make_unique<std::string>();
      OutputFile file = OutputFile::to_memory(*shown);
      entries_.push_back({name, *path, std::move(file), std::move(shown)});
    } else {
      entries_.push_back({name, *path, OutputFile(*path)});
    }
  }
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
  Entry* report = nullptr;
  std::vector<Entry*> direct;
  std::vector<Entry*> renamed;
  for (Entry& entry : entries_) {
    const bool is_direct = is_written_directly(entry.path);
    if (!is_direct) entry.file.finish();
    if (entry.option == report_name) {
      report = &entry;
    } else {
      (is_direct ? direct : renamed).push_back(&entry);
    }
  }
  const auto put_in_place = [](Entry& entry) {
    entry.file.commit();
    if (entry.shown) std::cout << *entry.shown;  // which main.cpp makes printable
  };
  for (Entry* const entry : direct) put_in_place(*entry);
  const RenamingScope no_interrupts;
  for (Entry* const entry : renamed) put_in_place(*entry);
  if (report != nullptr) put_in_place(*report);
}

}  // namespace maxmargin::tool
