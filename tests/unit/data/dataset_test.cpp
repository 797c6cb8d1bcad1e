// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/dataset.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

DenseMatrix three_by_two() {
  const std::vector<double> values = {1, 0, 0, 2, 3, 0};
  return DenseMatrix(3, 2, Buffer<double>(std::span<const double>(values)));
}

Dataset full_dataset() {
  return {.examples = three_by_two(),
          .labels = LabelColumn::from_numbers({1, 2, std::nan("")}),
          .weights = {1, 0, 2.5},
          .groups = {7, 7, 8},
          .feature_names = {"a", "b"},
          .source = "test"};
}

std::string message_of(const Dataset& data) {
  try {
    data.validate();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "valid";
}

TEST(Examples, DenseAndSparseSayTheSame) {
  const Examples dense = three_by_two();
  const Examples sparse = to_sparse(three_by_two().view());
  EXPECT_TRUE(dense.is_dense());
  EXPECT_FALSE(sparse.is_dense());
  for (const Examples& examples : {dense, sparse}) {
    EXPECT_EQ(examples.rows(), 3u);
    EXPECT_EQ(examples.cols(), 2u);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_EQ(examples.row(i).at(j), three_by_two()(i, j));
        EXPECT_EQ(examples.to_dense()(i, j), three_by_two()(i, j));
      }
    }
  }
  EXPECT_EQ(dense.entries(), 6u);
  EXPECT_EQ(sparse.entries(), 3u);
}

TEST(Examples, SelectRepeatsReordersAndRefusesRowsThatAreNotThere) {
  for (const Examples& examples :
       {Examples(three_by_two()), Examples(to_sparse(three_by_two().view()))}) {
    const std::vector<std::size_t> rows = {2, 0, 2, 1};
    const Examples chosen = examples.select(rows);
    EXPECT_EQ(chosen.is_dense(), examples.is_dense());
    EXPECT_EQ(chosen.rows(), 4u);
    EXPECT_EQ(chosen.cols(), 2u);
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_EQ(chosen.row(i).at(j), examples.row(rows[i]).at(j));
      }
    }
    EXPECT_EQ(examples.select({}).rows(), 0u);
    EXPECT_EQ(examples.select({}).cols(), 2u);
    EXPECT_THROW((void)examples.select(std::vector<std::size_t>{3}), InvalidArgument);
  }
}

TEST(Examples, ByDefaultThereAreNone) {
  const Examples examples;
  EXPECT_EQ(examples.rows(), 0u);
  EXPECT_EQ(examples.cols(), 0u);
  EXPECT_EQ(examples.entries(), 0u);
}

TEST(Dataset, SelectTakesEverythingKnownAboutTheRows) {
  const Dataset data = full_dataset();
  const Dataset chosen = data.select(std::vector<std::size_t>{2, 1, 2});
  chosen.validate();
  EXPECT_EQ(chosen.size(), 3u);
  EXPECT_EQ(chosen.examples.row(0).at(0), 3);
  EXPECT_FALSE(chosen.labels.at(0).has_value());
  EXPECT_EQ(chosen.labels.at(1), Label(2.0));
  EXPECT_EQ(chosen.weights, (std::vector<double>{2.5, 0, 2.5}));
  EXPECT_EQ(chosen.groups, (std::vector<std::int64_t>{8, 7, 8}));
  EXPECT_EQ(chosen.feature_names, data.feature_names);
  EXPECT_EQ(chosen.source, "test");
}

TEST(Dataset, SelectKeepsMissingPartsMissing) {
  const Dataset data = {.examples = three_by_two()};
  const Dataset chosen = data.select(std::vector<std::size_t>{1});
  EXPECT_FALSE(chosen.has_labels());
  EXPECT_TRUE(chosen.weights.empty());
  EXPECT_TRUE(chosen.groups.empty());
  EXPECT_TRUE(chosen.label_sets.empty());
}

TEST(Dataset, SelectTakesLabelSetsToo) {
  Dataset data = {.examples = three_by_two()};
  data.label_sets = {{Label(1.0)}, {}, {Label(1.0), Label(4.0)}};
  const Dataset chosen = data.select(std::vector<std::size_t>{2, 1});
  ASSERT_EQ(chosen.label_sets.size(), 2u);
  EXPECT_EQ(chosen.label_sets[0], data.label_sets[2]);
  EXPECT_TRUE(chosen.label_sets[1].empty());
}

TEST(Dataset, SelectRefusesRowsThatAPartDoesNotHave) {
  Dataset data = full_dataset();
  data.weights.pop_back();
  EXPECT_THROW((void)data.select(std::vector<std::size_t>{2}), InvalidArgument);
  data = full_dataset();
  data.labels = LabelColumn::from_numbers({1});
  EXPECT_THROW((void)data.select(std::vector<std::size_t>{1}), InvalidArgument);
  EXPECT_THROW((void)full_dataset().select(std::vector<std::size_t>{3}), InvalidArgument);
}

TEST(Dataset, ValidDataPass) {
  EXPECT_EQ(message_of(full_dataset()), "valid");
  EXPECT_EQ(message_of({}), "valid");
  EXPECT_EQ(message_of({.examples = three_by_two()}), "valid");
}

TEST(Dataset, ValidateFindsPartsOfTheWrongLength) {
  Dataset data = full_dataset();
  data.labels.push_back_number(1);
  EXPECT_EQ(message_of(data), "Dataset: one label a row");
  data = full_dataset();
  data.label_sets.resize(2);
  EXPECT_EQ(message_of(data), "Dataset: one label set a row");
  data = full_dataset();
  data.weights.pop_back();
  EXPECT_EQ(message_of(data), "Dataset: one weight a row");
  data = full_dataset();
  data.groups.push_back(1);
  EXPECT_EQ(message_of(data), "Dataset: one group a row");
  data = full_dataset();
  data.feature_names.pop_back();
  EXPECT_EQ(message_of(data), "Dataset: one name a feature");
}

TEST(Dataset, ValidateNamesTheBadValue) {
  Dataset data = full_dataset();
  data.weights[1] = -0.5;
  EXPECT_EQ(message_of(data), "the weight of row 1 (from 0) = -0.5, must be finite and >= 0");
  data.weights[1] = HUGE_VAL;
  EXPECT_EQ(message_of(data), "the weight of row 1 (from 0) = inf, must be finite and >= 0");
  data = full_dataset();
  data.examples.writable_values(2)[1] = std::nan("");
  EXPECT_EQ(message_of(data), "Dataset: row 2, feature 1 is nan, must be finite");
  data.examples = to_sparse(three_by_two().view());
  data.examples.writable_values(1)[0] = -HUGE_VAL;
  EXPECT_EQ(message_of(data), "Dataset: row 1, feature 1 is -inf, must be finite");
}

}  // namespace
}  // namespace maxmargin
