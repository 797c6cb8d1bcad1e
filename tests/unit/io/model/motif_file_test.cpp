// SPDX-License-Identifier: Apache-2.0
//
// Models of motifs that say what no training says are refused, in words of the file.
#include <gtest/gtest.h>

#include <string>

#include "changed_model.hpp"
#include "io/model/structured_file.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

ModelDocument honest() {
  MotifFinder finder{.task = MotifTask({.length = 3})};
  finder.weights.assign(finder.task.dimension(), 0.5);
  finder.site_counts = DenseMatrix(3, 4, 1.0);
  ModelDocument document("motif");
  add_motif_finder(document, finder);
  return document;
}

std::string problem_with(const std::string& part, std::size_t rows, double first, double others) {
  const ModelDocument forged = test::changed(honest(), part, [&](ModelDocument& made) {
    DenseMatrix table(rows, 4, others);
    table(0, 0) = first;
    made.set_dense(part, std::move(table));
  });
  try {
    (void)motif_finder_of(forged);
  } catch (const ModelFormatError& error) {
    return error.what();
  }
  return {};
}

TEST(MotifFile, SharesOfBasesAreShares) {
  EXPECT_EQ(motif_finder_of(honest()).base_shares[3], 0.25);
  EXPECT_EQ(problem_with("base_shares", 1, 0.25, 0.25), "");
  EXPECT_NE(problem_with("base_shares", 1, -0.2, 0.4).find("base_shares hold a share that is not"),
            std::string::npos);
  EXPECT_NE(problem_with("base_shares", 1, 0, 1.0 / 3).find("base_shares hold a share that is not"),
            std::string::npos);
  EXPECT_NE(problem_with("base_shares", 1, 1e30, 0.25).find("base_shares do not add up to 1"),
            std::string::npos);
}

TEST(MotifFile, CountsOfSitesAreCounts) {
  EXPECT_EQ(problem_with("site_counts", 3, 7, 0), "");
  EXPECT_NE(problem_with("site_counts", 3, -1, 2).find("site_counts hold a number below 0"),
            std::string::npos);
}

}  // namespace
}  // namespace maxmargin
