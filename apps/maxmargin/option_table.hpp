// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

/// Every option of the tool, said once: parsing, help, completion and the check of
/// docs/guide/command-line.md all read this table.
namespace maxmargin::tool {

struct OptionSpec {
  /// Long name without dashes; also the key under which reports show it ('-' becomes '_').
  std::string_view name;
  /// Further spellings, comma-separated with dashes: "-C,-c".
  std::string_view aliases;
  /// What the value is called in help; empty for a switch.
  std::string_view value;
  std::string_view summary;
  /// The default as help shows it; empty: none.
  std::string_view fallback;
};

/// All options, in the order help shows them.
[[nodiscard]] std::span<const OptionSpec> option_table();

/// The option of that long name. Throws InternalError when there is none.
[[nodiscard]] const OptionSpec& find_option(std::string_view name);

/// A positional argument.
struct PositionalSpec {
  std::string_view name;
  std::string_view summary;
};

/// A subcommand: what it takes and what it is for.
struct CommandSpec {
  std::string_view name;
  /// In order; all are required.
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
