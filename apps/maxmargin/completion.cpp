// SPDX-License-Identifier: Apache-2.0
//
// Completion scripts for bash and zsh, made from the option table: they cannot fall behind it.
#include <iostream>
#include <sstream>

#include "commands.hpp"
#include "option_table.hpp"

namespace maxmargin::tool {

namespace {

std::string command_names() {
  std::string names;
  for (const CommandSpec& command : command_table()) {
    names += (names.empty() ? "" : " ") + std::string(command.name);
  }
  return names;
}

/// All spellings of an option, separated by spaces.
std::string spellings(const OptionSpec& option) {
  std::string text(option.aliases);
  for (char& c : text) c = c == ',' ? ' ' : c;
  if (option.name.size() > 1) text += (text.empty() ? "--" : " --") + std::string(option.name);
  return text;
}

std::string bash_script() {
  std::ostringstream script;
  script << "# bash completion of maxmargin; made by: maxmargin completion bash\n"
            "_maxmargin() {\n"
            "  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} options=\n"
            "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
            "    COMPREPLY=($(compgen -W '"
         << command_names()
         << " --help --version' -- \"$word\"))\n"
            "    return\n"
            "  fi\n"
            "  case $command in\n";
  for (const CommandSpec& command : command_table()) {
    script << "    " << command.name << ") options='";
    for (const std::string_view name : command.options) {
      script << spellings(find_option(name)) << ' ';
    }
    script << "--help";
    if (command.name == "completion") script << " bash zsh";
    script << "' ;;\n";
  }
  script << "  esac\n"
            "  if [[ $word == -* || $command == completion ]]; then\n"
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
  for (const CommandSpec& command : command_table()) {
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
  for (const CommandSpec& command : command_table()) {
    script << "    " << command.name << ") _arguments";
    for (const std::string_view name : command.options) {
      const OptionSpec& option = find_option(name);
      script << " \\\n      '" << main_flag(name) << "[" << zsh_escaped(option.summary) << "]";
      if (!option.is_switch() && !option.has_optional_value())
        script << ":" << zsh_escaped(option.value) << ":_files";
      script << "'";
    }
    if (command.name == "completion") {
      script << " \\\n      '1:shell:(bash zsh)'";
    } else {
      script << " \\\n      '*:file:_files'";
    }
    script << " ;;\n";
  }
  script << "  esac\n"
            "}\n"
            "_maxmargin \"$@\"\n";
  return script.str();
}

}  // namespace

int run_completion(const Arguments& arguments) {
  const std::string& shell = arguments.positionals.at(0);
  if (shell == "bash") {
    std::cout << bash_script();
  } else if (shell == "zsh") {
    std::cout << zsh_script();
  } else {
    throw UsageError("completion " + shell + ": must be bash or zsh");
  }
  return 0;
}

}  // namespace maxmargin::tool
