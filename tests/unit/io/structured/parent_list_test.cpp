// SPDX-License-Identifier: Apache-2.0
#include "io/structured/parent_list.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

Taxonomy read(const std::string& text) {
  Input input = Input::from_memory("mem", text);
  return read_parent_list(input);
}

std::string problem_of(const std::string& text) {
  try {
    static_cast<void>(read(text));
  } catch (const FileError& error) {
    return error.what();
  }
  return "none";
}

TEST(ParentList, ReadsNodesAndParents) {
  const Taxonomy tree =
      read("\xef\xbb\xbf# animals\n dog\tmammal # barks\r\n\n7 mammal\nmammal animal\nmoss");
  EXPECT_EQ(tree.size(), 5u);
  EXPECT_EQ(tree.find(Label(7.0)), tree.find(Label::parse("7.0")));
  const std::uint32_t dog = tree.find(Label::parse("dog")).value();
  EXPECT_EQ(tree.name(tree.parent(dog)).text(), "mammal");
  EXPECT_EQ(tree.depth(dog), 3u);
  EXPECT_EQ(tree.depth(tree.find(Label::parse("moss")).value()), 1u);
}

TEST(ParentList, ErrorsNameTheLine) {
  EXPECT_EQ(problem_of("a b\nc d e\n"),
            "mem:2:5: expected a node and its parent, found \"e\" as well");
  EXPECT_EQ(problem_of("a b\n\n  a c\n"), "mem:3:3: the node \"a\" has a line already, line 1");
  EXPECT_EQ(problem_of("1 b\n1.0 c\n"), "mem:2:1: the node \"1.0\" has a line already, line 1");
  EXPECT_EQ(problem_of("a a\n"), "mem:1: the node \"a\" is above itself");
  EXPECT_EQ(problem_of("x a\na b\nb c\nc a\n"), "mem:2: the node \"a\" is above itself");
  EXPECT_EQ(problem_of(std::string("a b\nc\0d e\n", 10)),
            "mem:2:2: a NUL byte: this is no list of parents");
  EXPECT_EQ(problem_of("# nothing\n"), "mem: holds no nodes");
  EXPECT_EQ(problem_of(""), "mem: holds no nodes");
}

TEST(ParentList, WhatIsWrittenReadsBack) {
  const Taxonomy tree = read("dog mammal\ncat mammal\n3 9\nmoss\nmammal animal\n");
  const Taxonomy copy = read(to_text(tree));
  ASSERT_EQ(copy.size(), tree.size());
  for (std::uint32_t v = 0; v < tree.size(); ++v) {
    EXPECT_EQ(copy.name(v), tree.name(v));
    EXPECT_EQ(copy.parent(v), tree.parent(v));
  }
  for (const char* name : {"two words", "", "a#b", "12"}) {
    const Taxonomy odd(std::vector<TaxonomyLink>{{.node = Label(std::string(name))}});
    EXPECT_THROW(static_cast<void>(to_text(odd)), InvalidArgument) << name;
  }
}

}  // namespace
}  // namespace maxmargin
