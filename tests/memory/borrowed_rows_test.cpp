// SPDX-License-Identifier: Apache-2.0
// Learners on rows that somebody else owns: the answers are those of rows of their own, nobody
// writes to the lender's memory, and nobody copies it whole.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "counted_memory.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/learner/learner.hpp"
#include "maxmargin/learner/projection.hpp"
#include "maxmargin/model/kernel/svc.hpp"
#include "walk_data.hpp"

namespace maxmargin {
namespace {

const Context one_thread{.threads = 1};

/// Memory that nobody can write to: a write ends the test program.
class Sealed {
 public:
  explicit Sealed(std::span<const std::byte> bytes)
      : size_(std::max<std::size_t>(1, bytes.size())) {
    place_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place_ == MAP_FAILED) throw std::bad_alloc();
    if (!bytes.empty()) std::memcpy(place_, bytes.data(), bytes.size());
    ::mprotect(place_, size_, PROT_READ);
  }
  Sealed(const Sealed&) = delete;
  Sealed& operator=(const Sealed&) = delete;
  ~Sealed() { ::munmap(place_, size_); }
  template <class T>
  [[nodiscard]] std::span<const T> as() const {
    return {static_cast<const T*>(place_), size_ / sizeof(T)};
  }

 private:
  void* place_ = nullptr;
  std::size_t size_ = 0;
};

template <class T>
std::shared_ptr<const Sealed> sealed(std::span<const T> values) {
  return std::make_shared<const Sealed>(std::as_bytes(values));
}

/// The same rows in sealed memory, lines of a matrix further apart than they are long.
Examples lent(const Examples& rows) {
  if (rows.is_dense()) {
    const std::size_t stride = rows.cols() + 3;
    std::vector<double> lines(rows.rows() * stride, 1e300);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      std::ranges::copy(rows.values(i), lines.begin() + static_cast<std::ptrdiff_t>(i * stride));
    }
    const auto memory = sealed(std::span<const double>(lines));
    return Examples::borrow(
        DenseView{memory->as<double>().data(), rows.rows(), rows.cols(), stride}, memory);
  }
  struct Parts {
    std::shared_ptr<const Sealed> offsets;
    std::shared_ptr<const Sealed> columns;
    std::shared_ptr<const Sealed> values;
  };
  const SparseView& view = rows.sparse();
  const auto parts = std::make_shared<const Parts>(
      Parts{sealed(view.offsets), sealed(view.columns), sealed(view.values)});
  return Examples::borrow(SparseView{parts->offsets->as<std::int64_t>(),
                                     parts->columns->as<std::int32_t>(),
                                     parts->values->as<double>(),
                                     view.cols},
                          parts);
}

std::string answer_of(const Learner& learner, const Training& trained, const LearnerData& data) {
  std::string answer = trained.model ? model_bytes(*trained.model) : "";
  for (const std::int32_t cluster : trained.clusters) answer += std::to_string(cluster) + ' ';
  if (trained.model) answer += learner.predict(*trained.model, data, {}, one_thread).lines;
  return answer;
}

class EveryLearnerOfRows : public ::testing::TestWithParam<const Learner*> {
 protected:
  [[nodiscard]] static Training train(const LearnerData& data) {
    return GetParam()->train(data,
                             {.options = walk::needed_options(*GetParam()), .context = one_thread});
  }
  /// Data of this learner as they are, or the same rows in the other kind of matrix.
  [[nodiscard]] static Dataset rows(bool other_kind) {
    Dataset data = std::get<TableData>(walk::data_for(GetParam()->info())).data;
    if (!other_kind) return data;
    if (data.examples.is_dense()) {
      data.examples = to_sparse(data.examples.dense());
    } else {
      data.examples = data.examples.to_dense();
    }
    return data;
  }
};

TEST_P(EveryLearnerOfRows, GivesTheAnswerOfRowsOfItsOwnAndKeepsNone) {
  for (const bool other_kind : {false, true}) {
    Dataset own = rows(other_kind);
    Dataset borrowed = own;
    borrowed.examples = lent(own.examples);
    auto handle = std::make_shared<const Examples>(borrowed.examples);
    const std::weak_ptr<const Examples> watch = handle;
    borrowed.examples = handle->is_dense() ? Examples::borrow(handle->dense(), handle)
                                           : Examples::borrow(handle->sparse(), handle);
    handle.reset();

    const Training expected = train(TableData{.data = own});
    const Training trained = train(TableData{.data = borrowed});
    EXPECT_EQ(answer_of(*GetParam(), trained, TableData{.data = borrowed}),
              answer_of(*GetParam(), expected, TableData{.data = own}));
    EXPECT_TRUE(borrowed.examples.borrows());
    EXPECT_FALSE(watch.expired());
    borrowed = {};
    EXPECT_TRUE(watch.expired()) << "the training keeps rows that are borrowed";
    EXPECT_EQ(answer_of(*GetParam(), trained, TableData{.data = own}),
              answer_of(*GetParam(), expected, TableData{.data = own}));
  }
}

std::vector<const Learner*> learners_of_rows() {
  std::vector<const Learner*> chosen;
  for (const Learner* each : learners()) {
    const DataKind kind = each->info().data;
    if (kind == DataKind::table || kind == DataKind::label_sets || kind == DataKind::queries) {
      chosen.push_back(each);
    }
  }
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Borrowed,
                         EveryLearnerOfRows,
                         ::testing::ValuesIn(learners_of_rows()),
                         [](const auto& each) {
                           std::string name(each.param->info().name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(BorrowedRows, ProjectionsAreThoseOfRowsOfTheirOwn) {
  const Dataset own = std::get<TableData>(walk::data_for(learner("svc").info())).data;
  for (const ProjectionKind kind :
       {ProjectionKind::pca, ProjectionKind::kernel_pca, ProjectionKind::lda}) {
    Dataset borrowed = own;
    borrowed.examples = lent(own.examples);
    const TrainedProjection expected = train_projection(kind, own, {}, one_thread);
    const TrainedProjection found = train_projection(kind, borrowed, {}, one_thread);
    const DenseMatrix a = expected.projection.transform(own.examples);
    const DenseMatrix b = found.projection.transform(borrowed.examples);
    EXPECT_TRUE(std::ranges::equal(a.values(), b.values()));
    borrowed = {};
    const DenseMatrix c = found.projection.transform(own.examples);
    EXPECT_TRUE(std::ranges::equal(a.values(), c.values()));
  }
}

TEST(BorrowedRows, KernelsThatHoldTrainingExamplesHoldCopies) {
  const Dataset own = std::get<TableData>(walk::data_for(learner("svc").info())).data;
  for (const char* const kernel : {"center(rbf)", "iterate(rbf)"}) {
    Dataset borrowed = own;
    borrowed.examples = lent(own.examples);
    auto handle = std::make_shared<const Examples>(borrowed.examples);
    const std::weak_ptr<const Examples> watch = handle;
    borrowed.examples = Examples::borrow(handle->dense(), handle);
    handle.reset();
    const SvcOptions options{.kernel = KernelChoice::parse(kernel)};
    const TrainedClassifier trained = train_svc(borrowed, options);
    borrowed = {};
    EXPECT_TRUE(watch.expired()) << kernel;
    EXPECT_EQ(trained.model.predict(own), train_svc(own, options).model.predict(own)) << kernel;
  }
}

/// A matrix that is large beside what else a training needs (100 bytes a row, and matrices of
/// columns x columns), in memory that is not counted. No column has a mean that k-means could take
/// off without rounding: then it works on a shifted copy.
struct LargeRows {
  static constexpr std::size_t rows = 40000;
  static constexpr std::size_t cols = 100;

  explicit LargeRows(bool sparse) {
    Rng rng(2, "large rows", 0);
    for (std::size_t i = 0; i < rows; ++i) labels.push_back(i % 2 == 0 ? 1.0 : -1.0);
    std::vector<double> values;
    std::vector<std::int64_t> offsets = {0};
    std::vector<std::int32_t> columns;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < cols; ++j) {
        values.push_back(rng.normal() + (j == 0 ? 2 * labels[i] : 0.0));
        if (sparse) columns.push_back(static_cast<std::int32_t>(j));
      }
      offsets.push_back(static_cast<std::int64_t>(values.size()));
    }
    const DenseView view{values.data(), rows, cols, cols};
    examples = lent(sparse ? Examples::borrow(SparseView{offsets, columns, values, cols})
                           : Examples::borrow(view));
    bytes = sparse ? 12 * values.size() : 8 * values.size();
  }

  [[nodiscard]] Dataset data() const {
    return {.examples = examples, .labels = LabelColumn::from_numbers(labels)};
  }

  std::vector<double> labels = {};
  Examples examples = {};
  std::size_t bytes = 0;
};

class LargeBorrowedRows : public ::testing::TestWithParam<bool> {};

TEST_P(LargeBorrowedRows, AreNeverCopiedWhole) {
  const LargeRows large(GetParam());
  const Dataset data = large.data();
  const auto expect_little = [&](const std::string& what, const auto& work) {
    const std::size_t before = test::bytes_in_use();
    test::forget_peak();
    auto result = work();
    EXPECT_LT(test::peak_bytes() - before, large.bytes / 4) << what;
    EXPECT_LT(test::largest_block(), large.bytes / 8) << what;
    return result;
  };
  const Training svc = expect_little("linear-svc", [&] {
    return train("linear-svc", data, {{"tolerance", 0.1}}, one_thread);
  });
  (void)expect_little("linear-svc, predict",
                      [&] { return predict(*svc.model, data, {}, one_thread); });
  const Training kmeans = expect_little("kmeans", [&] {
    return train("kmeans", data, {{"k", 3}, {"restarts", 1}}, one_thread);
  });
  (void)expect_little("kmeans, predict",
                      [&] { return predict(*kmeans.model, data, {}, one_thread); });
  (void)expect_little("pca",
                      [&] { return train_projection(ProjectionKind::pca, data, {}, one_thread); });
}

TEST(LargeRows, OfTheirOwnAreCountedWhenTheyAreCopied) {
  const LargeRows large(false);
  test::forget_peak();
  const std::size_t before = test::bytes_in_use();
  const Examples copy = large.examples.owned();
  EXPECT_GE(test::bytes_in_use() - before, large.bytes);
  EXPECT_GE(test::peak_bytes() - before, large.bytes);
  EXPECT_GE(test::largest_block(), large.bytes);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LargeBorrowedRows, ::testing::Values(false, true));

}  // namespace
}  // namespace maxmargin
