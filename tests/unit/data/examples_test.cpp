// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/examples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/dataset.hpp"

namespace maxmargin {
namespace {

/// Somebody's rows: 3 of 2 columns, in lines of 4 numbers.
struct Lender {
  std::vector<double> dense = {1, 0, -9, -9, 0, 2, -9, -9, 3, 0, -9, -9};
  std::vector<std::int64_t> offsets = {0, 1, 2, 3};
  std::vector<std::int32_t> columns = {0, 1, 0};
  std::vector<double> values = {1, 2, 3};

  [[nodiscard]] DenseView lines() const { return {dense.data(), 3, 2, 4}; }
  [[nodiscard]] SparseView entries() const { return {offsets, columns, values, 2}; }
};

std::string refusal(const SparseView& rows) {
  try {
    (void)Examples::borrow(rows);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(BorrowedExamples, LookAtTheLendersMemory) {
  const Lender lender;
  const Examples dense = Examples::borrow(lender.lines());
  const Examples sparse = Examples::borrow(lender.entries());
  const Examples copy = dense;  // NOLINT(performance-unnecessary-copy-initialization): as copied
  EXPECT_EQ(dense.dense().data, lender.dense.data());
  EXPECT_EQ(copy.row(1).dense().data(), lender.dense.data() + 4);
  EXPECT_EQ(sparse.sparse().values.data(), lender.values.data());
  for (const Examples& examples : {dense, copy, sparse}) {
    EXPECT_TRUE(examples.borrows());
    EXPECT_EQ(examples.rows(), 3U);
    EXPECT_EQ(examples.cols(), 2U);
    EXPECT_EQ(examples.row(2).at(0), 3);
    EXPECT_EQ(examples.row(2).at(1), 0);
    EXPECT_EQ(examples.points().row(1).at(1), 2);
  }
  EXPECT_EQ(dense.entries(), 6U);
  EXPECT_EQ(sparse.entries(), 3U);
}

TEST(BorrowedExamples, WritingCopiesAndLeavesTheLenderAlone) {
  const Lender lender;
  for (Examples examples : {Examples::borrow(lender.lines()), Examples::borrow(lender.entries())}) {
    const Examples before = examples;
    examples.writable_values(2)[0] = 7;
    EXPECT_FALSE(examples.borrows());
    EXPECT_TRUE(before.borrows());
    EXPECT_EQ(examples.row(2).at(0), 7);
    EXPECT_EQ(before.row(2).at(0), 3);
    EXPECT_EQ(examples.row(1).at(1), 2);
  }
  EXPECT_EQ(lender.dense, Lender().dense);
  EXPECT_EQ(lender.values, Lender().values);
}

TEST(BorrowedExamples, OwnedOnesOutliveTheLender) {
  auto lender = std::make_shared<const Lender>();
  const std::weak_ptr<const Lender> watch = lender;
  Examples dense = Examples::borrow(lender->lines(), lender);
  Examples sparse = Examples::borrow(lender->entries(), lender);
  const Examples own_dense = dense.owned();
  const Examples own_sparse = sparse.owned();
  lender.reset();
  dense = {};
  EXPECT_FALSE(watch.expired());
  sparse = {};
  EXPECT_TRUE(watch.expired());
  for (const Examples& own : {own_dense, own_sparse}) {
    EXPECT_FALSE(own.borrows());
    EXPECT_EQ(own.row(0).at(0), 1);
    EXPECT_EQ(own.row(2).at(0), 3);
  }
  EXPECT_EQ(own_dense.dense().stride, 2U);
}

TEST(BorrowedExamples, TheHandleGoesWithTheLastUser) {
  auto lender = std::make_shared<const Lender>();
  const std::weak_ptr<const Lender> watch = lender;
  auto first = std::make_unique<Examples>(Examples::borrow(lender->lines(), lender));
  lender.reset();
  Examples second = *first;
  Examples third = std::move(*first);
  first.reset();
  EXPECT_FALSE(watch.expired());
  second.writable_values(0)[0] = 5;  // a copy now
  EXPECT_FALSE(watch.expired());
  const DenseMatrix taken = third.take_dense();
  EXPECT_TRUE(watch.expired());
  EXPECT_EQ(taken(2, 0), 3);
}

TEST(BorrowedExamples, MustObeyTheRulesOfTheirKind) {
  Lender lender;
  EXPECT_THROW((void)Examples::borrow(DenseView{lender.dense.data(), 3, 4, 2}), InvalidArgument);
  EXPECT_THROW((void)Examples::borrow(DenseView{nullptr, 3, 4, 4}), InvalidArgument);
  EXPECT_NO_THROW((void)Examples::borrow(DenseView{nullptr, 0, 4, 4}));
  const Examples one = Examples::borrow(DenseView{lender.dense.data(), 1, 4, 0});
  EXPECT_EQ(one.dense().stride,
            4U);  // products want the stride of rows that lie one behind another
  EXPECT_EQ(refusal(lender.entries()), "accepted");
  lender.columns = {0, 2, 0};
  EXPECT_EQ(refusal(lender.entries()),
            "sparse rows: row 1 must have strictly increasing columns below 2");
  lender = {};
  lender.offsets = {0, 0, 2, 3};
  lender.columns = {1, 0, 0};  // not sorted within row 1
  EXPECT_NE(refusal(lender.entries()).find("row 1 "), std::string::npos);
  lender = {};
  lender.offsets = {1, 1, 2, 3};
  EXPECT_NE(refusal(lender.entries()).find("offsets"), std::string::npos);
  lender = {};
  lender.values.pop_back();
  EXPECT_NE(refusal(lender.entries()).find("must agree"), std::string::npos);
  EXPECT_NE(refusal({}).find("offsets"), std::string::npos);
}

TEST(Examples, CopiesShareUntilOneIsWrittenTo) {
  for (const bool is_dense : {true, false}) {
    const Lender lender;
    Examples first = is_dense ? Examples::borrow(lender.lines()).owned()
                              : Examples::borrow(lender.entries()).owned();
    const double* const place = first.values(0).data();
    Examples second = first;
    EXPECT_EQ(second.values(0).data(), place);
    second.writable_values(0)[0] = 8;
    EXPECT_EQ(first.row(0).at(0), 1);
    EXPECT_EQ(second.row(0).at(0), 8);
    EXPECT_EQ(first.writable_values(0).data(), place);  // alone again: in place
    second = first;
    if (is_dense) {
      EXPECT_NE(second.take_dense().data(), place);  // shared: a copy
      EXPECT_EQ(first.take_dense().data(), place);   // alone: the matrix itself
    } else {
      EXPECT_NE(second.take_sparse().view().values.data(), place);
      EXPECT_EQ(first.take_sparse().view().values.data(), place);
    }
    EXPECT_EQ(first.rows(), 0U);
    EXPECT_EQ(second.rows(), 0U);
  }
}

TEST(Examples, SelectAndDenseCopiesKnowTheStride) {
  const Lender lender;
  const Examples lines = Examples::borrow(lender.lines());
  const Examples chosen = lines.select(std::vector<std::size_t>{2, 1});
  EXPECT_EQ(chosen.row(0).at(0), 3);
  EXPECT_EQ(chosen.row(1).at(1), 2);
  const DenseMatrix dense = lines.to_dense();
  EXPECT_TRUE(std::ranges::equal(dense.values(), std::vector<double>{1, 0, 0, 2, 3, 0}));
}

// NOLINTBEGIN(bugprone-use-after-move): the point of these tests

TEST(Examples, MovedFromAreEmptyAndCanBeUsedAgain) {
  const Lender lender;
  for (const Examples& source : {Examples::borrow(lender.lines()),
                                 Examples::borrow(lender.entries()),
                                 Examples::borrow(lender.lines()).owned(),
                                 Examples::borrow(lender.entries()).owned()}) {
    Examples from = source;
    const Examples to = std::move(from);
    EXPECT_EQ(to.rows(), 3U);
    EXPECT_EQ(from.rows(), 0U);
    EXPECT_EQ(from.cols(), 0U);
    EXPECT_EQ(from.entries(), 0U);
    EXPECT_FALSE(from.borrows());
    EXPECT_EQ(from.to_dense().rows(), 0U);
    EXPECT_EQ(from.take_dense().rows(), 0U);
    from = to;
    EXPECT_EQ(from.row(2).at(0), 3);
    Examples& itself = from;
    from = std::move(itself);
    EXPECT_EQ(from.rows(), 3U);
  }
}

TEST(Dataset, MovedFromIsEmpty) {
  Dataset from{.examples = DenseMatrix(2, 3, 1.0), .weights = {1, 2}};
  from.labels.push_back(Label("a"));
  from.labels.push_back(Label("b"));
  const Dataset to = std::move(from);
  EXPECT_EQ(to.size(), 2U);
  EXPECT_EQ(from.size(), 0U);
  EXPECT_EQ(from.features(), 0U);
  EXPECT_FALSE(from.has_labels());
  EXPECT_TRUE(from.weights.empty());
  EXPECT_NO_THROW(from.validate());
  from.labels.push_back(Label("c"));
  EXPECT_EQ(from.labels.at(0), Label("c"));
}

// NOLINTEND(bugprone-use-after-move)

}  // namespace
}  // namespace maxmargin
