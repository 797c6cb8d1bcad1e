// SPDX-License-Identifier: Apache-2.0
#include "illegal_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <regex>
#include <utility>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin::walk {

namespace {

using Values = std::vector<std::string>;

/// No rule but that of free texts takes these.
const Values never_right = {"", "no-such-name", "nan", "1e999", "1,2,3"};

[[noreturn]] void refuse(const OptionDescription& option) {
  throw InternalError("the walk does not know the rule of " + flag_of(option.name) + ": " +
                      option.rule);
}

struct Bound {
  double value = 0;
  bool is_open = false;
};

/// What the words of a rule for numbers say.
struct Range {
  Bound least = {-std::numeric_limits<double>::infinity(), false};
  Bound most = {std::numeric_limits<double>::infinity(), false};
};

Range range_of(const OptionDescription& option, const std::string& words) {
  static const std::regex interval(R"(a number in ([\[(])(\S+), (\S+)([\])]))");
  static const std::regex above(R"(a (?:finite )?number (>=?) (\S+?)(?: and at most (\S+))?)");
  static const std::regex below(R"(a finite number < (\S+))");
  std::smatch found;
  Range range;
  if (words == "a finite number") return range;
  if (std::regex_match(words, found, interval)) {
    range.least = {std::stod(found[2]), found[1] == "("};
    range.most = {std::stod(found[3]), found[4] == ")"};
  } else if (std::regex_match(words, found, above)) {
    range.least = {std::stod(found[2]), found[1] == ">"};
    if (found[3].matched) range.most = {std::stod(found[3]), false};
  } else if (std::regex_match(words, found, below)) {
    range.most = {std::stod(found[1]), true};
  } else {
    refuse(option);
  }
  return range;
}

/// "a number > 0, or inf" as its words and the word beside numbers.
std::pair<std::string, std::string> without_word(const std::string& rule) {
  const std::size_t comma = rule.find(", or ");
  if (comma == std::string::npos) return {rule, {}};
  return {rule.substr(0, comma), rule.substr(comma + 5)};
}

Values numbers(const OptionDescription& option) {
  const auto [words, word] = without_word(option.rule);
  const Range range = range_of(option, words);
  Values values = never_right;
  values.emplace_back("-inf");
  if (word != "inf") values.emplace_back("inf");
  if (std::isfinite(range.least.value)) {
    values.push_back(format_number(range.least.value - 1));
    values.emplace_back("-99999999999999999999");
    if (range.least.is_open) values.push_back(format_number(range.least.value));
  }
  if (std::isfinite(range.most.value)) {
    values.push_back(format_number(2 * std::abs(range.most.value) + 1));
    values.emplace_back("99999999999999999999");
    if (range.most.is_open) values.push_back(format_number(range.most.value));
  }
  return values;
}

Values wholes(const OptionDescription& option) {
  static const std::regex above(R"(a whole number >= (\d+))");
  static const std::regex interval(R"(a whole number from (\d+) to (\d+))");
  const auto [words, word] = without_word(option.rule);
  std::smatch found;
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  if (std::regex_match(words, found, interval)) {
    least = std::stoull(found[1]);
    most = std::stoull(found[2]);
  } else if (std::regex_match(words, found, above)) {
    least = std::stoull(found[1]);
  } else {
    refuse(option);
  }
  Values values = never_right;
  values.insert(values.end(), {"-1", "1.5", "1e3", "inf", "-inf", "0x10", "99999999999999999999"});
  if (least > 0) values.push_back(std::to_string(least - 1));
  if (most < std::numeric_limits<std::uint64_t>::max()) values.push_back(std::to_string(most + 1));
  return values;
}

/// Texts have a language of their own: by the words of the rule.
Values texts(const OptionDescription& option) {
  const auto starts = [&](std::string_view words) { return option.rule.starts_with(words); };
  Values values = never_right;
  const auto add = [&](std::initializer_list<const char*> more) {
    values.insert(values.end(), more.begin(), more.end());
    return values;
  };
  if (option.rule == "a text that is not empty") return {""};
  if (starts("a number > 0, scale, auto, median")) {  // the width of a kernel
    return add({"-1", "0", "inf", "quantile:", "quantile:2", "quantile:-1", "quantile:nan"});
  }
  if (starts("balanced")) {  // weights of classes
    return add({"=1", "a=", "a=-1", "a=nan", "a=inf", "a=1e999", "a=1,", "a=1,a=2"});
  }
  if (starts("exhaustive, random")) {  // a code; other texts are names of files
    return {"", "random:", "random:0", "random:-1", "random:x", "random:99999999999999999999"};
  }
  if (starts("nystroem:M")) {
    return add({"nystroem",
                "nystroem:",
                "nystroem:0",
                "nystroem:-1",
                "nystroem:1.5",
                "nystroem:99999999999999999999"});
  }
  if (starts("none, range")) {  // scaling
    return add({"range:",
                "range:0",
                "range:1,0",
                "range:0,0",
                "range:nan,1",
                "range:0,inf",
                "range:0,1e999",
                "range:0,1,2"});
  }
  if (starts("q, q4")) {  // the loss of alignments
    return add({"q-1", "q1.5", "qx", "q99999999999999999999"});
  }
  if (starts("GAP, or GAP,OPENING")) return add({"inf", "1,", ",1", "nan,1", "1,1e999"});
  refuse(option);
}

}  // namespace

std::vector<std::string> illegal_values(const OptionDescription& option) {
  switch (option.kind) {
    case OptionKind::number:
      return numbers(option);
    case OptionKind::whole:
      return wholes(option);
    case OptionKind::text:
      return texts(option);
    case OptionKind::yes_no: {
      Values values = never_right;
      values.insert(values.end(), {"1", "0", "yes", "True", "truefalse"});
      return values;
    }
    case OptionKind::name: {
      Values values = never_right;
      values.insert(values.end(), {"-1", "inf"});
      if (!option.names.empty()) values.push_back(option.names.front() + "x");
      if (option.rule.find("an expression such as") != std::string::npos) {  // kernels
        values.insert(values.end(),
                      {"rbf(gamma=-1)", "rbf(gamma=1", "nonsense((", "poly(degree=0)"});
      }
      std::erase_if(values, [&](const std::string& value) {
        return std::ranges::find(option.names, value) != option.names.end();
      });
      return values;
    }
  }
  refuse(option);
}

}  // namespace maxmargin::walk
