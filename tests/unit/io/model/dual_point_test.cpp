// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

ModelDocument document_with(const DualPoint& point) {
  ModelDocument document("linear-svc", "file.mm");
  add_dual_point(document, point);
  return document;
}

TEST(DualPointInAFile, ComesBackBitForBit) {
  const DualPoint full = {{0.1, -1.0 / 3, 1e-300}, {2, 3e22, -0.25}};
  const DualPoint mostly_zero = {{0, 0, 0, 0.1, 0}, {0, 0, 0, 0, 0}};
  for (const DualPoint& point : {full, mostly_zero}) {
    for (const ModelFormat format : {ModelFormat::text, ModelFormat::binary}) {
      Input input = Input::from_memory("file.mm", written_bytes([&](OutputFile& file) {
                                         write_model(document_with(point), file, format);
                                       }));
      EXPECT_EQ(dual_point_of(read_model(input), point.size(), point.front().size()), point);
    }
  }
}

TEST(DualPointInAFile, MayBeMissing) {
  const ModelDocument document = document_with({});
  EXPECT_TRUE(document.sections().empty());
  EXPECT_TRUE(dual_point_of(document, 2, 3).empty());
}

TEST(DualPointInAFile, MustFitTheModelAndBeFinite) {
  const ModelDocument document = document_with({{1, 2, 3}, {4, 5, 6}});
  EXPECT_THROW((void)dual_point_of(document, 3, 3), ModelFormatError);
  EXPECT_THROW((void)dual_point_of(document, 2, 4), ModelFormatError);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)dual_point_of(document_with({{1, infinity}}), 1, 2), ModelFormatError);
  EXPECT_THROW((void)document_with({{1, 2}, {3}}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
