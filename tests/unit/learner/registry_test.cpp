// SPDX-License-Identifier: Apache-2.0
//
// The table of learners: what every entry says of itself, and that its options are sound.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/learner/learner.hpp"
#include "maxmargin/learner/source.hpp"

namespace maxmargin {
namespace {

/// Help is shown in one line.
constexpr std::size_t longest_help = 100;

template <class Call>
std::string problem_of(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "none";
}

bool is_one_line(std::string_view text) {
  return !text.empty() && text.find('\n') == std::string_view::npos;
}

TEST(Registry, NamesAreUniqueAndPlain) {
  std::set<std::string_view> names;
  std::set<std::string_view> classes;
  for (const Learner* const each : learners()) {
    const LearnerInfo& info = each->info();
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_TRUE(classes.insert(info.class_name).second) << info.class_name;
    EXPECT_TRUE(std::ranges::all_of(info.name, [](unsigned char c) {
      return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-';
    })) << info.name;
    ASSERT_FALSE(info.class_name.empty()) << info.name;
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(info.class_name.front()))) << info.name;
    EXPECT_TRUE(std::ranges::all_of(info.class_name, [](unsigned char c) {
      return std::isalnum(c) != 0;
    })) << info.class_name;
  }
  EXPECT_GE(names.size(), 42u);
}

TEST(Registry, EveryLearnerSaysWhatItIs) {
  const std::filesystem::path root = MAXMARGIN_SOURCE_DIR;
  for (const Learner* const each : learners()) {
    const LearnerInfo& info = each->info();
    SCOPED_TRACE(std::string(info.name));
    EXPECT_TRUE(is_one_line(info.summary));
    EXPECT_TRUE(is_one_line(info.formula));
    EXPECT_TRUE(std::ranges::all_of(info.formula, [](unsigned char c) { return c < 128; }));
    EXPECT_TRUE(std::filesystem::is_regular_file(root / info.page)) << info.page;
    EXPECT_TRUE(info.example.starts_with("builtin:"));
    EXPECT_NE(to_string(info.task), "unknown");
    EXPECT_NE(to_string(info.data), "unknown");
  }
}

TEST(Registry, StructuredLearnersLearnTheirExamples) {
  std::size_t tried = 0;
  for (const Learner* const each : learners()) {
    if (each->info().data == DataKind::table) continue;
    SCOPED_TRACE(std::string(each->info().name));
    const std::string example(each->info().example);
    const LearnerData data = read_training_data(*each, example, {}, {});
    const Training trained = each->train(data, {.keep_certificate = true});
    // A search that needed none has a bound: hmm with labels.
    const std::optional<double> gap = trained.report.solve.relative_gap();
    const bool is_proven = gap && *gap <= 1e-12;
    EXPECT_EQ(trained.report.solve.status,
              each->info().ending == Ending::search && !is_proven ? Status::local_optimum
                                                                  : Status::solved);
    EXPECT_FALSE(each->predict(*trained.model, data, {}, {}).lines.empty());
    EXPECT_NE(each->verify(*trained.model, data, {}).agrees, false);
    ++tried;
  }
  EXPECT_GE(tried, 5u);
}

TEST(Registry, LearnersAreFoundByName) {
  for (const Learner* const each : learners()) {
    EXPECT_EQ(find_learner(each->info().name), each);
    EXPECT_EQ(&learner(each->info().name), each);
  }
  EXPECT_EQ(find_learner("no-such-learner"), nullptr);
  EXPECT_EQ(find_learner(""), nullptr);
  const std::string near_svc = problem_of([] { (void)learner("svcc"); });
  EXPECT_TRUE(near_svc.starts_with("--learner svcc: must be a known name; did you mean svc?"))
      << near_svc;
  const std::string near_kmeans = problem_of([] { (void)learner("kmean"); });
  EXPECT_NE(near_kmeans.find("did you mean kmeans?"), std::string::npos) << near_kmeans;
}

void expect_sound(const std::vector<OptionDescription>& options) {
  std::set<std::string> names;
  for (const OptionDescription& option : options) {
    SCOPED_TRACE(flag_of(option.name));
    EXPECT_TRUE(names.insert(option.name).second);
    if (!option.alias.empty()) {
      EXPECT_TRUE(names.insert(option.alias).second) << option.alias;
    }
    EXPECT_TRUE(is_one_line(option.help)) << option.help;
    EXPECT_LE(option.help.size(), longest_help) << option.help;
    EXPECT_TRUE(is_one_line(option.rule)) << option.rule;
    EXPECT_FALSE(option.rule.starts_with("must")) << option.rule;
    EXPECT_EQ(option.is_switch, option.kind == OptionKind::yes_no);
    EXPECT_EQ(option.value.empty(), option.is_switch);
    if (option.kind == OptionKind::name) {
      EXPECT_FALSE(option.names.empty());
    }
  }
}

TEST(Registry, EveryOptionHasHelpAndARule) {
  for (const Learner* const each : learners()) {
    SCOPED_TRACE(std::string(each->info().name));
    expect_sound(each->options());
    expect_sound(each->prediction_options());
    expect_sound(each->evaluation_options());
  }
}

/// The number of clusters has no default.
OptionTexts needed(const Learner& learner) {
  const auto options = learner.options();
  const bool clusters = learner.info().task == Task::cluster &&
                        std::ranges::find(options, "k", &OptionDescription::name) != options.end();
  return clusters ? OptionTexts{{"k", "2"}} : OptionTexts{};
}

TEST(Registry, DefaultsAreLegal) {
  for (const Learner* const each : learners()) {
    SCOPED_TRACE(std::string(each->info().name));
    EXPECT_EQ(problem_of([&] { each->check_options(needed(*each)); }), "none");
  }
}

/// A default that is a value of its own kind, and not words such as "20; 10 with --features".
bool is_value(const OptionDescription& option) {
  if (option.fallback.empty()) return false;
  if (!option.names.empty()) {
    return std::ranges::find(option.names, option.fallback) != option.names.end();
  }
  const bool is_numeric = option.kind == OptionKind::number || option.kind == OptionKind::whole;
  return is_numeric && option.fallback.find_first_not_of("0123456789.e-") == std::string::npos;
}

TEST(Registry, DefaultsThatHelpShowsCanBeGiven) {
  std::size_t given = 0;
  for (const Learner* const each : learners()) {
    SCOPED_TRACE(std::string(each->info().name));
    for (const OptionDescription& option : each->options()) {
      if (!is_value(option)) continue;
      OptionTexts texts = needed(*each);
      texts.emplace_back(option.name, option.fallback);
      const std::string problem = problem_of([&] { each->check_options(texts); });
      // An option of another choice (a chain's, a kernel's) is refused for that, not for its value.
      EXPECT_EQ(problem.find(": must be "), std::string::npos) << problem;
      ++given;
    }
  }
  EXPECT_GT(given, 200u);
}

}  // namespace
}  // namespace maxmargin
