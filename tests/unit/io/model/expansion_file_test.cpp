// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

KernelExpansion sphere() {
  return {.kernel = Rbf{.gamma = 0.1},
          .vectors = matrix(2, {1, 2, 3, 4, 0, 1.0 / 3}),
          .coefficients = matrix(1, {0.25, 0.5, 1.25}),
          .offsets = {-0.125},
          .minus_self = true,
          .training_rows = {0, 4, 9}};
}

TEST(ExpansionFile, ComesBackAsItWas) {
  ModelDocument document("sv-clustering");
  add_expansion(document, sphere());
  EXPECT_EQ(machine_kind(document), MachineKind::none);
  const KernelExpansion read = expansion_of(document);
  EXPECT_EQ(gamma_of(read.kernel), 0.1);
  EXPECT_TRUE(read.minus_self);
  EXPECT_EQ(read.offsets, sphere().offsets);
  EXPECT_EQ(read.training_rows, sphere().training_rows);
  EXPECT_TRUE(std::ranges::equal(read.coefficients.values(), sphere().coefficients.values()));
  EXPECT_TRUE(
      std::ranges::equal(read.vectors.to_dense().values(), sphere().vectors.to_dense().values()));
}

TEST(ExpansionFile, ExamplesKeepTheirForm) {
  ModelDocument document("sv-clustering");
  const DenseMatrix points = matrix(3, {1, 0, 2, 0, 0, 0});
  add_examples(document, "dense", points);
  add_examples(document, "sparse", to_sparse(points.view()));
  EXPECT_TRUE(examples_of(document, "dense").is_dense());
  const Examples sparse = examples_of(document, "sparse");
  EXPECT_FALSE(sparse.is_dense());
  EXPECT_EQ(sparse.cols(), 3U);
  EXPECT_EQ(sparse.row(0).at(2), 2);
}

TEST(ExpansionFile, BrokenPartsAreRefused) {
  KernelExpansion broken = sphere();
  broken.offsets.clear();
  ModelDocument document("sv-clustering");
  EXPECT_THROW(add_expansion(document, broken), InvalidArgument);
  EXPECT_THROW(static_cast<void>(expansion_of(document)), ModelFormatError);
  EXPECT_THROW(static_cast<void>(examples_of(document, "members")), ModelFormatError);
}

}  // namespace
}  // namespace maxmargin
