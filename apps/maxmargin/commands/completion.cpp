// SPDX-License-Identifier: Apache-2.0
//
// Completion scripts for bash, zsh and fish, made from the descriptions: they cannot fall behind
// them.
#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "commands/commands.hpp"

namespace maxmargin::tool {

namespace {

/// All options of a command, whatever the learner, each with every name that its value may have.
std::vector<OptionDescription> all_options(const Command& command) {
  std::map<std::string, OptionDescription> by_name;
  const auto add = [&](const OptionDescription& option) {
    const auto [place, is_new] = by_name.emplace(option.name, option);
    if (is_new) return;
    for (const std::string& name : option.names) {
      if (std::ranges::find(place->second.names, name) == place->second.names.end()) {
        place->second.names.push_back(name);
      }
    }
  };
  for (const OptionGroup& group : command.groups(nullptr)) {
    for (const OptionDescription& option : group.options) add(option);
  }
  if (command.takes != nullptr) {
    for (const Learner* each : learners()) {
      if (!command.takes(*each)) continue;
      for (const OptionGroup& group : command.groups(each)) {
        for (const OptionDescription& option : group.options) add(option);
      }
    }
  }
  std::vector<OptionDescription> options;
  for (auto& [name, option] : by_name) {
    if (name == command.chooser) {
      for (const Learner* each : learners()) {
        if (command.takes(*each)) option.names.emplace_back(each->info().name);
      }
    }
    options.push_back(std::move(option));
  }
  return options;
}

/// All spellings, separated by spaces.
std::string spellings(const OptionDescription& option) {
  std::string text = flag_of(option.name);
  if (!option.alias.empty()) text += " " + flag_of(option.alias);
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string command_names() {
  std::string names;
  for (const Command& command : commands()) names += std::string(command.name) + " ";
  return names + "help version";
}

constexpr const char* shell_names = "bash zsh fish";

std::string bash_script() {
  std::ostringstream script;
  script << "# bash completion of maxmargin; made by: maxmargin completion bash\n"
            "_maxmargin() {\n"
            "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
            "  local command=${COMP_WORDS[1]} options= values=\n"
            "  # bash makes --kernel=rbf three words.\n"
            "  if [ \"$word\" = = ]; then\n"
            "    word=\n"
            "  elif [ \"$before\" = = ]; then\n"
            "    before=${COMP_WORDS[COMP_CWORD-2]}\n"
            "  fi\n"
            "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
            "    COMPREPLY=($(compgen -W '"
         << command_names()
         << " --help --version' -- \"$word\"))\n"
            "    return\n"
            "  fi\n"
            "  case $command in\n";
  for (const Command& command : commands()) {
    const std::vector<OptionDescription> options = all_options(command);
    if (options.empty()) continue;
    script << "    " << command.name << ")\n      options='";
    for (const OptionDescription& option : options) script << spellings(option) << ' ';
    script << "--help'\n      case $before in\n";
    for (const OptionDescription& option : options) {
      if (option.names.empty()) continue;
      script << "        " << flag_of(option.name) << ") values='" << joined(option.names)
             << "' ;;\n";
    }
    script << "      esac ;;\n";
  }
  script << "    completion) values='" << shell_names << "' ;;\n    help) values='"
         << command_names();
  for (const HelpPage& page : help_pages()) script << " " << page.name;
  script << "' ;;\n"
            "  esac\n"
            "  if [ -n \"$values\" ]; then\n"
            "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
            "  elif [[ $word == -* ]]; then\n"
            "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
            "  else\n"
            "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
            "  fi\n"
            "}\n"
            "complete -o filenames -F _maxmargin maxmargin\n";
  return script.str();
}

/// Text inside a zsh _arguments specification.
std::string zsh_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    if (c == '\'') {
      escaped += "'\\''";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string zsh_script() {
  std::ostringstream script;
  script << "#compdef maxmargin\n"
            "# zsh completion of maxmargin; made by: maxmargin completion zsh\n"
            "_maxmargin() {\n"
            "  if (( CURRENT == 2 )); then\n"
            "    local -a commands=(\n";
  for (const Command& command : commands()) {
    script << "      '" << command.name << ":" << zsh_escaped(command.summary) << "'\n";
  }
  script << "    )\n"
            "    _describe command commands\n"
            "    return\n"
            "  fi\n"
            "  local command=$words[2]\n"
            "  shift words\n"
            "  (( CURRENT-- ))\n"
            "  case $command in\n";
  for (const Command& command : commands()) {
    if (command.groups(nullptr).empty()) continue;
    script << "    " << command.name << ") _arguments";
    for (const OptionDescription& option : all_options(command)) {
      script << " \\\n      '" << flag_of(option.name) << "[" << zsh_escaped(option.help) << "]";
      if (!option.names.empty() && !option.is_switch) {
        script << ":" << zsh_escaped(option.value) << ":(" << joined(option.names) << ")";
      } else if (!option.is_switch && !option.value.starts_with("[")) {
        script << ":" << zsh_escaped(option.value) << ":_files";
      }
      script << "'";
    }
    script << " \\\n      '*:file:_files' ;;\n";
  }
  script << "    completion) _values shell " << shell_names << " ;;\n    help) _values page";
  for (const Command& command : commands()) script << " " << command.name;
  for (const HelpPage& page : help_pages()) script << " " << page.name;
  script << " ;;\n"
            "  esac\n"
            "}\n"
            "_maxmargin \"$@\"\n";
  return script.str();
}

/// Text in single quotes of fish.
std::string fish_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string fish_script() {
  std::ostringstream script;
  script << "# fish completion of maxmargin; made by: maxmargin completion fish\n";
  const auto line = [&](const std::string& words) {
    script << "complete -c maxmargin " << words << "\n";
  };
  for (const Command& command : commands()) {
    line("-n __fish_use_subcommand -f -a " + std::string(command.name) + " -d " +
         fish_quoted(command.summary));
  }
  std::string pages;
  for (const Command& command : commands()) pages += std::string(command.name) + " ";
  for (const HelpPage& page : help_pages()) pages += std::string(page.name) + " ";
  line("-n __fish_use_subcommand -f -a 'help version'");
  line("-n '__fish_seen_subcommand_from completion' -f -a " + fish_quoted(shell_names));
  line("-n '__fish_seen_subcommand_from help' -f -a " + fish_quoted(pages));
  for (const Command& command : commands()) {
    const std::string here = "-n '__fish_seen_subcommand_from " + std::string(command.name) + "' ";
    for (const OptionDescription& option : all_options(command)) {
      std::string words = here;
      for (const std::string& name : {option.name, option.alias}) {
        if (!name.empty()) words += (name.size() == 1 ? "-s " : "-l ") + name + " ";
      }
      if (!option.names.empty() && !option.is_switch) {
        words += "-x -a " + fish_quoted(joined(option.names)) + " ";
      } else if (!option.is_switch) {
        words += "-r ";
      }
      line(words + "-d " + fish_quoted(option.help));
    }
  }
  return script.str();
}

}  // namespace

std::vector<OptionGroup> completion_groups(const Learner* /*learner*/) { return {}; }

int run_completion(Call& call) {
  const std::string& shell = call.positionals.at(0);
  if (shell == "bash") {
    std::cout << bash_script();
  } else if (shell == "zsh") {
    std::cout << zsh_script();
  } else if (shell == "fish") {
    std::cout << fish_script();
  } else {
    throw UsageError("completion " + shell + ": must be bash, zsh or fish", "completion");
  }
  return 0;
}

}  // namespace maxmargin::tool
