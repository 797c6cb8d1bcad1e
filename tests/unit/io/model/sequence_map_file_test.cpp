// SPDX-License-Identifier: Apache-2.0
#include "io/model/sequence_map_file.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "sequence_equality.hpp"
#include "small_texts.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

SequenceMap through_file(const SequenceMap& map, ModelFormat format) {
  ModelDocument model("sequence");
  store_sequence_map(map, model);
  Input input = Input::from_memory(
      "m", written_bytes([&](OutputFile& file) { write_model(model, file, format); }));
  return load_sequence_map(read_model(input));
}

TEST(SequenceMapFile, MapsReadBackAndMapTheSame) {
  const TaggedText training = random_text(150, 1);
  const TaggedText test = random_text(60, 2);
  const FeatureTemplates templates = parse_templates(
      "# all kinds\nB\nU1:%x[0,0]/%%\nU2:%suffix[-1,0,2]\nB1:%x[0,1]\nU3:%x[0,0]/%x[1,1]\n");
  for (const FeatureIndexOptions& index :
       {FeatureIndexOptions{},
        FeatureIndexOptions{.minimum_count = 2},
        FeatureIndexOptions{.kind = FeatureIndexKind::hashed, .hash_bits = 12}}) {
    const SequenceMap map = learn_sequence_map(training, templates, {.index = index});
    for (const ModelFormat format : {ModelFormat::text, ModelFormat::binary}) {
      const SequenceMap copy = through_file(map, format);
      EXPECT_EQ(copy.templates.transitions, true);
      EXPECT_EQ(copy.label_names, map.label_names);
      EXPECT_TRUE(same_sequences(copy.apply(test), map.apply(test)));
      EXPECT_TRUE(same_sequences(copy.apply(training), map.apply(training)));
    }
  }
}

TEST(SequenceMapFile, ManyFeaturesFillSeveralBlocks) {
  TaggedText text(1, true);
  for (int k = 0; k < 30000; ++k) {
    const std::string word = "word" + std::to_string(k);
    text.add_token(std::vector<std::string_view>{word}, "T");
  }
  text.end_sentence();
  const SequenceMap map = learn_sequence_map(text, parse_templates("U:%x[0,0]\n"));
  ModelDocument model("sequence");
  store_sequence_map(map, model);
  EXPECT_GT(model.strings("map.positions.names").size(), 3u);
  const SequenceMap copy = load_sequence_map(model);
  ASSERT_EQ(copy.positions.size(), 30000u);
  for (std::size_t k = 0; k < 30000; k += 371) {
    EXPECT_EQ(copy.positions.names()[k], map.positions.names()[k]);
  }
}

/// A document like that of a stored map, but for one part.
std::string problem_with(const std::string& changed, const std::string& value) {
  ModelDocument model("sequence", "file.mm");
  const auto text = [&](const std::string& name, const std::string& usual) {
    model.set_string(name, name == changed ? value : usual);
  };
  text("map.templates", "U:%x[0,0]\n");
  text("map.positions.kind", "dictionary");
  model.set_integer("map.positions.count", changed == "count" ? 3 : 2);
  model.set_strings("map.positions.names", {changed == "names" ? value : "U:a\nU:b"});
  text("map.steps.kind", "hashed");
  text("map.steps.hash", "fnv1a64-splitmix");
  model.set_integer("map.steps.bits", changed == "bits" ? 40 : 10);
  model.set_strings("map.labels", {"X", changed == "labels" ? value : "Y"});
  return problem_of<ModelFormatError>([&] { static_cast<void>(load_sequence_map(model)); });
}

TEST(SequenceMapFile, WhatDoesNotFitTogetherIsRefusedWithTheFile) {
  EXPECT_EQ(problem_with("", ""), "");
  EXPECT_TRUE(problem_with("map.templates", "X").starts_with("file.mm: map.templates: "));
  EXPECT_NE(problem_with("map.positions.kind", "tree"), "");
  EXPECT_NE(problem_with("map.steps.hash", "md5"), "");
  EXPECT_NE(problem_with("count", ""), "");
  EXPECT_NE(problem_with("bits", ""), "");
  EXPECT_NE(problem_with("names", "U:a\nU:a"), "");
  EXPECT_NE(problem_with("labels", "X"), "");
  EXPECT_THROW(static_cast<void>(load_sequence_map(ModelDocument("svc"))), ModelFormatError);
  EXPECT_FALSE(has_sequence_map(ModelDocument("svc")));
}

TEST(SequenceMapFile, AnIndexThatStillLearnsIsNotStored) {
  ModelDocument model("sequence");
  EXPECT_THROW(store_sequence_map(SequenceMap{}, model), InvalidArgument);
}

TEST(SequenceMapFile, TemplateFilesMayComeFromAnySystem) {
  Input input = Input::from_memory("t", "\xef\xbb\xbf# x\r\nU00:%x[0,0]\r\nB\r\n");
  const FeatureTemplates templates = read_templates(input);
  ASSERT_EQ(templates.positions.size(), 1u);
  EXPECT_EQ(templates.positions[0].text, "U00:%x[0,0]");
  EXPECT_TRUE(templates.transitions);
  Input broken = Input::from_memory("t", "U00:%x[0,0]\nU01:%y[0,0]\n");
  EXPECT_TRUE(problem_of<ParseError>([&] {
                static_cast<void>(read_templates(broken));
              }).starts_with("t:2:"));
}

TEST(SequenceMapFile, TemplatesAreFoundByNameOrPath) {
  EXPECT_EQ(to_text(find_templates("chunking")), to_text(standard_templates("chunking")));
  const TemporaryFolder folder;
  OutputFile file(folder.path("t"));
  file.write("U7:%x[0,0]\n");
  file.commit();
  EXPECT_EQ(to_text(find_templates(folder.path("t"))), "U7:%x[0,0]\n");
  EXPECT_THROW(static_cast<void>(find_templates(folder.path("missing"))), FileError);
}

}  // namespace
}  // namespace maxmargin
