// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/sv/clustering.hpp"
#include "maxmargin/core/options.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "maxmargin/data/generators.hpp"
#include "sv_clustering_cases.hpp"

namespace maxmargin {
namespace {

/// Stops in the named phase.
ProgressCallback stop_in(std::string_view phase, Continue answer = Continue::stop) {
  return [phase, answer](const Progress& progress) {
    return progress.phase == phase ? answer : Continue::yes;
  };
}

/// The phases in which the caller was asked, and how often.
std::map<std::string, int> phases_asked(const Dataset& data, SvClusteringOptions options) {
  std::map<std::string, int> asked;
  options.context.on_progress = [&](const Progress& progress) {
    ++asked[std::string(progress.phase)];
    return Continue::yes;
  };
  static_cast<void>(cluster_sv(data, options));
  return asked;
}

TEST(SvClustering, AStopInTheSphereStillLabels) {
  SvClusteringOptions options{.kernel = Rbf{.gamma = 2}};
  options.context.on_progress = [](const Progress&) { return Continue::stop; };
  const SvClustering found = cluster_sv(blobs(100, 2, 4), options);
  EXPECT_EQ(found.report.status, Status::stopped_by_callback);
  EXPECT_GE(*found.report.gap(), 0);
  EXPECT_GT(found.sizes.size(), 0U);
  EXPECT_LT(found.sizes.size(), 100U);
}

TEST(SvClustering, AfterAStopTheWorkIsBounded) {
  // The contour of a narrow kernel falls into many pieces: all pairs would be a million segments.
  const Dataset data = blobs(1500, 2, 4);
  for (const ProximityGraph graph : all_graphs) {
    SCOPED_TRACE(to_string(graph));
    SvClusteringOptions options{.kernel = Rbf{.gamma = 50}, .nu = 0.1, .graph = graph};
    bool stopped = false;
    std::size_t asked_again = 0;
    options.context.on_progress = [&](const Progress&) {
      if (stopped) ++asked_again;
      stopped = true;
      return Continue::time_is_up;
    };
    const SvClustering found = cluster_sv(data, options);
    EXPECT_EQ(found.report.status, Status::time_limit);
    EXPECT_EQ(asked_again, 0U);
    EXPECT_GT(found.segments, 0U);
    EXPECT_LE(found.segments, 512U * 10 + 511);  // neighbours and links of 512 points
    EXPECT_GT(found.sizes.size(), 0U);
    EXPECT_NE(found.report.message.find("512 points"), std::string::npos);
    EXPECT_NO_THROW(validate(found.model));
  }
}

TEST(SvClustering, AStoppedAnswerHasTheShapeOfTheWholeOne) {
  const Dataset rings = generate_circles({.n = 1200, .noise = 0.03, .seed = 2});
  for (const std::string_view phase : {"graph", "labelling"}) {
    SvClusteringOptions options{.kernel = Rbf{.gamma = 2.4},
                                .context = {.on_progress = stop_in(phase)}};
    const SvClustering found = cluster_sv(rings, options);
    EXPECT_EQ(found.report.status, Status::stopped_by_callback);
    EXPECT_EQ(found.sizes, (std::vector<std::size_t>{600, 600})) << phase;
  }
}

TEST(SvClustering, IsAskedInTheGraphAndInTheLabelling) {
  const Dataset data = blobs(2500, 2, 4);
  for (const ProximityGraph graph : {ProximityGraph::knn, ProximityGraph::mst}) {
    const auto asked =
        phases_asked(data, {.kernel = Rbf{.gamma = 0.1}, .graph = graph, .samples = 1});
    EXPECT_GE(asked.at("graph"), graph == ProximityGraph::mst ? 2 : 1);  // lists, rounds of links
    EXPECT_GE(asked.at("labelling"), 2);
  }
  // Few support vectors: most segments are those of other points that look for one.
  const auto asked =
      phases_asked(data, {.kernel = Rbf{.gamma = 0.1}, .graph = ProximityGraph::support_vectors});
  EXPECT_GE(asked.at("labelling"), 3);
}

TEST(SvClustering, ALimitOfIterationsDoesNotTakeTheStopAway) {
  SvClusteringOptions options{.kernel = Rbf{.gamma = 2}, .max_iterations = 1};
  EXPECT_EQ(cluster_sv(blobs(100, 2, 4), options).report.status, Status::iteration_limit);
  options.context.on_progress = stop_in("labelling");
  EXPECT_EQ(cluster_sv(blobs(100, 2, 4), options).report.status, Status::stopped_by_callback);
}

TEST(SvClustering, AStopAmongAllPairsKeepsTheNeighboursPieces) {
  const Dataset data = blobs(300, 2, 4);
  SvClusteringOptions options{.kernel = Rbf{.gamma = 20}};
  const SvClustering neighbours = cluster_sv(data, options);
  options.graph = ProximityGraph::complete;
  options.context.on_progress = [&](const Progress& progress) {
    const bool done = progress.phase == "labelling" && progress.iteration > neighbours.segments;
    return done ? Continue::time_is_up : Continue::yes;
  };
  const SvClustering found = cluster_sv(data, options);
  EXPECT_EQ(found.report.status, Status::time_limit);
  EXPECT_NE(found.report.message.find("parts of larger ones"), std::string::npos);
  EXPECT_LE(found.sizes.size(), neighbours.sizes.size());
}

TEST(SvSweep, AStopKeepsTheWidthsBeforeIt) {
  const Dataset data = blobs(80, 2, 3);
  const std::vector<double> gammas = {0.3, 1, 3};
  const SvClustering first = cluster_sv(data, {.kernel = Rbf{.gamma = 0.3}});
  SvClusteringOptions options;
  bool labelled = false;
  options.context.on_progress = [&](const Progress& progress) {
    if (progress.phase == "labelling") labelled = true;
    return labelled && progress.phase != "labelling" ? Continue::stop : Continue::yes;
  };
  const SvSweep sweep = sweep_sv_clustering(data, gammas, options);
  ASSERT_EQ(sweep.steps.size(), 1U);
  EXPECT_EQ(sweep.clustering.labels, first.labels);
  EXPECT_EQ(sweep.clustering.report.status, Status::stopped_by_callback);
  EXPECT_EQ(sweep.clustering.report.message, "the sweep was stopped after 1 of 3 widths");
  // Without a width before it a stopped one answers as it can.
  options.context.on_progress = [](const Progress&) { return Continue::stop; };
  const SvSweep early = sweep_sv_clustering(data, gammas, options);
  ASSERT_EQ(early.steps.size(), 1U);
  EXPECT_GT(early.clustering.sizes.size(), 0U);
}

}  // namespace
}  // namespace maxmargin
