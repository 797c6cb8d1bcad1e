// SPDX-License-Identifier: Apache-2.0
//
// Projections in files: the header that models have, and the same scores again.
#include "maxmargin/learner/projection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/version.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/learner/model.hpp"
#include "temporary_folder.hpp"

namespace maxmargin {
namespace {

class Projections : public testing::TestWithParam<ProjectionKind> {
 protected:
  [[nodiscard]] Projection found() const {
    return train_projection(GetParam(), iris_, {}, {.seed = 7}).projection;
  }
  const Dataset iris_ = make_builtin("iris");
  TemporaryFolder folder_;
};

TEST_P(Projections, ComeBackFromTheirFilesWithTheirHeader) {
  const Projection first = found();
  for (const ModelFormat format : {ModelFormat::text, ModelFormat::binary}) {
    const std::string path = folder_.path("p.mm");
    save_projection(first, path, format);
    const Projection again = load_projection(path);
    EXPECT_EQ(again.kind(), GetParam());
    const ModelHeader& header = again.header();
    EXPECT_EQ(header.task, "projection");
    EXPECT_EQ(header.library, MAXMARGIN_VERSION);
    EXPECT_EQ(header.seed, 7U);
    EXPECT_EQ(header.examples, 150U);
    EXPECT_EQ(header.status, Status::solved);
    ASSERT_FALSE(header.options.empty());
    EXPECT_EQ(header.options.front(), (OptionScalars::value_type{"components", std::int64_t{2}}));
    EXPECT_EQ(header.options.size() > 1, GetParam() == ProjectionKind::kernel_pca);
    const DenseMatrix before = first.transform(iris_);
    const DenseMatrix after = again.transform(iris_);
    ASSERT_EQ(after.cols(), before.cols());
    EXPECT_TRUE(std::ranges::equal(after.values(), before.values()));
  }
}

TEST_P(Projections, AreNoModelsOfALearner) {
  const std::string path = folder_.path("p.mm");
  save_projection(found(), path);
  try {
    (void)load_model(path);
    FAIL() << "was read";
  } catch (const ModelFormatError& error) {
    EXPECT_NE(std::string(error.what()).find("is a projection by "), std::string::npos)
        << error.what();
  }
}

TEST_P(Projections, RefuseOptionsThatTheyDoNotHave) {
  ModelDocument document = found().document();
  document.set_number("option.nu", 0.5);
  EXPECT_THROW((void)Projection::of(document), ModelFormatError);
}

INSTANTIATE_TEST_SUITE_P(Kinds,
                         Projections,
                         testing::Values(ProjectionKind::pca,
                                         ProjectionKind::kernel_pca,
                                         ProjectionKind::lda));

}  // namespace
}  // namespace maxmargin
