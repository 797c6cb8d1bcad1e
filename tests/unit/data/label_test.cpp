// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/label.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

Label text(const char* value) { return Label(std::string(value)); }

TEST(Label, AllSpellingsOfANumberAreOneLabel) {
  for (const char* spelling : {"1", "+1", "1.0", "1e0", "01", "10e-1"}) {
    EXPECT_EQ(Label::parse(spelling), Label(1.0)) << spelling;
    EXPECT_EQ(Label::parse(spelling).text(), "1");
  }
  EXPECT_EQ(Label::parse("-0"), Label::parse("0"));
  EXPECT_EQ(Label::parse("-0").text(), "0");
  EXPECT_EQ(Label::parse("0.1").text(), "0.1");
}

TEST(Label, AnythingElseIsAString) {
  for (const char* word : {"setosa", "", "1a", "nan", "inf", "-inf", "1e999", " 1", "?"}) {
    EXPECT_FALSE(Label::parse(word).is_number()) << word;
    EXPECT_EQ(Label::parse(word).text(), word);
  }
  EXPECT_FALSE(text("7").is_number());
  EXPECT_NE(text("7"), Label(7.0));
}

TEST(Label, NumbersComeByValueThenStringsByBytes) {
  const std::vector<Label> ordered = {Label(-2.0),
                                      Label(0.5),
                                      Label(10.0),
                                      text(""),
                                      text("10"),
                                      text("B"),
                                      text("a"),
                                      text("ab"),
                                      text("b"),
                                      text("\xc3\xa9")};
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (std::size_t k = 0; k < ordered.size(); ++k) {
      EXPECT_EQ(ordered[i] < ordered[k], i < k) << ordered[i].text() << ' ' << ordered[k].text();
      EXPECT_EQ(ordered[i] == ordered[k], i == k);
    }
  }
}

TEST(Label, RefusesNumbersThatAreNotFinite) {
  EXPECT_THROW((void)Label(std::nan("")), InvalidArgument);
  EXPECT_THROW((void)Label(HUGE_VAL), InvalidArgument);
}

TEST(LabelColumn, HoldsNumbersAndUnlabelledRows) {
  LabelColumn column;
  EXPECT_TRUE(column.empty());
  column.push_back_number(3);
  column.push_back_unlabelled();
  column.push_back(Label(-1.0));
  ASSERT_EQ(column.size(), 3u);
  EXPECT_TRUE(column.all_numbers());
  EXPECT_EQ(column.labelled_count(), 2u);
  EXPECT_EQ(column.at(0), Label(3.0));
  EXPECT_FALSE(column.at(1).has_value());
  EXPECT_TRUE(std::isnan(column.numbers()[1]));
  EXPECT_EQ(column.numbers()[2], -1);
}

TEST(LabelColumn, TheFirstStringTurnsItIntoADictionary) {
  LabelColumn column;
  column.push_back_number(2);
  column.push_back_unlabelled();
  column.push_back_number(1);
  column.push_back_number(2);
  column.push_back(text("x"));
  EXPECT_FALSE(column.all_numbers());
  EXPECT_THROW((void)column.numbers(), InvalidArgument);
  column.push_back_number(1);
  column.push_back_unlabelled();
  column.push_back(text("x"));
  ASSERT_EQ(column.size(), 8u);
  EXPECT_EQ(column.labelled_count(), 6u);
  const std::vector<std::optional<Label>> expected = {Label(2.0),
                                                      std::nullopt,
                                                      Label(1.0),
                                                      Label(2.0),
                                                      text("x"),
                                                      Label(1.0),
                                                      std::nullopt,
                                                      text("x")};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(column.at(i), expected[i]) << i;
}

TEST(LabelColumn, GivesBackWhatWasPutInForRandomColumns) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    std::vector<std::optional<Label>> expected;
    LabelColumn column;
    for (int i = 0; i < 200; ++i) {
      const double kind = rng.uniform();
      if (kind < 0.1) {
        expected.push_back(std::nullopt);
        column.push_back_unlabelled();
        continue;
      }
      expected.push_back(kind < 0.9 || i < 100 ? Label(std::round(3 * rng.normal()))
                                               : Label("s" + std::to_string(rng.index(30))));
      column.push_back(*expected.back());
    }
    const Classes classes = classes_of(column);
    ASSERT_TRUE(std::is_sorted(classes.names.begin(), classes.names.end()));
    std::map<Label, std::size_t> counts;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(column.at(i), expected[i]) << "seed " << seed << " row " << i;
      ASSERT_EQ(column.is_labelled(i), expected[i].has_value());
      ASSERT_EQ(classes.of_row[i] >= 0, expected[i].has_value());
      if (!expected[i]) continue;
      ASSERT_EQ(classes.names[static_cast<std::size_t>(classes.of_row[i])], *expected[i]);
      ++counts[*expected[i]];
    }
    const std::vector<std::size_t> sizes = classes.sizes();
    ASSERT_EQ(sizes.size(), counts.size());
    for (std::size_t c = 0; c < sizes.size(); ++c) EXPECT_EQ(sizes[c], counts[classes.names[c]]);
  }
}

TEST(LabelColumn, ClearForgetsALabel) {
  LabelColumn numbers = LabelColumn::from_numbers({1, 2});
  numbers.clear(0);
  EXPECT_FALSE(numbers.is_labelled(0));
  EXPECT_TRUE(numbers.is_labelled(1));
  const std::vector<Label> labels = {text("a"), text("b")};
  LabelColumn strings = LabelColumn::from_labels(labels);
  strings.clear(1);
  EXPECT_EQ(strings.labelled_count(), 1u);
  EXPECT_EQ(classes_of(strings).names, (std::vector<Label>{text("a")}));
}

TEST(LabelColumn, SelectRepeatsReordersAndRefusesRowsThatAreNotThere) {
  const std::vector<Label> labels = {text("a"), text("b"), Label(3.0)};
  for (const LabelColumn& column :
       {LabelColumn::from_labels(labels), LabelColumn::from_numbers({5, 6, std::nan("")})}) {
    const std::vector<std::size_t> rows = {2, 0, 2};
    const LabelColumn chosen = column.select(rows);
    ASSERT_EQ(chosen.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(chosen.at(i), column.at(rows[i]));
    EXPECT_TRUE(column.select({}).empty());
    EXPECT_THROW((void)column.select(std::vector<std::size_t>{3}), InvalidArgument);
  }
}

TEST(LabelColumn, RefusesInfiniteNumbers) {
  EXPECT_THROW((void)LabelColumn::from_numbers({1, HUGE_VAL}), InvalidArgument);
  LabelColumn column;
  EXPECT_THROW(column.push_back_number(std::nan("")), InvalidArgument);
  EXPECT_TRUE(column.empty());
}

TEST(Classes, DoNotDependOnTheOrderOfRows) {
  const std::vector<Label> labels = {text("b"), Label(2.0), text("a"), Label(-1.0), Label(2.0)};
  const Classes classes = classes_of(LabelColumn::from_labels(labels));
  EXPECT_EQ(classes.names, (std::vector<Label>{Label(-1.0), Label(2.0), text("a"), text("b")}));
  EXPECT_EQ(classes.of_row, (std::vector<std::int32_t>{3, 1, 2, 0, 1}));
  EXPECT_EQ(classes.sizes(), (std::vector<std::size_t>{1, 2, 1, 1}));
}

TEST(Classes, OfANumericColumnJoinBothZeros) {
  const Classes classes = classes_of(LabelColumn::from_numbers({0.0, -0.0, 1, std::nan("")}));
  EXPECT_EQ(classes.names, (std::vector<Label>{Label(0.0), Label(1.0)}));
  EXPECT_EQ(classes.of_row, (std::vector<std::int32_t>{0, 0, 1, -1}));
}

TEST(Classes, OfNothingAreNone) {
  EXPECT_EQ(classes_of({}).count(), 0u);
  EXPECT_EQ(classes_of(LabelColumn::from_numbers({std::nan("")})).count(), 0u);
}

TEST(Classes, AreFoundByLabel) {
  const std::vector<Label> names = {Label(-1.0), Label(2.0), text("a")};
  EXPECT_EQ(find_class(names, Label(2.0)), 1);
  EXPECT_EQ(find_class(names, text("a")), 2);
  EXPECT_FALSE(find_class(names, text("2")).has_value());
  EXPECT_FALSE(find_class({}, Label(2.0)).has_value());
}

TEST(LabelColumn, ManyDistinctLabelsKeepTheirOrderOfFirstSight) {
  constexpr std::size_t count = 20'000;
  LabelColumn column;
  for (std::size_t k = 0; k < 2 * count; ++k) {
    column.push_back(Label("name " + std::to_string(k * 7919 % count)));
  }
  for (const double number : {0.5, 1.0, 4294967296.0}) column.push_back_number(number);
  ASSERT_EQ(column.size(), 2 * count + 3);
  EXPECT_EQ(column.at(1), Label(std::string("name 7919")));
  EXPECT_EQ(column.at(count + 1), Label(std::string("name 7919")));
  EXPECT_EQ(column.at(2 * count + 2), Label(4294967296.0));
  EXPECT_EQ(classes_of(column).count(), count + 3);
  LabelColumn twice = column;
  twice.append(column);
  EXPECT_EQ(classes_of(twice).count(), count + 3);
}

}  // namespace
}  // namespace maxmargin
