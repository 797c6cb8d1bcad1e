// SPDX-License-Identifier: Apache-2.0
//
// Labels of maximum-margin clustering against other ways to labels, on five kinds of data at five
// widths and two costs. bench/studies/mmc_quality.cpp asks the same of more points.
#include <gtest/gtest.h>

#include "maxmargin/cluster/mmc/mmc.hpp"
#include "maxmargin/kernel/gamma.hpp"
#include "mmc_rivals.hpp"

namespace maxmargin {
namespace {

class MmcAcceptance : public ::testing::TestWithParam<std::size_t> {};

TEST_P(MmcAcceptance, LabelsAreAsGoodAsRoundingSpectralClustersAndTheTruthPolished) {
  const NamedData set = two_class_data(20, 5)[GetParam()];
  const double median = resolve_gamma(GammaRule::median(), set.data.examples);
  for (const double m : {0.25, 1.0, 4.0, 16.0, 64.0}) {
    for (const double c : {1.0, 100.0}) {
      const Rbf kernel{.gamma = m * median};
      const MmcClustering found = cluster_mmc(set.data, kernel, {.c = c}).clustering;
      const MmcRivals rivals = mmc_rivals(set.data, kernel, c);
      EXPECT_LE(found.objective, 1.01 * rivals.best())
          << set.name << ", m = " << m << ", C = " << c << ": eigenvector " << rivals.eigenvector
          << ", spectral " << rivals.spectral << ", truth " << rivals.truth;
      // The rivals' labels are balanced, so that the bound holds for them, too.
      EXPECT_LE(found.relaxation.lower_bound, rivals.best() * (1 + 1e-9))
          << set.name << ", m = " << m << ", C = " << c;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(FiveKinds, MmcAcceptance, ::testing::Range<std::size_t>(0, 5));

}  // namespace
}  // namespace maxmargin
