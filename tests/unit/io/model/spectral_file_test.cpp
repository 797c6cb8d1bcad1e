// SPDX-License-Identifier: Apache-2.0
#include "io/model/spectral_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/iris.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

bool same(const DenseMatrix& a, const DenseMatrix& b) {
  return a.rows() == b.rows() && std::ranges::equal(a.values(), b.values());
}

ModelDocument document_of(const SpectralModel& model) {
  ModelDocument document("spectral");
  add_spectral(document, model);
  return document;
}

TEST(SpectralFile, ModelsComeBackBitForBit) {
  const Dataset data{.examples = gaussian_points(40, 2, 1)};
  const Dataset sparse{.examples = to_sparse(data.examples.dense())};
  for (const SpectralMethod method : {SpectralMethod::ng_jordan_weiss,
                                      SpectralMethod::normalized_cut,
                                      SpectralMethod::ratio_cut,
                                      SpectralMethod::min_cut}) {
    for (const std::size_t k : {1u, 4u}) {
      for (const Dataset* set : {&data, &sparse}) {
        const SpectralModel model =
            cluster_spectral(*set, {.method = method, .k = k, .neighbours = 20}).model;
        const SpectralModel back = spectral_of(document_of(model));
        EXPECT_EQ(back.method, model.method);
        EXPECT_EQ(back.neighbours, model.neighbours);
        EXPECT_EQ(back.clusters, model.clusters);
        EXPECT_TRUE(same(back.coefficients, model.coefficients));
        EXPECT_TRUE(same(back.centres, model.centres));
        EXPECT_TRUE(same(back.splits, model.splits));
        EXPECT_EQ(gamma_of(back.kernel), gamma_of(model.kernel));
        EXPECT_EQ(back.predict(set->examples), model.predict(set->examples));
      }
    }
  }
}

TEST(SpectralFile, KernelComponentsComeBackBitForBit) {
  const Dataset data = iris();
  for (const std::size_t rows : {150u, 1u}) {
    std::vector<std::size_t> first;
    for (std::size_t i = 0; i < rows; ++i) first.push_back(i);
    const KernelPcaModel model = train_kernel_pca(data.select(first), {.components = 3}).model;
    ModelDocument document("kernel-pca");
    add_kernel_pca(document, model);
    const KernelPcaModel back = kernel_pca_of(document);
    EXPECT_EQ(back.eigenvalues, model.eigenvalues);
    EXPECT_EQ(back.total_variance, model.total_variance);
    EXPECT_TRUE(same(back.transform(data.examples), model.transform(data.examples)));
  }
}

TEST(SpectralFile, BrokenModelsAreRefused) {
  const Dataset data = iris();
  const SpectralModel good = cluster_spectral(data, {.k = 3}).model;
  SpectralModel model = good;
  model.clusters.back() = 3;
  EXPECT_THROW((void)spectral_of(document_of(model)), ModelFormatError);
  model = good;
  model.clusters.pop_back();
  EXPECT_THROW((void)spectral_of(document_of(model)), ModelFormatError);
  model = good;
  model.centres = DenseMatrix(2, 3);
  EXPECT_THROW((void)spectral_of(document_of(model)), ModelFormatError);
  model = cluster_spectral(data, {.method = SpectralMethod::ratio_cut, .k = 3}).model;
  model.splits(1, 4) = 1;
  EXPECT_THROW((void)spectral_of(document_of(model)), ModelFormatError);
  ModelDocument other("spectral");
  other.set_string("cut", "paper");
  EXPECT_THROW((void)spectral_of(other), ModelFormatError);
}

}  // namespace
}  // namespace maxmargin
