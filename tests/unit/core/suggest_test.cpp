// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/suggest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsChangesAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("circels", "circles"), 1u);
  EXPECT_EQ(edit_distance("moon", "moons"), 1u);
  EXPECT_EQ(edit_distance("nose", "noise"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("SEED", "seed"), 0u);
}

TEST(EditDistance, IsSymmetricAndZeroOnlyForEqualWords) {
  Rng rng(4);
  const auto word = [&] {
    std::string text;
    for (std::size_t i = rng.index(6); i > 0; --i) text += static_cast<char>('a' + rng.index(3));
    return text;
  };
  for (int trial = 0; trial < 500; ++trial) {
    const std::string a = word();
    const std::string b = word();
    EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << ' ' << b;
    EXPECT_EQ(edit_distance(a, b) == 0, a == b);
    EXPECT_LE(edit_distance(a, b), std::max(a.size(), b.size()));
    EXPECT_LE(edit_distance(a, b + "x"), edit_distance(a, b) + 1);
  }
}

TEST(NearestName, TakesTheFirstOfEqualsAndNothingThatIsFar) {
  const std::array<std::string_view, 4> known = {"iris", "circles", "moons", "noons"};
  EXPECT_EQ(nearest_name("circels", known), "circles");
  EXPECT_EQ(nearest_name("roons", known), "moons");
  EXPECT_EQ(nearest_name("noons", known), "noons");
  EXPECT_EQ(nearest_name("elephant", known), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name("x", std::array<std::string_view, 1>{"n"}), "n");
  EXPECT_EQ(nearest_name("iris", {}), "");
}

TEST(SuggestNames, ListsWhatIsKnown) {
  const std::array<std::string_view, 2> known = {"iris", "moons"};
  EXPECT_EQ(suggest_names("mons", known), "; did you mean moons? Known: iris, moons");
  EXPECT_EQ(suggest_names("elephant", known), "; known: iris, moons");
}

}  // namespace
}  // namespace maxmargin
