// SPDX-License-Identifier: Apache-2.0
//
// The grammar of the command line: --name value, --name=value, -C 10, -C=10, -C10; switches stand
// alone; -- ends the options. Which options there are is the affair of the descriptions.
#include "cli/call.hpp"

#include <algorithm>
#include <iostream>

#include "cli/complete.hpp"
#include "cli/help.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/suggest.hpp"
#include "maxmargin/core/version.hpp"

namespace maxmargin::tool {

bool has_optional_value(const OptionDescription& option) { return option.value.starts_with("["); }

bool names_a_file(const OptionDescription& option) {
  return option.value == "DATA" || option.value.find("FILE") != std::string::npos;
}

const OptionDescription* find_option(const std::vector<OptionGroup>& groups,
                                     std::string_view name) {
  for (const OptionGroup& group : groups) {
    for (const OptionDescription& option : group.options) {
      if (is_named(option, name)) return &option;
    }
  }
  return nullptr;
}

bool is_flag(const std::string& word) {
  const auto is_digit = [&](std::size_t at) {
    return at < word.size() && word[at] >= '0' && word[at] <= '9';
  };
  if (word.size() < 2 || word.front() != '-' || is_digit(1)) return false;
  if (word[1] == '.' && is_digit(2)) return false;
  return !parse_number(word.substr(0, word.find_first_of(",=")));
}

Flag read_flag(const std::string& word) {
  Flag flag;
  const bool is_long = word.starts_with("--");
  const std::size_t begin = is_long ? 2 : 1;
  const std::size_t sign = word.find('=');
  if (sign != std::string::npos) flag.value = word.substr(sign + 1);
  flag.name = word.substr(begin, sign == std::string::npos ? sign : sign - begin);
  if (!is_long && flag.name.size() > 1) {  // -C10
    flag.value = word.substr(2);
    flag.name.resize(1);
  }
  return flag;
}

namespace {

/// What a command's option for the learner says, wherever it stands among the words.
std::optional<std::string> chosen_name(const Command& command,
                                       const std::vector<std::string>& words) {
  if (command.chooser.empty()) return std::nullopt;
  std::optional<std::string> name;
  for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    if (!words[i].starts_with("--")) continue;
    const Flag flag = read_flag(words[i]);
    if (flag.name != command.chooser) continue;
    if (flag.value) {
      name = flag.value;
    } else if (i + 1 < words.size() && !is_flag(words[i + 1])) {
      name = words[i + 1];
    } else {
      throw UsageError(flag_of(flag.name) + ": its value is missing", std::string(command.name));
    }
  }
  return name;
}

const Learner& learner_for(const Command& command, const std::string& name) {
  std::vector<std::string_view> names;
  for (const Learner* each : learners()) {
    if (!command.takes(*each)) continue;
    if (each->info().name == name) return *each;
    names.push_back(each->info().name);
  }
  const std::string flag = "--" + std::string(command.chooser) + " " + name;
  if (find_learner(name) != nullptr) {
    for (const Command& other : commands()) {
      if (other.takes == nullptr || !other.takes(*find_learner(name))) continue;
      if (other.chooser == command.chooser && !command.refusal.empty()) {
        throw UsageError(flag + ": " + std::string(command.refusal), std::string(command.name));
      }
      throw UsageError(flag + ": belongs to " + std::string(other.name), std::string(command.name));
    }
  }
  throw UsageError(flag + ": must be a known name" + suggest_names(name, names),
                   std::string(command.name));
}

/// -gamma is no value of -g: one dash before the name of a long option is a slip.
void refuse_one_dash(const Call& call,
                     const std::vector<OptionGroup>& groups,
                     const std::string& word) {
  if (word.starts_with("--")) return;
  const std::string name = word.substr(1, word.find('=') - 1);
  if (name.size() < 2 || find_option(groups, name) == nullptr) return;
  throw UsageError(word + ": no option of " + std::string(call.command->name) + "; did you mean " +
                       flag_of(name) + "?",
                   call.topic());
}

/// What the library says of an option that the learner does not take; empty: it says nothing.
std::string refusal_by_learner(const Call& call, const std::string& name) {
  try {
    call.learner->check_options({{name, "1"}});
  } catch (const InvalidArgument& refusal) {
    std::string words = refusal.what();
    if (words.starts_with(flag_of(name) + ": ")) return words;
  }
  return {};
}

/// An option that nobody has, or none that this learner takes: in the words of the library, and
/// where these name no other that may be meant, a line with one of the command's own.
[[noreturn]] void refuse_option(const Call& call,
                                const std::vector<OptionGroup>& groups,
                                const std::string& name) {
  std::string problem;
  if (call.learner == nullptr) {
    problem = flag_of(name) + ": no option of " + std::string(call.command->name);
  } else {
    if (call.command->must_choose || call.learner->info().task == Task::cluster) {
      problem = refusal_by_learner(call, name);
    }
    if (problem.empty()) problem = flag_of(name) + ": " + call.taker() + " does not take it";
  }
  std::vector<std::string_view> known;
  for (const OptionGroup& group : groups) {
    for (const OptionDescription& option : group.options) {
      // Any two single letters are near to each other.
      if (name.size() > 1 && option.name.size() > 1) known.push_back(option.name);
    }
  }
  const std::string_view nearest = nearest_name(name, known);
  if (!nearest.empty() && problem.find("did you mean") == std::string::npos) {
    problem +=
        (call.learner == nullptr ? "; did you mean " : "\nDid you mean ") + flag_of(nearest) + "?";
  }
  throw UsageError(problem, call.topic());
}

/// What the command takes. Where no learner is named, what any of them takes may be meant.
std::vector<OptionGroup> groups_of(const Command& command, const Learner* learner) {
  std::vector<OptionGroup> groups = command.groups(learner);
  if (learner != nullptr || command.takes == nullptr) return groups;
  OptionGroup of_learners;
  for (const Learner* each : learners()) {
    if (!command.takes(*each)) continue;
    for (const OptionGroup& group : command.groups(each)) {
      for (const OptionDescription& option : group.options) of_learners.options.push_back(option);
    }
  }
  groups.push_back(std::move(of_learners));
  return groups;
}

/// A parameter of a part of another option's value, as rbf.gamma of a kernel: there or not by what
/// that option says, which the learner knows.
bool names_part(const Call& call, const std::string& name) {
  return call.learner != nullptr && name.find('.') != std::string::npos;
}

/// Reads what stands behind the command.
void read_words(Call& call, const std::vector<std::string>& words) {
  const std::vector<OptionGroup> groups = groups_of(*call.command, call.learner);
  bool only_positionals = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!only_positionals && word == "--") {
      only_positionals = true;
      continue;
    }
    if (only_positionals || !is_flag(word)) {
      if (call.positionals.size() == call.command->positionals.size()) {
        throw UsageError(word + ": one word too many", call.topic());
      }
      call.positionals.push_back(word);
      continue;
    }
    refuse_one_dash(call, groups, word);
    Flag flag = read_flag(word);
    const OptionDescription* const option = find_option(groups, flag.name);
    const bool is_part = option == nullptr && names_part(call, flag.name);
    if (option == nullptr && !is_part) refuse_option(call, groups, flag.name);
    if (!flag.value && (is_part || (!option->is_switch && !has_optional_value(*option)))) {
      if (i + 1 == words.size() || is_flag(words[i + 1])) {
        throw UsageError(flag_of(flag.name) + ": its value is missing", call.topic());
      }
      flag.value = words[++i];
    }
    call.given.emplace_back(is_part ? flag.name : option->name, flag.value.value_or("true"));
  }
  for (std::size_t p = call.positionals.size(); p < call.command->positionals.size(); ++p) {
    const Positional& missing = call.command->positionals[p];
    if (!missing.required) break;
    throw UsageError(std::string(missing.name) + " is missing: " + std::string(missing.summary),
                     call.topic());
  }
}

bool asks_for_help(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == "--help" || words[i] == "-h") return true;
  }
  return false;
}

/// maxmargin help [COMMAND [LEARNER] | PAGE].
void show_help_of(const std::vector<std::string>& words) {
  if (words.size() < 2 || asks_for_help(words)) {
    std::cout << help_text();
    return;
  }
  for (const HelpPage& page : help_pages()) {
    if (page.name != words[1]) continue;
    std::cout << page.text();
    return;
  }
  const Command* const command = find_command(words[1]);
  if (command == nullptr) {
    std::vector<std::string_view> names;
    for (const Command& each : commands()) names.push_back(each.name);
    for (const HelpPage& each : help_pages()) names.push_back(each.name);
    throw UsageError("help " + words[1] + ": must be a command or a page" +
                     suggest_names(words[1], names));
  }
  const Learner* learner = nullptr;
  if (words.size() > 2 && command->takes != nullptr) learner = &learner_for(*command, words[2]);
  std::cout << help_text(*command, learner);
}

}  // namespace

bool Call::has(std::string_view name) const {
  return std::ranges::any_of(given, [&](const auto& each) { return each.first == name; });
}

std::optional<std::string> Call::text(std::string_view name) const {
  std::optional<std::string> found;
  for (const auto& [option, value] : given) {
    if (option == name) found = value;
  }
  return found;
}

OptionTexts Call::take_named(const std::vector<OptionDescription>& described) {
  OptionTexts found;
  std::erase_if(given, [&](const auto& each) {
    const bool own = std::ranges::any_of(
        described, [&](const OptionDescription& option) { return is_named(option, each.first); });
    if (own) found.push_back(each);
    return own;
  });
  taken.insert(taken.end(), found.begin(), found.end());
  return found;
}

void Call::check_options(const Learner& taker) const {
  with_hint([&] { taker.check_options(given); });
}

void Call::refuse_rest(const std::string& who) const {
  if (given.empty()) return;
  throw UsageError(flag_of(given.front().first) + ": " + who + " does not take it", topic());
}

std::string Call::taker() const {
  const std::string name(learner->info().name);
  if (command->chooser == "task") return "--task " + name;
  return (learner->info().task == Task::cluster ? "the method " : "the learner ") + name;
}

std::string Call::topic() const {
  std::string words(command->name);
  if (learner != nullptr) {
    words.append(" --").append(command->chooser).append(" ").append(learner->info().name);
  }
  return words;
}

std::vector<OptionGroup> completable_groups(const Command& command,
                                            const std::vector<std::string>& words) {
  const Learner* learner = nullptr;
  try {
    const std::optional<std::string> name = chosen_name(command, words);
    if (name) learner = find_learner(*name);
  } catch (const UsageError&) {  // its name is still to come
  }
  if (learner != nullptr && !command.takes(*learner)) learner = nullptr;
  return groups_of(command, learner);
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::optional<Call> parse_call(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h") {
    std::cout << help_text();
    return std::nullopt;
  }
  if (words[0] == "help") {
    show_help_of(words);
    return std::nullopt;
  }
  if (words[0] == "--version" || words[0] == "version") {
    std::cout << "maxmargin " << MAXMARGIN_VERSION << "\n";
    return std::nullopt;
  }
  if (words[0] == "complete") {  // for the scripts of shells: complete -- WORDS
    const auto begin = words.begin() + (words.size() > 1 && words[1] == "--" ? 2 : 1);
    std::cout << completions({begin, words.end()});
    return std::nullopt;
  }
  Call call;
  call.command = find_command(words[0]);
  if (call.command == nullptr) {
    std::vector<std::string_view> names;
    for (const Command& each : commands()) names.push_back(each.name);
    names.insert(names.end(), {"help", "version"});
    if (words[0].starts_with("--")) names = {"--help", "--version"};
    throw UsageError(words[0] + ": no command" + suggest_names(words[0], names));
  }
  if (const std::optional<std::string> name = chosen_name(*call.command, words)) {
    call.learner = &learner_for(*call.command, *name);
  }
  if (asks_for_help(words)) {
    std::cout << help_text(*call.command, call.learner);
    return std::nullopt;
  }
  read_words(call, words);
  return call;
}

}  // namespace maxmargin::tool
