// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/table/builtin.hpp"
#include "io/text/builtin_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/data/iris.hpp"

namespace maxmargin {
namespace {

void expect_same_data(const Dataset& a, const Dataset& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_TRUE(std::ranges::equal(a.examples.to_dense().values(), b.examples.to_dense().values()));
  EXPECT_EQ(a.label_sets, b.label_sets);
  ASSERT_EQ(a.has_labels(), b.has_labels());
  for (std::size_t i = 0; a.has_labels() && i < a.size(); ++i) {
    ASSERT_EQ(a.labels.at(i), b.labels.at(i)) << i;
  }
}

std::string message_of(std::string_view spec) {
  try {
    (void)make_builtin(spec);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no exception";
}

TEST(Builtin, PrefixAndSourceAreTheSameWithAndWithout) {
  EXPECT_TRUE(is_builtin("builtin:iris"));
  EXPECT_FALSE(is_builtin("iris"));
  EXPECT_FALSE(is_builtin("data/builtin:iris"));
  EXPECT_EQ(make_builtin("iris").source, "builtin:iris");
  EXPECT_EQ(make_builtin("builtin:circles,n=6").source, "builtin:circles,n=6");
  expect_same_data(make_builtin("builtin:iris"), iris());
}

TEST(Builtin, IrisWithAPositiveClassIsBinary) {
  const Dataset data = make_builtin("iris,positive=versicolor");
  ASSERT_EQ(data.size(), 150u);
  for (std::size_t i = 0; i < 150; ++i) {
    EXPECT_EQ(data.labels.numbers()[i], i / 50 == 1 ? 1 : -1);
  }
}

TEST(Builtin, DefaultsAreThoseOfTheGenerators) {
  expect_same_data(make_builtin("circles"), generate_circles());
  expect_same_data(make_builtin("joined-circles"), generate_joined_circles());
  expect_same_data(make_builtin("three-circles"),
                   generate_joined_circles({.n = 150, .circles = 3}));
  expect_same_data(make_builtin("circle-and-balls"), generate_circle_and_balls());
  expect_same_data(make_builtin("moons"), generate_moons());
  expect_same_data(make_builtin("squiggles"), generate_squiggles());
  expect_same_data(make_builtin("ai"), generate_letters());
  expect_same_data(make_builtin("aaai"),
                   generate_letters({.n = 200, .word = "aaai", .height = 1, .gap = 1}));
  expect_same_data(make_builtin("gaussians"), generate_gaussians());
  expect_same_data(make_builtin("checkers"), generate_checkers());
  expect_same_data(make_builtin("sphere"), generate_sphere().data);
  expect_same_data(make_builtin("ring-outliers"), generate_ring_outliers().data);
}

// design.md section 3 promises these.
TEST(Builtin, DefaultsAreThoseOfTheDesign) {
  expect_same_data(make_builtin("circles"), make_builtin("circles,inner=1,outer=2,noise=0.05"));
  expect_same_data(make_builtin("joined-circles"), make_builtin("joined-circles,distance=1.8"));
  expect_same_data(make_builtin("gaussians"), make_builtin("gaussians,separation=3.4,d=2,k=2"));
  expect_same_data(make_builtin("moons"), make_builtin("moons,noise=0.05"));
  expect_same_data(make_builtin("checkers"), make_builtin("checkers,cells=4,jitter=0.02"));
  expect_same_data(make_builtin("moons"), make_builtin("moons,seed=0"));
}

TEST(Builtin, ParametersReachTheGenerator) {
  expect_same_data(
      make_builtin("circles,n=31,inner=0.5,outer=4,shift=0.75,noise=0.1,seed=9"),
      generate_circles(
          {.n = 31, .inner = 0.5, .outer = 4, .shift = 0.75, .noise = 0.1, .seed = 9}));
  expect_same_data(make_builtin("gaussians,seed=2,d=7,k=3,n=10,separation=1e1"),
                   generate_gaussians({.n = 10, .k = 3, .d = 7, .separation = 10, .seed = 2}));
  expect_same_data(
      make_builtin("ring-outliers,n=70,outliers=5,radius=55,width=2,seed=4"),
      generate_ring_outliers({.n = 70, .outliers = 5, .radius = 55, .width = 2, .seed = 4}).data);
}

TEST(Builtin, FewLabelsAreFiveOfEveryClass) {
  const Dataset data = make_builtin("few-labels,seed=3");
  EXPECT_EQ(data.size(), 60U);
  EXPECT_EQ(data.labels.labelled_count(), 10U);
  std::vector<double> labels;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (const auto label = data.labels.at(i)) labels.push_back(label->number());
  }
  EXPECT_EQ(std::ranges::count(labels, 1.0), 5);
  EXPECT_EQ(std::ranges::count(labels, 2.0), 5);
  const Dataset all = make_builtin("gaussians,n=60,k=2,d=2,seed=3");
  EXPECT_TRUE(
      std::ranges::equal(data.examples.to_dense().values(), all.examples.to_dense().values()));
}

TEST(Builtin, EveryListedDefaultCanBeGivenAndChangesNothing) {
  for (const BuiltinInfo& info : builtin_list()) {
    EXPECT_FALSE(info.summary.empty());
    std::string spec = info.name;
    for (const BuiltinParameter& parameter : info.parameters) {
      EXPECT_FALSE(parameter.meaning.empty()) << info.name << ' ' << parameter.name;
      if (parameter.default_value.empty()) continue;
      spec += "," + parameter.name + "=" + parameter.default_value;
    }
    expect_same_data(make_builtin(spec), make_builtin(info.name));
  }
}

TEST(Builtin, EveryParameterChangesTheData) {
  for (const BuiltinInfo& info : builtin_list()) {
    const Dataset usual = make_builtin(info.name);
    for (const BuiltinParameter& parameter : info.parameters) {
      if (parameter.default_value.empty()) continue;
      // One more of each: legal for all of them.
      const double value = std::stod(parameter.default_value) + 1;
      const Dataset other =
          make_builtin(info.name + "," + parameter.name + "=" + std::to_string(std::lround(value)));
      EXPECT_FALSE(std::ranges::equal(usual.examples.to_dense().values(),
                                      other.examples.to_dense().values()))
          << info.name << ' ' << parameter.name;
    }
  }
}

TEST(Builtin, UnknownNamesAreAnsweredWithTheNearest) {
  const std::string message = message_of("circels");
  EXPECT_NE(message.find("circels is not known; did you mean circles? Known: iris, circles,"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("ring-outliers"), std::string::npos);
  EXPECT_NE(message_of("").find("known: iris"), std::string::npos);
  EXPECT_NE(message_of("builtin:").find("known: iris"), std::string::npos);
}

TEST(Builtin, UnknownKeysAreAnsweredWithTheNearest) {
  EXPECT_EQ(
      message_of("moons,nose=1"),
      "builtin:moons: parameter nose is not known; did you mean noise? Known: n, noise, seed");
  EXPECT_EQ(message_of("iris,positive=setoza"),
            "builtin:iris: positive = setoza is not a class; did you mean setosa? Known: setosa, "
            "versicolor, virginica");
}

TEST(Builtin, BadValuesAreNamed) {
  EXPECT_EQ(message_of("moons,n=ten"), "builtin:moons: n = ten, must be a whole number >= 2");
  EXPECT_EQ(message_of("moons,n=-5"), "builtin:moons: n = -5, must be a whole number >= 2");
  EXPECT_EQ(message_of("moons,n=2.5"), "builtin:moons: n = 2.5, must be a whole number >= 2");
  EXPECT_EQ(message_of("moons,noise=nan"),
            "builtin:moons: noise = nan, must be a finite number >= 0");
  EXPECT_EQ(message_of("moons,noise="), "builtin:moons: noise = , must be a finite number >= 0");
  EXPECT_EQ(message_of("moons,noise=-1"),
            "builtin:moons: noise = -1, must be a finite number >= 0");
  EXPECT_EQ(message_of("gaussians,n=3,k=5"),
            "builtin:gaussians: n = 3, must be at least the number of classes, 5");
  EXPECT_EQ(message_of("moons,n=5,n=6"), "builtin:moons: parameter n is given twice");
  EXPECT_EQ(message_of("moons,n"), "builtin:moons: \"n\" must have the form key=value");
  EXPECT_EQ(message_of("moons,"), "builtin:moons: \"\" must have the form key=value");
}

TEST(Builtin, FilesOfOtherKindsAreOpenedByName) {
  std::ifstream page(std::string(MAXMARGIN_SOURCE_DIR) + "/docs/guide/builtin-data.md");
  std::stringstream text;
  text << page.rdbuf();
  for (const BuiltinFile& file : builtin_files()) {
    Input input = open_data_file("builtin:" + std::string(file.name));
    EXPECT_EQ(input.name(), "builtin:" + std::string(file.name));
    EXPECT_EQ(input.read_all(), file.text);
    EXPECT_NE(text.str().find("| `builtin:" + std::string(file.name) + "` |"), std::string::npos);
  }
  try {
    (void)open_data_file("builtin:sentence");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(std::string(error.what()),
              "built-in data set sentence is no file of this kind; did you mean sentences? Known: "
              "sentences, shelves, homologs, motifs, weather");
  }
}

TEST(Builtin, TheDocsPageNamesEveryParameterWithItsDefault) {
  std::ifstream file(std::string(MAXMARGIN_SOURCE_DIR) + "/docs/guide/builtin-data.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  ASSERT_FALSE(page.empty());
  for (const BuiltinInfo& info : builtin_list()) {
    const std::size_t begin = page.find("\n### " + info.name + "\n");
    ASSERT_NE(begin, std::string::npos) << info.name;
    const std::string section = page.substr(begin, page.find("\n### ", begin + 1) - begin);
    for (const BuiltinParameter& parameter : info.parameters) {
      const std::string value = parameter.default_value.empty() ? "none" : parameter.default_value;
      const std::string row = "| `" + parameter.name + "` | " + value + " | ";
      EXPECT_NE(section.find(row), std::string::npos) << info.name << ": " << row;
    }
  }
}

TEST(Builtin, MorePointsThanTheMachineHoldsAreRefusedAtOnce) {
  for (const char* spec : {"circles,n=99999999999999999",
                           "joined-circles,n=99999999999999999",
                           "circle-and-balls,n=99999999999999999",
                           "moons,n=99999999999999999",
                           "squiggles,n=99999999999999999",
                           "ai,n=99999999999999999",
                           "gaussians,d=99999999999999999",
                           "checkers,n=9223372036854775807",
                           "sphere,n=99999999999999999",
                           "ring-outliers,n=99999999999999999"}) {
    EXPECT_THROW(static_cast<void>(make_builtin(spec)), InvalidArgument) << spec;
  }
}

}  // namespace
}  // namespace maxmargin
