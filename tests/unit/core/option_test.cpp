// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/option.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin {
namespace {

enum class Linkage { single, complete, average };

}  // namespace

template <>
inline constexpr auto names_of<Linkage> = name_table<Linkage>({{"single", Linkage::single},
                                                               {"complete", Linkage::complete},
                                                               {"average", Linkage::average},
                                                               {"mean", Linkage::average}});

namespace {

/// One member of every kind.
struct Sample {
  double c = 1;
  std::optional<double> width = std::nullopt;
  std::uint64_t seed = 0;
  std::uint32_t parts = 4;
  int order = 2;
  std::optional<std::uint64_t> limit = std::nullopt;
  bool verbose = false;
  bool bias = true;
  std::string title = {};
  std::optional<std::string> label = std::nullopt;
  Linkage linkage = Linkage::single;
  std::optional<Linkage> fallback = std::nullopt;
  std::optional<std::size_t> threads = std::nullopt;

  bool operator==(const Sample&) const = default;

  void describe(OptionVisitor& visit) {
    visit.number({.name = "C", .help = "weight", .alias = "c"}, c, rules::positive_or_infinite);
    visit.number(
        {.name = "width", .help = "of what", .value = "W"}, width, rules::positive, "auto");
    visit.whole({.name = "seed", .help = "of every draw"}, seed);
    visit.whole({.name = "parts", .help = "how many"}, parts, {.least = 1});
    visit.whole({.name = "order", .help = "of pairs"}, order, {.most = 2});
    visit.whole({.name = "limit", .help = "steps", .fallback = "none"}, limit, {.least = 1});
    visit.yes_no({.name = "verbose", .help = "say more"}, verbose);
    visit.switched_off({.name = "no-bias", .help = "through the origin"}, bias);
    visit.text({.name = "title", .help = "heading"}, title);
    visit.text({.name = "label", .help = "column"}, label);
    visit.name({.name = "linkage", .help = "of groups"}, linkage);
    visit.name({.name = "fallback-linkage", .help = "where that fails"},
               fallback,
               "none",
               {Linkage::complete, Linkage::average});
    visit.rule(order < 2 || parts > 1, "--order 2: needs --parts above 1");
    visit.threads(threads);
  }
};

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

std::string refusal_of(std::string name, std::string text) {
  return message_of([&] {
    Sample sample;
    set_options(sample, {{std::move(name), std::move(text)}}, "this test");
  });
}

std::string breach_of(const Sample& sample) {
  return message_of([&] { validate(sample); });
}

Sample with(const OptionTexts& given) {
  Sample sample;
  set_options(sample, given, "this test");
  return sample;
}

const OptionDescription& described(const std::vector<OptionDescription>& all,
                                   std::string_view name) {
  for (const OptionDescription& each : all) {
    if (each.name == name) return each;
  }
  throw InternalError("no option " + std::string(name));
}

TEST(Options, NumbersAreReadByTheirRules) {
  EXPECT_EQ(with({{"C", "0.25"}}).c, 0.25);
  EXPECT_TRUE(std::isinf(with({{"C", "inf"}}).c));
  EXPECT_EQ(refusal_of("C", "0"), "-C 0: must be a number > 0, or inf");
  EXPECT_EQ(refusal_of("C", "nan"), "-C nan: must be a number > 0, or inf");
  EXPECT_EQ(refusal_of("C", "1x"), "-C 1x: must be a number > 0, or inf");
  EXPECT_EQ(refusal_of("C", ""), "-C : must be a number > 0, or inf");
  EXPECT_EQ(with({{"width", "3"}}).width, 3);
  EXPECT_EQ(with({{"width", "3"}, {"width", "auto"}}).width, std::nullopt);
  EXPECT_EQ(refusal_of("width", "inf"), "--width inf: must be a finite number > 0, or auto");
  EXPECT_EQ(breach_of({.width = -1}), "--width -1: must be a finite number > 0, or auto");
  EXPECT_EQ(breach_of({.c = std::nan("")}), "-C nan: must be a number > 0, or inf");
}

TEST(Options, NoRuleLetsANanPass) {
  for (const NumberRule& rule : {rules::finite,
                                 rules::positive,
                                 rules::positive_or_infinite,
                                 rules::not_negative,
                                 rules::not_negative_or_infinite,
                                 rules::share_above_zero,
                                 rules::share_below_one,
                                 rules::share_inside,
                                 rules::share}) {
    EXPECT_FALSE(rule.holds(std::nan(""))) << rule.words;
  }
  EXPECT_TRUE(rules::share_above_zero.holds(1) && !rules::share_above_zero.holds(0));
  EXPECT_TRUE(rules::share_below_one.holds(0) && !rules::share_below_one.holds(1));
  EXPECT_FALSE(rules::share_inside.holds(0) || rules::share_inside.holds(1));
  EXPECT_TRUE(rules::share.holds(0) && rules::share.holds(1));
  EXPECT_TRUE(rules::not_negative.holds(0) && !rules::not_negative.holds(HUGE_VAL));
  EXPECT_TRUE(rules::not_negative_or_infinite.holds(HUGE_VAL));
}

TEST(Options, RangesAreDataBesideTheirWords) {
  const auto range_of = [](std::string_view name) {
    const std::vector<OptionDescription> all = describe_options(Sample{});
    return std::ranges::find(all, name, &OptionDescription::name)->range;
  };
  EXPECT_EQ(range_of("C"), rules::positive_or_infinite.range);
  EXPECT_FALSE(range_of("C")->contains(0));
  EXPECT_TRUE(range_of("C")->contains(HUGE_VAL));
  EXPECT_EQ(range_of("width"), rules::positive.range);
  EXPECT_EQ(range_of("order"),
            (NumberRange{.least = 0, .most = 2, .has_least = true, .has_most = true}));
  EXPECT_EQ(range_of("limit")->least, 1);
  EXPECT_EQ(range_of("verbose"), std::nullopt);
  EXPECT_EQ(range_of("linkage"), std::nullopt);
  const NumberRange with_gap{.least = 0, .has_most = true, .most_finite = 1e15};
  EXPECT_TRUE(with_gap.contains(1e15) && with_gap.contains(HUGE_VAL));
  EXPECT_FALSE(with_gap.contains(2e15));
}

TEST(Options, WholeNumbersKeepTheirRange) {
  EXPECT_EQ(with({{"parts", "4294967295"}}).parts, 4294967295U);
  EXPECT_EQ(refusal_of("parts", "4294967296"),
            "--parts 4294967296: must be a whole number from 1 to 4294967295");
  EXPECT_EQ(refusal_of("parts", "0"), "--parts 0: must be a whole number from 1 to 4294967295");
  for (const char* text : {"2.5", "-1", "+1", " 1", "1 ", "ten", "", "0x10", "1e3"}) {
    EXPECT_NE(refusal_of("parts", text), "no error") << text;
  }
  EXPECT_EQ(refusal_of("order", "3"), "--order 3: must be a whole number from 0 to 2");
  EXPECT_EQ(breach_of({.order = -1}), "--order -1: must be a whole number from 0 to 2");
  EXPECT_EQ(with({{"limit", "7"}}).limit, 7U);
  EXPECT_EQ(refusal_of("limit", "0"), "--limit 0: must be a whole number >= 1");
  EXPECT_EQ(breach_of({.limit = 0}), "--limit 0: must be a whole number >= 1");
}

TEST(Options, TheLargestSeedIsKept) {
  const std::string largest = "18446744073709551615";
  const Sample sample = with({{"seed", largest}});
  EXPECT_EQ(sample.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(refusal_of("seed", "18446744073709551616"),
            "--seed 18446744073709551616: must be a whole number from 0 to 18446744073709551615");
  for (const auto& [key, value] : option_values(sample)) {
    if (key != "seed") continue;
    EXPECT_EQ(value, OptionScalar(largest));  // as text: signed numbers are too small
    EXPECT_EQ(with({{"seed", text_of(value)}}).seed, sample.seed);
  }
  EXPECT_EQ(option_values(with({{"seed", "9223372036854775807"}}))[2].second,
            OptionScalar(std::numeric_limits<std::int64_t>::max()));
}

TEST(Options, SwitchesAreTrueOrFalse) {
  EXPECT_TRUE(with({{"verbose", "true"}}).verbose);
  EXPECT_FALSE(with({{"verbose", "true"}, {"verbose", "false"}}).verbose);
  EXPECT_EQ(refusal_of("verbose", "yes"), "--verbose yes: must be true or false");
  EXPECT_FALSE(with({{"no-bias", "true"}}).bias);
  EXPECT_TRUE(with({{"no-bias", "false"}}).bias);
}

TEST(Options, TextsAreNotEmpty) {
  EXPECT_EQ(with({{"title", "a b"}}).title, "a b");
  EXPECT_EQ(refusal_of("title", ""), "--title : must be a text that is not empty");
  EXPECT_EQ(with({{"label", "2"}}).label, "2");
  EXPECT_EQ(refusal_of("label", ""), "--label : must be a text that is not empty");
  EXPECT_EQ(breach_of({.label = ""}), "--label : must be a text that is not empty");
}

TEST(Options, NamesAreAnsweredWithTheNearest) {
  EXPECT_EQ(with({{"linkage", "complete"}}).linkage, Linkage::complete);
  EXPECT_EQ(with({{"linkage", "mean"}}).linkage, Linkage::average);
  EXPECT_EQ(refusal_of("linkage", "singel"),
            "--linkage singel: must be a known name; did you mean single? Known: single, complete, "
            "average, mean");
  EXPECT_EQ(refusal_of("linkage", "ward"),
            "--linkage ward: must be a known name; known: single, complete, average, mean");
  EXPECT_EQ(with({{"fallback-linkage", "average"}}).fallback, Linkage::average);
  EXPECT_EQ(with({{"fallback-linkage", "average"}, {"fallback-linkage", "none"}}).fallback,
            std::nullopt);
  EXPECT_EQ(refusal_of("fallback-linkage", "single"),
            "--fallback-linkage single: must be a known name; known: complete, average, none");
  EXPECT_EQ(breach_of({.fallback = Linkage::single}),
            "--fallback-linkage single: must be complete, average or none");
  EXPECT_EQ(breach_of({.linkage = static_cast<Linkage>(9)}),
            "--linkage unknown: must be single, complete, average or mean");
}

TEST(Options, UnknownOptionsAreAnsweredWithTheNearest) {
  EXPECT_EQ(refusal_of("linkge", "single"),
            "--linkge: this test does not take it; did you mean --linkage?");
  EXPECT_EQ(refusal_of("zzzzzzzz", "1"), "--zzzzzzzz: this test does not take it");
}

TEST(Options, AnAliasMeansTheSame) {
  EXPECT_EQ(with({{"c", "5"}}).c, 5);
  EXPECT_EQ(with({{"C", "2"}, {"c", "5"}}).c, 5);
  EXPECT_EQ(refusal_of("c", "-1"), "-C -1: must be a number > 0, or inf");
}

TEST(Options, RulesBetweenMembersAreCheckedByValidateAlone) {
  const Sample sample = with({{"parts", "1"}});
  EXPECT_EQ(breach_of(sample), "--order 2: needs --parts above 1");
  EXPECT_EQ(breach_of(with({{"parts", "1"}, {"order", "1"}})), "no error");
  EXPECT_EQ(breach_of({}), "no error");
}

TEST(Options, NoThreadsAreRefused) {
  EXPECT_EQ(breach_of({.threads = 0}), "--threads 0: must be a whole number >= 1");
  EXPECT_EQ(breach_of({.threads = 3}), "no error");
  EXPECT_EQ(refusal_of("threads", "3"), "--threads: this test does not take it");
}

TEST(Options, ATextThatBreaksItsRuleLeavesTheMember) {
  Sample sample;
  sample.c = 3;
  EXPECT_THROW(set_options(sample, {{"C", "-1"}}, "this test"), InvalidArgument);
  EXPECT_EQ(sample.c, 3);
}

TEST(Options, ValuesAreThoseOfMembersUnderTheirKeys) {
  const OptionScalars values = option_values(Sample{.limit = 3, .label = "y"});
  const OptionScalars expected = {{"C", 1.0},
                                  {"width", std::string("auto")},
                                  {"seed", std::int64_t{0}},
                                  {"parts", std::int64_t{4}},
                                  {"order", std::int64_t{2}},
                                  {"limit", std::int64_t{3}},
                                  {"verbose", false},
                                  {"bias", true},
                                  {"label", std::string("y")},
                                  {"linkage", std::string("single")},
                                  {"fallback_linkage", std::string("none")}};
  EXPECT_EQ(values, expected);
}

/// What a report holds, as the options that bring it back.
OptionTexts texts_of(const Sample& sample) {
  OptionTexts texts;
  const std::vector<OptionDescription> all = describe_options(sample);
  for (const auto& [key, value] : option_values(sample)) {
    for (const OptionDescription& option : all) {
      if (key_of(option.name) != key) continue;
      const bool is_off = option.name.starts_with("no-");
      texts.emplace_back(
          option.name, is_off ? (value == OptionScalar(true) ? "false" : "true") : text_of(value));
    }
  }
  return texts;
}

TEST(Options, ValuesBringOptionsBack) {
  const Sample changed{.c = 0.1,
                       .width = 1.0 / 3,
                       .seed = std::numeric_limits<std::uint64_t>::max(),
                       .parts = 17,
                       .order = 0,
                       .limit = 12,
                       .verbose = true,
                       .bias = false,
                       .title = "a, b = c",
                       .label = "none",
                       .linkage = Linkage::average,
                       .fallback = Linkage::complete};
  EXPECT_EQ(with(texts_of(changed)), changed);
  EXPECT_EQ(with(texts_of(Sample{})), Sample{});
  const Sample hard{.c = std::numeric_limits<double>::infinity()};
  EXPECT_EQ(with(texts_of(hard)), hard);
}

TEST(Options, DescriptionsShowWhatHelpNeeds) {
  const std::vector<OptionDescription> all = describe_options(Sample{});
  ASSERT_EQ(all.size(), 12u);
  EXPECT_EQ(described(all, "C"),
            (OptionDescription{.name = "C",
                               .help = "weight",
                               .value = "X",
                               .kind = OptionKind::number,
                               .rule = "a number > 0, or inf",
                               .range = rules::positive_or_infinite.range,
                               .fallback = "1",
                               .alias = "c"}));
  EXPECT_EQ(described(all, "width").value, "W");
  EXPECT_EQ(described(all, "width").fallback, "auto");
  EXPECT_EQ(described(all, "limit").fallback, "none");
  EXPECT_EQ(described(all, "limit").value, "N");
  EXPECT_TRUE(described(all, "verbose").is_switch);
  EXPECT_TRUE(described(all, "verbose").fallback.empty());
  EXPECT_TRUE(described(all, "no-bias").is_switch);
  EXPECT_TRUE(described(all, "no-bias").value.empty());
  EXPECT_EQ(described(all, "title").value, "TEXT");
  EXPECT_TRUE(described(all, "title").fallback.empty());
  EXPECT_EQ(described(all, "linkage").names,
            (std::vector<std::string>{"single", "complete", "average", "mean"}));
  EXPECT_EQ(described(all, "linkage").fallback, "single");
  EXPECT_EQ(described(all, "fallback-linkage").rule, "complete, average or none");
}

TEST(Options, FlagsAndKeys) {
  EXPECT_EQ(flag_of("C"), "-C");
  EXPECT_EQ(flag_of("kkt-tolerance"), "--kkt-tolerance");
  EXPECT_EQ(key_of("kkt-tolerance"), "kkt_tolerance");
  EXPECT_EQ(key_of("no-bias"), "bias");
}

/// Data with a number: the check runs where the number keeps its rule, and for validate() alone.
struct Problem {
  double c = 1;
  int* runs = nullptr;
  void describe(OptionVisitor& visit) {
    visit.number({.name = "C"}, c, rules::positive);
    visit.check([this] {
      ++*runs;
      throw InvalidArgument("there is no data");
    });
  }
};

TEST(Options, ChecksOfDataAreRunByValidateAlone) {
  int runs = 0;
  Problem problem{.runs = &runs};
  EXPECT_EQ(describe_options(problem).size(), 1u);
  EXPECT_EQ(option_values(problem).size(), 1u);
  set_options(problem, {{"C", "2"}}, "this test");
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(message_of([&] { validate(problem); }), "there is no data");
  EXPECT_EQ(runs, 1);
  problem.c = 0;
  EXPECT_EQ(message_of([&] { validate(problem); }), "-C 0: must be a finite number > 0");
  EXPECT_EQ(runs, 1);
}

TEST(Names, AreReadAndWritten) {
  EXPECT_EQ(to_string(Linkage::average), "average");
  EXPECT_EQ(value_named<Linkage>("mean"), Linkage::average);
  EXPECT_EQ(value_named<Linkage>("Mean"), std::nullopt);
  EXPECT_EQ(parse_name<Linkage>("complete", "linkage"), Linkage::complete);
  EXPECT_EQ(message_of([] { static_cast<void>(parse_name<Linkage>("sngle", "linkage")); }),
            "linkage 'sngle' is not known; did you mean single? Known: single, complete, average, "
            "mean");
  static_assert(Named<Linkage> && !Named<Problem>);
}

}  // namespace
}  // namespace maxmargin
