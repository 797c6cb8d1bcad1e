// SPDX-License-Identifier: Apache-2.0
#include "cli/help.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

namespace maxmargin::tool {

namespace {

/// The terminal's width within reason; 80 where there is none.
std::size_t page_width() {
  constexpr std::size_t usual = 80;
  constexpr std::size_t least = 60;
  constexpr std::size_t most = 120;
  winsize size = {};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return usual;
  if (size.ws_col == 0) return usual;
  return std::clamp<std::size_t>(size.ws_col, least, most);
}

/// Appends words to a line that holds `column` characters; further lines begin at `indent`.
void append_wrapped(std::string& page,
                    std::size_t column,
                    std::size_t indent,
                    std::string_view text) {
  const std::size_t width = page_width();
  bool first = true;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(text.size(), space + 1));
    if (word.empty()) continue;
    if (!first && column + 1 + word.size() > width) {
      page.append("\n").append(indent, ' ');
      column = indent;
    } else if (!first) {
      page += ' ';
      ++column;
    }
    page += word;
    column += word.size();
    first = false;
  }
  page += '\n';
}

constexpr std::size_t margin = 2;
constexpr std::size_t text_column = 26;

/// "  head  text", the text wrapped behind a column; a long head has a line of its own.
void append_entry(std::string& page,
                  std::string_view head,
                  std::string_view text,
                  std::size_t text_begin = text_column) {
  page.append(margin, ' ').append(head);
  std::size_t column = margin + head.size();
  if (column + 2 > text_begin) {
    page += '\n';
    column = 0;
  }
  page.append(text_begin - column, ' ');
  append_wrapped(page, text_begin, text_begin, text);
}

/// "-C X", "--kernel NAME", "-k, --clusters N".
std::string head_of(const OptionDescription& option) {
  std::string head = flag_of(option.name);
  if (!option.alias.empty()) {
    const std::string other = flag_of(option.alias);
    head = other.size() < head.size() ? other + ", " + head : head + ", " + other;
  }
  if (!option.is_switch) head += (option.value.starts_with("[") ? "" : " ") + option.value;
  return head;
}

std::string text_of_option(const OptionDescription& option) {
  std::string text = option.help;
  const bool says_them = std::ranges::all_of(
      option.names, [&](const std::string& name) { return text.find(name) != text.npos; });
  const bool is_list = option.kind == OptionKind::name && option.names.size() > 1 && !says_them;
  if (is_list) {
    text += ": ";
    for (std::size_t i = 0; i < option.names.size(); ++i) {
      text += (i > 0 ? ", " : "") + option.names[i];
    }
  }
  if (!option.fallback.empty()) text += " [" + option.fallback + "]";
  return text;
}

std::string usage_of(const Command& command) {
  std::string usage = "maxmargin " + std::string(command.name);
  for (const Positional& positional : command.positionals) {
    const std::string name(positional.name);
    usage += positional.required ? " " + name : " [" + name + "]";
  }
  if (!command.chooser.empty()) {
    const std::string choice = "--" + std::string(command.chooser) + " NAME";
    usage += command.must_choose ? " " + choice : " [" + choice + "]";
  }
  return usage + " [options]";
}

void append_title(std::string& page, std::string_view title) {
  page.append("\n").append(title).append(":\n");
}

/// `without`: an option that stands in the usage line already.
void append_group(std::string& page, const OptionGroup& group, std::string_view without = {}) {
  if (group.options.empty()) return;
  append_title(page, group.title);
  for (const OptionDescription& option : group.options) {
    if (option.name != without) append_entry(page, head_of(option), text_of_option(option));
  }
}

/// The learners that a command takes, one line each, and where the options of one are.
void append_learners(std::string& page, const Command& command) {
  std::size_t longest = 0;
  for (const Learner* each : learners()) {
    if (command.takes(*each)) longest = std::max(longest, each->info().name.size());
  }
  append_title(page, command.chooser == "method" ? "Methods" : "Learners");
  for (const Learner* each : learners()) {
    if (!command.takes(*each)) continue;
    append_entry(page, each->info().name, each->info().summary, margin + longest + 2);
  }
  page.append("\nThe options of one: maxmargin ").append(command.name).append(" --");
  page.append(command.chooser).append(" NAME --help\n");
}

/// "More: maxmargin help data, maxmargin help metrics".
void append_pages(std::string& page, const Command& command) {
  if (command.pages.empty()) return;
  std::string words = "More:";
  for (const std::string_view name : command.pages) {
    words.append(name == command.pages.front() ? " " : ", ").append("maxmargin help ").append(name);
  }
  page += '\n';
  append_wrapped(page, 0, 0, words);
}

}  // namespace

std::string listed(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::string page;
  for (const auto& [name, text] : rows) append_entry(page, name, text);
  return page;
}

std::string listed(const OptionGroup& group) {
  std::string page;
  append_group(page, group);
  return page;
}

std::string wrapped(std::string_view text) {
  std::string page;
  append_wrapped(page, 0, 0, text);
  return page;
}

std::string help_text() {
  std::string page =
      wrapped("maxmargin: maximum-margin learners whose every answer comes with a certificate");
  append_title(page, "Commands");
  for (const Command& command : commands()) {
    append_entry(page, std::string(command.name), std::string(command.summary));
  }
  append_entry(page, "help", help_summary);
  append_entry(page, "version", version_summary);
  append_title(page, "Pages");
  for (const HelpPage& each : help_pages()) {
    append_entry(page, "help " + std::string(each.name), each.summary);
  }
  page += "\nmaxmargin COMMAND --help tells more of a command.\n";
  return page;
}

std::string help_text(const Command& command, const Learner* learner) {
  std::string page;
  append_wrapped(page, 0, 0, command.summary);
  page += "\nUsage: " + usage_of(command) + "\n";
  if (learner != nullptr) {
    const LearnerInfo& info = learner->info();
    append_title(page, info.name);
    page.append(margin, ' ');
    append_wrapped(page, margin, margin, info.summary);
    if (!info.formula.empty()) {
      page.append(margin, ' ');
      append_wrapped(page, margin, margin + 2, info.formula);
    }
    page.append(margin, ' ').append("More: ").append(info.page).append("\n");
  } else {
    if (!command.positionals.empty()) append_title(page, "Arguments");
    for (const Positional& positional : command.positionals) {
      append_entry(page, std::string(positional.name), std::string(positional.summary));
    }
  }
  const bool is_overview = learner == nullptr && !command.chooser.empty();
  if (is_overview) append_learners(page, command);
  for (const OptionGroup& group : command.groups(learner)) {
    if (!is_overview) append_group(page, group);
    if (is_overview && !group.is_of_data) append_group(page, group, command.chooser);
  }
  append_pages(page, command);
  if (!command.examples.empty()) {
    append_title(page, "Examples");
    page.append(command.examples).append("\n");
  }
  return page;
}

namespace {

/// A cell of a table in Markdown.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void append_table(std::string& page, const std::vector<OptionDescription>& options) {
  page += "| option | what it does | a value is | default |\n| --- | --- | --- | --- |\n";
  for (const OptionDescription& option : options) {
    const std::string rule = option.is_switch ? "" : option.rule;
    page += "| `" + cell(head_of(option)) + "` | " + cell(option.help) + " | " + cell(rule) +
            " | " + cell(option.fallback) + " |\n";
  }
  page += '\n';
}

}  // namespace

std::string options_page() {
  std::string page =
      "# Options\n\n"
      "Every command and every learner with its options, as `maxmargin help options` prints "
      "them.\n\n";
  for (const Command& command : commands()) {
    page.append("## maxmargin ").append(command.name).append("\n\n");
    page.append(command.summary).append(".\n\n");
    for (const OptionGroup& group : command.groups(nullptr)) {
      if (group.options.empty()) continue;
      page += group.title + ":\n\n";
      append_table(page, group.options);
    }
  }
  page += "# Learners and methods\n\n";
  for (const Learner* each : learners()) {
    const LearnerInfo& info = each->info();
    page.append("## ").append(info.name).append("\n\n").append(info.summary).append(".\n\n");
    if (!info.formula.empty()) page.append("    ").append(info.formula).append("\n\n");
    append_table(page, each->options());
    if (const auto options = each->prediction_options(); !options.empty()) {
      page += "With `predict`:\n\n";
      append_table(page, options);
    }
  }
  page.pop_back();
  return page;
}

}  // namespace maxmargin::tool
