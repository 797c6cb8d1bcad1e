// SPDX-License-Identifier: Apache-2.0
//
// The only file that includes CLI11 (it costs seconds to compile): turns the tables of
// option_table.hpp into a parser and its answers into Arguments.
#include <CLI/CLI.hpp>
#include <iostream>

#include "arguments.hpp"
#include "listing.hpp"
#include "maxmargin/core/version.hpp"
#include "option_table.hpp"

namespace maxmargin::tool {

namespace {

/// Where CLI11 leaves the values of one subcommand.
struct Storage {
  std::vector<std::string> positionals;
  std::map<std::string, std::string, std::less<>> values;
  std::map<std::string, bool, std::less<>> switches;
};

std::string flags_of(const OptionSpec& option) {
  std::string flags(option.aliases);
  if (option.name.size() > 1) flags += (flags.empty() ? "--" : ",--") + std::string(option.name);
  return flags;
}

std::string help_of(const OptionSpec& option) {
  std::string help(option.summary);
  if (!option.fallback.empty()) help += " [" + std::string(option.fallback) + "]";
  return help;
}

void add_command(CLI::App& app, const CommandSpec& command, Storage& storage) {
  CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
  storage.positionals.resize(command.positionals.size());
  for (std::size_t i = 0; i < command.positionals.size(); ++i) {
    const PositionalSpec& positional = command.positionals[i];
    sub->add_option(
           std::string(positional.name), storage.positionals[i], std::string(positional.summary))
        ->required(positional.required)
        ->option_text(" ");
  }
  for (const std::string_view name : command.options) {
    const OptionSpec& option = find_option(name);
    const std::string key(name);
    if (option.is_switch()) {
      sub->add_flag(flags_of(option), storage.switches[key], help_of(option));
    } else if (option.has_optional_value()) {
      // A flag whose value can only follow an equals sign: it never swallows the next word.
      sub->add_flag(flags_of(option), storage.values[key], help_of(option))
          ->option_text(std::string(option.value));
    } else {
      sub->add_option(flags_of(option), storage.values[key], help_of(option))
          ->option_text(std::string(option.value));
    }
  }
  const std::string listing = listing_for(command.name);
  sub->footer((listing.empty() ? "" : listing + "\n") + "Examples:\n" +
              std::string(command.examples));
}

Arguments collect(const CLI::App& sub, const CommandSpec& command, Storage& storage) {
  Arguments arguments;
  arguments.command = command.name;
  arguments.positionals = std::move(storage.positionals);
  for (const std::string_view name : command.options) {
    if (sub.count(main_flag(name)) == 0) continue;
    const bool is_switch = find_option(name).is_switch();
    arguments.given[std::string(name)] = is_switch ? "true" : storage.values.find(name)->second;
  }
  return arguments;
}

}  // namespace

std::optional<Arguments> parse_arguments(int argc, const char* const* argv) {
  CLI::App app("maxmargin: maximum-margin learners whose every answer comes with a certificate",
               "maxmargin");
  app.set_version_flag("--version", std::string("maxmargin ") + MAXMARGIN_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer("maxmargin COMMAND --help tells more of a command.");
  std::vector<Storage> storage(command_table().size());
  for (std::size_t i = 0; i < storage.size(); ++i) add_command(app, command_table()[i], storage[i]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked, std::cout, std::cerr);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  for (std::size_t i = 0; i < storage.size(); ++i) {
    const CommandSpec& command = command_table()[i];
    const CLI::App* sub = app.get_subcommand(std::string(command.name));
    if (sub->parsed()) return collect(*sub, command, storage[i]);
  }
  throw UsageError("no command");
}

}  // namespace maxmargin::tool
