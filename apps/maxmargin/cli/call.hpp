// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/learner/learner.hpp"

/// A call of the tool: what was asked for, read by the descriptions of options that commands, data
/// sources and learners give.
namespace maxmargin::tool {

/// Wrong usage: exit code 1, with a hint at the help of `topic` ("train --learner svc").
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message, std::string topic = {})
      : Error(message), topic_(std::move(topic)) {}
  [[nodiscard]] const std::string& topic() const noexcept { return topic_; }

 private:
  std::string topic_;
};

/// Options that help shows under one title.
struct OptionGroup {
  std::string title = {};
  std::vector<OptionDescription> options = {};
  /// How data is read: the help of a command that has learners leaves it to theirs and to the page
  /// of data.
  bool is_of_data = false;
};

struct Command;

/// One call, after reading the command line.
struct Call {
  const Command* command = nullptr;
  /// Those that were left out are missing at the end.
  std::vector<std::string> positionals = {};
  /// What was given and is not taken yet, in order.
  OptionTexts given = {};
  /// What was given and is taken.
  OptionTexts taken = {};
  /// The learner or method that was named.
  const Learner* learner = nullptr;
  /// What a property file says without effect, for the report's warnings.
  std::vector<std::string> notes = {};

  [[nodiscard]] bool has(std::string_view name) const;
  /// The last text given for an option.
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  /// Sets the members of `options` that were given, checks them, and removes those from `given`.
  template <DescribesOptions O>
  void take(O& options) {
    const OptionTexts own = take_named(describe_options(options));
    with_hint([&] {
      set_options(options, own, "this command");
      validate(options);
    });
  }
  /// Throws UsageError when the options that are left are not the learner's or break a rule.
  void check_options(const Learner& learner) const;
  /// Removes the options described and returns them, under their own names.
  [[nodiscard]] OptionTexts take_named(const std::vector<OptionDescription>& described);
  /// Throws UsageError for what nobody took.
  void refuse_rest(const std::string& who) const;
  /// "the learner svc", "the method kmeans", "--task rank". Requires a learner.
  [[nodiscard]] std::string taker() const;
  /// The words that show its help: "train --learner svc".
  [[nodiscard]] std::string topic() const;

 private:
  /// A wrong option is wrong usage: the message points at the help.
  template <class Reading>
  void with_hint(const Reading& reading) const {
    try {
      reading();
    } catch (const InvalidArgument& wrong) {
      throw UsageError(wrong.what(), topic());
    }
  }
};

/// What completion offers for a positional argument.
enum class PositionalKind { file, data, word };

/// A positional argument; those that are not required come last.
struct Positional {
  std::string_view name;
  std::string_view summary;
  PositionalKind kind = PositionalKind::file;
  bool required = true;
  /// Of words: which there are.
  std::vector<std::string_view> names = {};
};

/// A subcommand.
struct Command {
  std::string_view name;
  std::string_view summary;
  std::vector<Positional> positionals = {};
  /// The option that names a learner ("learner", "method"); empty: none does.
  std::string_view chooser = {};
  /// Can it do without?
  bool must_choose = false;
  /// Which learners it can be given.
  bool (*takes)(const Learner& learner) = nullptr;
  /// Why it does not take another learner that is chosen by the same option.
  std::string_view refusal = {};
  /// What it takes with that learner, or (nullptr) without one.
  std::vector<OptionGroup> (*groups)(const Learner* learner) = nullptr;
  int (*run)(Call& call) = nullptr;
  /// Pages that say more of what it takes ("metrics").
  std::vector<std::string_view> pages = {};
  std::string_view examples = {};
};

/// All subcommands, in the order help shows them.
[[nodiscard]] std::span<const Command> commands();
[[nodiscard]] const Command* find_command(std::string_view name);

/// A page of help that several commands share: maxmargin help NAME.
struct HelpPage {
  std::string_view name;
  std::string_view summary;
  std::string (*text)() = nullptr;
};

/// All of them, in the order help shows them.
[[nodiscard]] std::span<const HelpPage> help_pages();

/// help and version are no commands: what help and completion say of them.
inline constexpr std::string_view help_summary =
    "Show the help of a command, or of a learner: help COMMAND LEARNER";
inline constexpr std::string_view version_summary = "Print the version";

/// A word that begins like an option. One that begins like a negative number is a value: -1, -.5,
/// -inf, and lists such as -1,-2 and -1=2,1=3.
[[nodiscard]] bool is_flag(const std::string& word);

/// An option as it was written: its name, and its value if that stands in the same word.
struct Flag {
  std::string name = {};
  std::optional<std::string> value = std::nullopt;
};
[[nodiscard]] Flag read_flag(const std::string& word);

/// Is its value, or can it be, the path of a file?
[[nodiscard]] bool names_a_file(const OptionDescription& option);
/// A value stands behind an equals sign alone: the option never swallows the next word.
[[nodiscard]] bool has_optional_value(const OptionDescription& option);
/// The option of that name or alias; nullptr: none has it.
[[nodiscard]] const OptionDescription* find_option(const std::vector<OptionGroup>& groups,
                                                   std::string_view name);
/// What a command line that begins with these words can be given; of the learners that it may be
/// for, the one that is named, or all. The words need not be right.
[[nodiscard]] std::vector<OptionGroup> completable_groups(const Command& command,
                                                          const std::vector<std::string>& words);

/// Reads the words behind the program's name. Empty when only help or the version was asked for
/// (already printed to standard output). Throws UsageError.
[[nodiscard]] std::optional<Call> parse_call(const std::vector<std::string>& words);

}  // namespace maxmargin::tool
