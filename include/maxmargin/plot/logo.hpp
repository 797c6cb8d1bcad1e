// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Sequence logos.
namespace maxmargin {

struct MAXMARGIN_EXPORT LogoOptions {
  std::string title = {};
  /// Of a column, and of the picture, in pixels.
  std::size_t column_width = 34;
  std::size_t height = 260;

  void describe(OptionVisitor& visit);
};

/// The logo of a motif as one self-contained SVG document: a column a row of `probabilities`, as
/// high as its information in bits (2 less its entropy), shared by A, C, G and T as they are
/// probable, the most probable on top. Letters are outlines: no font is needed. The same input
/// gives the same bytes. Throws InvalidArgument unless every row is four numbers >= 0 whose sum
/// is 1.
[[nodiscard]] MAXMARGIN_EXPORT std::string svg_logo(const DenseMatrix& probabilities,
                                                    const LogoOptions& options = {});

}  // namespace maxmargin
