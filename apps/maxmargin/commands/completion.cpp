// SPDX-License-Identifier: Apache-2.0
//
// Completion scripts for bash, zsh and fish. They ask the tool itself (maxmargin complete), so that
// they know every learner's options and cannot fall behind them.
#include <iostream>

#include "commands/commands.hpp"

namespace maxmargin::tool {

namespace {

struct Script {
  std::string_view shell;
  const char* text;
};

constexpr Script scripts[] = {
    {"bash", R"(# bash completion of maxmargin; made by: maxmargin completion bash
_maxmargin() {
  local line=${COMP_LINE:0:COMP_POINT} current=${COMP_WORDS[COMP_CWORD]}
  local words word each before files=
  COMPREPLY=()
  read -ra words <<< "$line"
  [[ $line == *[[:blank:]] ]] && words+=("")
  word=${words[-1]}
  # bash ends words at = and : and puts in only what stands behind them.
  [[ $current == [=:] ]] && current=
  before=${word%"$current"}
  while IFS= read -r each; do
    if [[ $each == :files ]]; then
      files=yes
    else
      each=${each%%$'\t'*}
      COMPREPLY+=("${each#"$before"}")
    fi
  done < <("$1" complete -- "${words[@]:1}" 2> /dev/null)
  if [[ -n $files ]]; then
    compopt -o filenames 2> /dev/null
    while IFS= read -r each; do COMPREPLY+=("$each"); done < <(compgen -f -- "$current")
  fi
  [[ ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace 2> /dev/null
}
complete -F _maxmargin maxmargin
)"},
    {"zsh", R"(#compdef maxmargin
# zsh completion of maxmargin; made by: maxmargin completion zsh
_maxmargin() {
  local each files=
  local -a whole shown open
  for each in "${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT-1]}" "$PREFIX" 2> /dev/null)}"; do
    case $each in
      '') ;;
      :files) files=yes ;;
      *[=:]) open+=("$each") ;;
      *) whole+=("${each%%$'\t'*}"); shown+=("${each/$'\t'/  -- }") ;;
    esac
  done
  (( $#whole )) && compadd -l -d shown -- $whole
  (( $#open )) && compadd -S '' -- $open
  [[ -n $files ]] && _files
}
if [[ $funcstack[1] == _maxmargin ]]; then _maxmargin "$@"; else compdef _maxmargin maxmargin; fi
)"},
    {"fish", R"(# fish completion of maxmargin; made by: maxmargin completion fish
function __maxmargin_complete
  set -l words (commandline -opc)
  set -l word (commandline -ct)
  for each in (command $words[1] complete -- $words[2..-1] "$word" 2> /dev/null)
    if test "$each" = :files
      __fish_complete_path "$word"
    else
      printf '%s\n' "$each"
    end
  end
end
complete -c maxmargin -f -a '(__maxmargin_complete)'
)"},
};

}  // namespace

std::vector<std::string_view> completed_shells() {
  std::vector<std::string_view> names;
  for (const Script& script : scripts) names.push_back(script.shell);
  return names;
}

std::vector<OptionGroup> completion_groups(const Learner* /*learner*/) { return {}; }

int run_completion(Call& call) {
  const std::string& shell = call.positionals.at(0);
  for (const Script& script : scripts) {
    if (script.shell != shell) continue;
    std::cout << script.text;
    return 0;
  }
  throw UsageError("completion " + shell + ": must be bash, zsh or fish", "completion");
}

}  // namespace maxmargin::tool
