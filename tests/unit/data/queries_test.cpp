// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/queries.hpp"

#include <gtest/gtest.h>

#include <string>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

using Groups = std::vector<std::int64_t>;
using Begins = std::vector<std::size_t>;

template <class Call>
std::string problem_of(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "none";
}

Dataset dataset(std::vector<double> grades, Groups groups) {
  Dataset data;
  data.examples = DenseMatrix(grades.size(), 1);
  data.labels = LabelColumn::from_numbers(std::move(grades));
  data.groups = std::move(groups);
  data.source = "mem";
  return data;
}

TEST(Queries, GroupsAreRunsOfRows) {
  EXPECT_EQ(group_begins(Groups{}), Begins{0});
  EXPECT_EQ(group_begins(Groups{7}), (Begins{0, 1}));
  EXPECT_EQ(group_begins(Groups{2, 2, -1, 5, 5, 5}), (Begins{0, 2, 3, 6}));
}

TEST(Queries, AGroupThatComesBackIsRefused) {
  EXPECT_EQ(problem_of([] {
              return group_begins(Groups{1, 1, 2, 1});
            }),
            "row 3 (from 0): the group 1 comes back after another one; expected the rows of a "
            "group together");
}

TEST(Queries, OfADataSetAreItsGroupsAndLabels) {
  const Queries queries = queries_of(dataset({2, 0, 1}, {4, 4, 9}));
  EXPECT_EQ(queries.begins, (Begins{0, 2, 3}));
  EXPECT_EQ(queries.grades, (std::vector<double>{2, 0, 1}));
  EXPECT_EQ(queries.grades_of(1).size(), 1u);
  EXPECT_EQ(queries_of(dataset({2, 0, 1}, {})).begins, (Begins{0, 3}));
  EXPECT_EQ(queries_of(dataset({}, {})).size(), 0u);
}

TEST(Queries, EveryRowNeedsANumberAsGrade) {
  Dataset data = dataset({2, 0, 1}, {});
  data.labels.clear(1);
  EXPECT_EQ(problem_of([&] { return queries_of(data); }),
            "mem, row 1 (from 0): no label; ranking needs a grade for every row");
  data.labels = LabelColumn::from_labels(
      std::vector<Label>{Label(1.0), Label(2.0), Label(std::string("good"))});
  EXPECT_EQ(problem_of([&] { return queries_of(data); }),
            "mem, row 2 (from 0): the label \"good\" is no number; ranking needs a grade for every "
            "row");
  data.labels = {};
  EXPECT_EQ(problem_of([&] { return queries_of(data); }),
            "mem has no grades: ranking needs a number as label of every row");
}

}  // namespace
}  // namespace maxmargin
