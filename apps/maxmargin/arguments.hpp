// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/error.hpp"

namespace maxmargin::tool {

/// Wrong usage: exit code 1, with a hint at --help.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// The words of one call, read as the option they belong to. Every getter names the option in its
/// error.
class Arguments {
 public:
  std::string command;
  std::vector<std::string> positionals;
  /// Options that were given: long name to value (a switch has the value "true").
  std::map<std::string, std::string, std::less<>> given;
  /// What a property file says without effect, for the report's warnings.
  std::vector<std::string> notes;

  [[nodiscard]] bool has(std::string_view name) const { return given.contains(name); }
  /// The text of an option, if it was given.
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  [[nodiscard]] std::string text_or(std::string_view name, std::string_view fallback) const;
  /// One of `choices`; otherwise a UsageError that lists them.
  [[nodiscard]] std::string choice_or(std::string_view name,
                                      std::string_view fallback,
                                      const std::vector<std::string>& choices) const;
  [[nodiscard]] std::optional<std::uint64_t> whole(std::string_view name,
                                                   std::uint64_t least) const;
  [[nodiscard]] std::optional<double> positive(std::string_view name) const;
};

/// Throws UsageError, listing them with the nearest, unless `value` of the option is one of them.
void require_choice(std::string_view option,
                    std::string_view value,
                    const std::vector<std::string>& choices);

/// Throws UsageError for a given option that is in none of these lists. `who` does not take it:
/// "the learner svc", "a model of align".
void refuse_other_options(const Arguments& arguments,
                          std::initializer_list<std::span<const std::string_view>> taken,
                          std::string_view who);

/// Reads the command line. Empty when only help or the version was asked for (already printed to
/// standard output). Throws UsageError.
[[nodiscard]] std::optional<Arguments> parse_arguments(int argc, const char* const* argv);

/// A message of the library with its option fields named as the tool names them: KmeansOptions.k
/// becomes -k, ReadOptions.labels_file becomes --labels.
[[nodiscard]] std::string in_words_of_the_tool(std::string message);

}  // namespace maxmargin::tool
