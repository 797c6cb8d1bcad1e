// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/text/sequence_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "maxmargin/core/error.hpp"
#include "sequence_equality.hpp"
#include "small_texts.hpp"

namespace maxmargin {
namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers numbers(std::span<const std::uint32_t> values) { return {values.begin(), values.end()}; }

TEST(SequenceMap, NumbersFeaturesByFirstSight) {
  const TaggedText text = tagged_text("a/Y b/X\nb/X\n");
  const SequenceMap map = learn_sequence_map(text, parse_templates("U0:%x[0,0]\nU1:%x[-1,0]\nB\n"));
  ASSERT_EQ(map.positions.size(), 4u);
  EXPECT_EQ(map.positions.names()[0], "U0:a");
  EXPECT_EQ(map.positions.names()[1], "U1:_B-1");
  EXPECT_EQ(map.positions.names()[2], "U0:b");
  EXPECT_EQ(map.positions.names()[3], "U1:a");
  EXPECT_EQ(map.label_names, (std::vector<std::string>{"X", "Y"}));

  const SequenceData data = map.apply(text);
  ASSERT_EQ(data.size(), 2u);
  EXPECT_EQ(data.features, 4u);
  EXPECT_EQ(data.step_features, 0u);
  EXPECT_EQ(data.source, "test");
  EXPECT_EQ(numbers(data.inputs[0].indices_at(0)), (Numbers{0, 1}));
  EXPECT_EQ(numbers(data.inputs[0].indices_at(1)), (Numbers{2, 3}));
  EXPECT_EQ(numbers(data.inputs[1].indices_at(0)), (Numbers{1, 2}));
  EXPECT_TRUE(data.inputs[0].values.empty());
  EXPECT_TRUE(data.inputs[0].step_begins.empty());
  EXPECT_EQ(data.labels, (std::vector<LabelSequence>{{1, 0}, {0}}));
}

TEST(SequenceMap, StepsHaveNumbersOfTheirOwnAndBeginAtTheSecondToken) {
  const TaggedText text = tagged_text("a/X b/Y b/X\na/X\n");
  const SequenceMap map = learn_sequence_map(text, parse_templates("U0:%x[0,0]\nB1:%x[0,0]\n"));
  const SequenceData data = map.apply(text);
  EXPECT_EQ(data.step_features, 1u);  // a is never behind another token
  EXPECT_EQ(map.steps.names()[0], "B1:b");
  EXPECT_EQ(data.inputs[0].step_begins, (std::vector<std::size_t>{0, 0, 1, 2}));
  EXPECT_TRUE(data.inputs[0].step_indices_at(0).empty());
  EXPECT_EQ(numbers(data.inputs[0].step_indices_at(2)), (Numbers{0}));
  EXPECT_EQ(data.inputs[1].step_begins, (std::vector<std::size_t>{0, 0}));
}

TEST(SequenceMap, UnknownFeaturesAreDropped) {
  const SequenceMap map =
      learn_sequence_map(tagged_text("a/X b/Y\n"), parse_templates("U0:%x[0,0]\nU1:%x[1,0]\n"));
  const SequenceData data = map.apply(tagged_text("c/X b/Y\n"));
  EXPECT_EQ(numbers(data.inputs[0].indices_at(0)), (Numbers{map.positions.find("U1:b")}));
  EXPECT_EQ(data.features, map.positions.size());
  EXPECT_EQ(map.positions.size(), 4u);
}

TEST(SequenceMap, RareFeaturesAreDropped) {
  const TaggedText text = tagged_text("a/X b/Y a/X\n");
  const SequenceMap map =
      learn_sequence_map(text, parse_templates("U0:%x[0,0]\n"), {.index = {.minimum_count = 2}});
  EXPECT_EQ(map.positions.size(), 1u);
  const SequenceData data = map.apply(text);
  EXPECT_EQ(numbers(data.inputs[0].indices_at(0)), (Numbers{0}));
  EXPECT_TRUE(data.inputs[0].indices_at(1).empty());
}

// A tag seen only at test time is an error to be counted, not an exit.
TEST(SequenceMap, NewTagsGetNumbersBehindThoseOfTheTraining) {
  const SequenceMap map =
      learn_sequence_map(tagged_text("a/X b/Z\n"), parse_templates("U0:%x[0,0]\n"));
  const SequenceData data = map.apply(tagged_text("a/Y b/Z\nb/A a/Y a/X\n"));
  EXPECT_EQ(data.label_names, (std::vector<std::string>{"X", "Z", "Y", "A"}));
  EXPECT_EQ(data.labels, (std::vector<LabelSequence>{{2, 1}, {3, 2, 0}}));
  EXPECT_EQ(map.label_names.size(), 2u);
}

TEST(SequenceMap, TagsAreOrderedAsLabelsAre) {
  const SequenceMap map =
      learn_sequence_map(tagged_text("a/b a/10 a/9 a/B a/-1 a/1.0 a/1\n"), parse_templates("U\n"));
  EXPECT_EQ(map.label_names, (std::vector<std::string>{"-1", "1", "1.0", "9", "10", "B", "b"}));
}

TEST(SequenceMap, TextWithoutTagsGivesNoLabels) {
  const SequenceMap map =
      learn_sequence_map(tagged_text("a/X b/Z\n"), parse_templates("U0:%x[0,0]\n"));
  TaggedText text(1, false);
  text.add_token(std::vector<std::string_view>{"a"});
  text.end_sentence();
  const SequenceData data = map.apply(text);
  EXPECT_TRUE(data.labels.empty());
  EXPECT_EQ(data.label_names, map.label_names);
  EXPECT_EQ(numbers(data.inputs[0].indices_at(0)), (Numbers{0}));
}

TEST(SequenceMap, EqualFeaturesOfAPositionCountOnce) {
  const TaggedText text = tagged_text("a/X a/Y\n");
  const SequenceMap map =
      learn_sequence_map(text, parse_templates("U0:%x[0,0]\nU0:%x[0,0]\nU0:%x[1,0]\n"));
  const SequenceData data = map.apply(text);
  EXPECT_EQ(numbers(data.inputs[0].indices_at(0)), (Numbers{0}));
  const SequenceMap hashed =
      learn_sequence_map(text,
                         standard_templates("tagging"),
                         {.index = {.kind = FeatureIndexKind::hashed, .hash_bits = 1}});
  const SequenceData few = hashed.apply(text);
  EXPECT_EQ(few.features, 2u);
  EXPECT_EQ(numbers(few.inputs[0].indices_at(0)), (Numbers{0, 1}));
}

/// The map by the book: one feature after the other through std::map.
SequenceData plain_map(const TaggedText& text,
                       const FeatureTemplates& templates,
                       std::size_t minimum) {
  std::map<std::string, std::size_t> counts;
  std::map<std::string, std::uint32_t> numbers;
  std::vector<std::string> order;
  std::string feature;
  const auto for_each = [&](std::size_t s, std::size_t token, const auto& visit) {
    for (const FeatureTemplate& line : templates.positions) {
      if (expand_template(line, text, s, token, feature)) visit(feature);
    }
  };
  for (std::size_t s = 0; s < text.size(); ++s) {
    for (std::size_t token = text.begin(s); token < text.begin(s + 1); ++token) {
      for_each(s, token, [&](const std::string& made) {
        if (counts[made]++ == 0) order.push_back(made);
      });
    }
  }
  for (const std::string& made : order) {
    if (counts[made] >= minimum) {
      numbers.emplace(made, static_cast<std::uint32_t>(numbers.size()));
    }
  }
  std::set<std::string> tags;
  for (std::size_t k = 0; k < text.tags().size(); ++k) tags.emplace(text.tags()[k]);
  SequenceData data{.label_names = {tags.begin(), tags.end()}, .features = numbers.size()};
  for (std::size_t s = 0; s < text.size(); ++s) {
    Sequence& sequence = data.inputs.emplace_back();
    LabelSequence& labels = data.labels.emplace_back();
    for (std::size_t token = text.begin(s); token < text.begin(s + 1); ++token) {
      std::set<std::uint32_t> here;
      for_each(s, token, [&](const std::string& made) {
        if (numbers.contains(made)) here.insert(numbers[made]);
      });
      sequence.indices.insert(sequence.indices.end(), here.begin(), here.end());
      sequence.begins.push_back(sequence.indices.size());
      const std::string tag(text.tags()[text.tag(token)]);
      labels.push_back(static_cast<std::uint32_t>(std::distance(tags.begin(), tags.find(tag))));
    }
  }
  return data;
}

TEST(SequenceMap, AgreesWithThePlainMapForAnyNumberOfThreads) {
  const TaggedText text = random_text(700, 3);
  const FeatureTemplates templates = standard_templates("chunking");
  for (const std::size_t minimum : {1u, 3u}) {
    const SequenceData expected = plain_map(text, templates, minimum);
    for (const std::size_t threads : {1u, 2u, 3u, 8u}) {
      const SequenceMap map = learn_sequence_map(
          text, templates, {.index = {.minimum_count = minimum}, .context = {.threads = threads}});
      EXPECT_TRUE(same_sequences(map.apply(text, threads), expected)) << threads << " " << minimum;
    }
  }
}

TEST(SequenceMap, HashedFeaturesAndStepsAreTheSameForAnyNumberOfThreads) {
  const TaggedText text = random_text(400, 5);
  const FeatureTemplates templates = parse_templates("U0:%x[0,0]\nU1:%x[1,1]\nB1:%x[0,1]\nB\n");
  for (const FeatureIndexKind kind : {FeatureIndexKind::dictionary, FeatureIndexKind::hashed}) {
    const auto mapped = [&](std::size_t threads) {
      return learn_sequence_map(
                 text, templates, {.index = {.kind = kind}, .context = {.threads = threads}})
          .apply(text, threads);
    };
    const SequenceData one = mapped(1);
    EXPECT_TRUE(same_sequences(one, mapped(2)));
    EXPECT_TRUE(same_sequences(one, mapped(5)));
    EXPECT_GT(one.step_features, 0u);
  }
}

TEST(SequenceMap, ColumnsThatAreNotThereAreRefused) {
  const TaggedText text = tagged_text("a/X\n");
  EXPECT_THROW(
      static_cast<void>(learn_sequence_map(text, parse_templates("U0:%x[0,0]\nU1:%x[0,1]\n"))),
      ParseError);
  const SequenceMap map =
      learn_sequence_map(tagged_text("a|b/X\n", 2), parse_templates("U1:%x[0,1]\n"));
  EXPECT_THROW(static_cast<void>(map.apply(text)), ParseError);
}

TEST(SequenceMap, AnEmptyTextGivesNothing) {
  const SequenceMap map = learn_sequence_map(TaggedText(1, true), parse_templates("U0:%x[0,0]\n"));
  EXPECT_EQ(map.positions.size(), 0u);
  EXPECT_TRUE(map.label_names.empty());
  EXPECT_EQ(map.apply(TaggedText(1, true)).size(), 0u);
  EXPECT_EQ(numbers(map.apply(tagged_text("a/X\n")).inputs[0].indices_at(0)), Numbers{});
}

}  // namespace
}  // namespace maxmargin
