// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

/// Every option of the tool, said once: parsing, help, completion and the check of
/// docs/guide/command-line.md all read this table.
namespace maxmargin::tool {

struct OptionSpec {
  /// Long name without dashes; also the key under which reports show it ('-' becomes '_'). A name
  /// of one letter has no long form: it is the first alias.
  std::string_view name;
  /// Further spellings, comma-separated with dashes: "-C,-c".
  std::string_view aliases;
  /// What the value is called in help; empty for a switch. "[=KIND]" is a switch that may have a
  /// value, written --name=KIND.
  std::string_view value;
  std::string_view summary;
  /// The default as help shows it; empty: none.
  std::string_view fallback;

  [[nodiscard]] bool is_switch() const { return value.empty(); }
  [[nodiscard]] bool has_optional_value() const { return value.starts_with("["); }
};

/// All options, in the order help shows them.
[[nodiscard]] std::span<const OptionSpec> option_table();

/// The option of that long name. Throws InternalError when there is none.
[[nodiscard]] const OptionSpec& find_option(std::string_view name);

/// The spelling that messages use: "--gamma", or "-C" for a name of one letter.
[[nodiscard]] std::string main_flag(std::string_view name);

/// A positional argument.
struct PositionalSpec {
  std::string_view name;
  std::string_view summary;
  bool required = true;
};

/// A subcommand: what it takes and what it is for.
struct CommandSpec {
  std::string_view name;
  /// In order; those that are not required come last, and are empty when not given.
  std::span<const PositionalSpec> positionals;
  /// Long names of the options it accepts.
  std::span<const std::string_view> options;
  std::string_view summary;
  /// Shown at the end of its help.
  std::string_view examples;
};

/// All subcommands, in the order help shows them.
[[nodiscard]] std::span<const CommandSpec> command_table();

}  // namespace maxmargin::tool
