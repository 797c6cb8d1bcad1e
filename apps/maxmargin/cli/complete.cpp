// SPDX-License-Identifier: Apache-2.0
#include "cli/complete.hpp"

#include <algorithm>

#include "cli/call.hpp"
#include "maxmargin/io/table/builtin.hpp"

namespace maxmargin::tool {

namespace {

constexpr std::string_view builtin_prefix = "builtin:";

/// The lines that fit the word, in the order in which they are added, each once.
class Candidates {
 public:
  explicit Candidates(std::string word) : word_(std::move(word)) {}

  void add(const std::string& candidate, std::string_view help = {}) {
    if (!candidate.starts_with(word_)) return;
    if (std::ranges::find(seen_, candidate) != seen_.end()) return;
    seen_.push_back(candidate);
    lines_ += candidate;
    if (!help.empty()) lines_.append("\t").append(help);
    lines_ += '\n';
  }
  void add_files() { lines_ += ":files\n"; }
  /// Files and built-in data, whose names are many: only once they are begun.
  void add_data(const std::string& before = {}) {
    add_files();
    if (!word_.starts_with(before + std::string(builtin_prefix))) {
      if (word_.size() > before.size()) add(before + std::string(builtin_prefix));
      return;
    }
    for (const BuiltinInfo& set : builtin_list()) {
      add(before + std::string(builtin_prefix) + set.name, set.summary);
    }
    for (const BuiltinFile& file : builtin_files()) {
      add(before + std::string(builtin_prefix) + std::string(file.name), std::string(file.summary));
    }
  }
  [[nodiscard]] const std::string& word() const { return word_; }
  [[nodiscard]] std::string lines() && { return std::move(lines_); }

 private:
  std::string word_;
  std::vector<std::string> seen_ = {};
  std::string lines_ = {};
};

void add_commands(Candidates& candidates) {
  for (const Command& command : commands()) {
    candidates.add(std::string(command.name), command.summary);
  }
}

void add_learners(const Command& command, const std::string& before, Candidates& candidates) {
  for (const Learner* each : learners()) {
    if (command.takes != nullptr && command.takes(*each)) {
      candidates.add(before + std::string(each->info().name), each->info().summary);
    }
  }
}

/// help COMMAND LEARNER, help PAGE.
void complete_help(const std::vector<std::string>& words, Candidates& candidates) {
  if (words.size() == 2) {
    add_commands(candidates);
    for (const HelpPage& page : help_pages()) {
      candidates.add(std::string(page.name), page.summary);
    }
  } else if (const Command* const command = find_command(words[1]);
             command != nullptr && words.size() == 3) {
    add_learners(*command, {}, candidates);
  }
}

/// Values of an option; `before` stands in the same word (--kernel=).
void complete_value(const Command& command,
                    const OptionDescription& option,
                    std::string before,
                    Candidates& candidates) {
  if (option.name == command.chooser) {
    add_learners(command, before, candidates);
    return;
  }
  if (option.value.ends_with(",...")) {  // further ones of a list
    const std::size_t comma = candidates.word().rfind(',');
    if (comma != std::string::npos && comma >= before.size()) {
      before = candidates.word().substr(0, comma + 1);
    }
  }
  for (const std::string& name : option.names) candidates.add(before + name);
  if (option.is_switch) {
    for (const char* const word : {"true", "false"}) candidates.add(before + word);
  } else if (option.value == "DATA") {
    candidates.add_data(before);
  } else if (names_a_file(option)) {
    candidates.add_files();
  }
}

void complete_option(const std::vector<OptionGroup>& groups, Candidates& candidates) {
  for (const OptionGroup& group : groups) {
    for (const OptionDescription& option : group.options) {
      for (const std::string& name : {option.name, option.alias}) {
        if (name.empty()) continue;
        candidates.add(flag_of(name), option.help);
        if (!has_optional_value(option)) continue;
        for (const std::string& value : option.names) {
          candidates.add(flag_of(name) + "=" + value, option.help);
        }
      }
    }
  }
  candidates.add("--help", "show what this takes");
}

void complete_positional(const Command& command, std::size_t at, Candidates& candidates) {
  if (at >= command.positionals.size()) return;
  const Positional& positional = command.positionals[at];
  switch (positional.kind) {
    case PositionalKind::word:
      for (const std::string_view name : positional.names) candidates.add(std::string(name));
      return;
    case PositionalKind::file:
      candidates.add_files();
      return;
    case PositionalKind::data:
      candidates.add_data();
      return;
  }
}

void complete_command(const Command& command,
                      const std::vector<std::string>& words,
                      Candidates& candidates) {
  const std::vector<std::string> before(words.begin(), words.end() - 1);
  const std::vector<OptionGroup> groups = completable_groups(command, before);
  std::size_t positionals = 0;
  const OptionDescription* open = nullptr;  // waits for its value
  bool only_positionals = false;
  for (std::size_t i = 1; i < before.size(); ++i) {
    if (open != nullptr) {
      open = nullptr;
    } else if (!only_positionals && before[i] == "--") {
      only_positionals = true;
    } else if (!only_positionals && is_flag(before[i])) {
      const Flag flag = read_flag(before[i]);
      const OptionDescription* const option = find_option(groups, flag.name);
      const bool wants_value =
          option != nullptr && !flag.value && !option->is_switch && !has_optional_value(*option);
      if (wants_value) open = option;
    } else {
      ++positionals;
    }
  }
  const std::string& word = words.back();
  if (open != nullptr) {
    complete_value(command, *open, {}, candidates);
  } else if (only_positionals || !word.starts_with('-')) {
    complete_positional(command, positionals, candidates);
  } else if (const std::size_t sign = word.find('='); sign != std::string::npos) {
    const OptionDescription* const option = find_option(groups, read_flag(word).name);
    if (option != nullptr) {
      complete_value(command, *option, word.substr(0, sign + 1), candidates);
    }
  } else {
    complete_option(groups, candidates);
  }
}

}  // namespace

std::string completions(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  Candidates candidates(words.back());
  if (words.size() == 1) {
    add_commands(candidates);
    candidates.add("help", help_summary);
    candidates.add("version", version_summary);
    if (words[0].starts_with('-')) {
      for (const char* const flag : {"--help", "--version"}) candidates.add(flag);
    }
  } else if (words[0] == "help") {
    complete_help(words, candidates);
  } else if (const Command* const command = find_command(words[0])) {
    complete_command(*command, words, candidates);
  }
  return std::move(candidates).lines();
}

}  // namespace maxmargin::tool
