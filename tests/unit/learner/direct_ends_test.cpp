// SPDX-License-Identifier: Apache-2.0
//
// What training functions say of their end when a program calls them without the table of learners:
// the same. docs/guide/report.md, "Status".
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "maxmargin/cluster/hierarchical/hierarchical.hpp"
#include "maxmargin/cluster/kmeans/kernel_kmeans.hpp"
#include "maxmargin/cluster/kmeans/kmeans.hpp"
#include "maxmargin/cluster/kmedoids/kmedoids.hpp"
#include "maxmargin/cluster/mixture/mixture.hpp"
#include "maxmargin/cluster/mmc/alternating.hpp"
#include "maxmargin/cluster/mmc/cutting_plane.hpp"
#include "maxmargin/cluster/mmc/mmc.hpp"
#include "maxmargin/cluster/mmc/multiclass.hpp"
#include "maxmargin/cluster/relabeler/relabeler.hpp"
#include "maxmargin/cluster/spectral/spectral.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/model/robust/ramp_svc.hpp"
#include "maxmargin/model/robust/robust_svc.hpp"
#include "maxmargin/model/semi/multiclass_s3vm.hpp"
#include "maxmargin/model/semi/s3vm.hpp"
#include "maxmargin/model/semi/s3vm_cccp.hpp"
#include "maxmargin/model/semi/tsvm.hpp"

namespace maxmargin {
namespace {

Dataset points() { return make_builtin("gaussians,n=40,seed=3"); }

Dataset with_few_labels() {
  Dataset data = points();
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (i % 4 != 0) data.labels.clear(i);
  }
  return data;
}

/// A search that came to its own end: solved is said of a gap within the tolerance alone.
void expect_search(const std::string& name, const SolveReport& report, double tolerance = 1e-3) {
  SCOPED_TRACE(name);
  ASSERT_TRUE(is_success(report.status)) << to_string(report.status) << ": " << report.message;
  const auto gap = report.relative_gap();
  const bool is_closed = gap && *gap <= tolerance;
  EXPECT_EQ(report.status, is_closed ? Status::solved : Status::local_optimum);
}

TEST(DirectEnds, OfRobustMachines) {
  const Dataset data = points();
  expect_search("ramp", train_ramp_svc(data, {}).report);
  expect_search("direct ramp", train_ramp_svc(data, {.multiclass = MulticlassKind::direct}).report);
  expect_search("trimmed", train_trimmed_svc(data, {.rho = 0.9}).report);
  expect_search("linear ramp", train_linear_ramp_svc(data, {}).report);
  expect_search("robust", train_robust_svc(data, {}).report);
  expect_search("outlier", train_outlier_svc(data, {.rho = 0.9}).report);
  // Nothing may be left out: a convex problem, whose dual is the bound.
  EXPECT_EQ(train_trimmed_svc(data, {.rho = 1}).report.status, Status::solved);
}

TEST(DirectEnds, OfMachinesOfFewLabels) {
  const Dataset data = with_few_labels();
  expect_search("tsvm", train_tsvm(data, {}).semi_supervised.report);
  expect_search("cccp", train_s3vm_cccp(data, {}).semi_supervised.report);
  expect_search("s3vm", train_s3vm(data, {}).machines.semi_supervised.report);
  expect_search("direct s3vm", train_multiclass_s3vm(data, {}).machines.semi_supervised.report);
  EXPECT_EQ(train_tsvm(data, {}).supervised.report.status, Status::solved);
}

TEST(DirectEnds, OfClusterings) {
  const Dataset data = points();
  const Kernel rbf = Rbf{.gamma = 0.5};
  const Dataset plain{.examples = data.examples};
  expect_search("kmeans", cluster_kmeans(plain, {.k = 2}).report);
  expect_search("kernel k-means", cluster_kernel_kmeans(plain, rbf, {.k = 2}).report);
  expect_search("kmedoids", cluster_kmedoids(plain, Distance::euclidean, {.k = 2}).report);
  expect_search("mixture", cluster_mixture(plain, {.k = 2}).report);
  expect_search("spectral", cluster_spectral(plain, {.k = 2}).report);
  expect_search("relabeler", cluster_relabeler(plain, rbf, {.k = 2}).clustering.report);
  expect_search("mmc", cluster_mmc(plain, rbf, {}).clustering.report);
  expect_search("multiclass mmc", cluster_multiclass_mmc(plain, rbf, {.k = 3}).clustering.report);
  expect_search("alternating", cluster_mmc_alternating(plain, rbf, {.k = 2}).report);
  expect_search("cutting plane", cluster_mmc_cutting_plane(plain, {}).report);
  expect_search("ward", cluster_hierarchical(plain, {.k = 2, .linkage = Linkage::ward}).report);
}

}  // namespace
}  // namespace maxmargin
