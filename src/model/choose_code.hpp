// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "maxmargin/core/require.hpp"
#include "maxmargin/model/output_code.hpp"

namespace maxmargin {

/// The code of a reduction to two-class machines: the chosen one for ecoc. Throws
/// InvalidArgument for `direct`, and when the given code is wrong or for other classes.
[[nodiscard]] inline OutputCode choose_code(MulticlassKind kind,
                                            const CodeChoice& choice,
                                            std::size_t classes,
                                            std::uint64_t seed) {
  require(kind != MulticlassKind::direct,
          "--multiclass direct: must be ovo, ovr or ecoc, this learner trains two-class machines");
  if (kind == MulticlassKind::one_vs_one) return one_vs_one_code(classes);
  if (kind == MulticlassKind::one_vs_rest) return one_vs_rest_code(classes);
  return choice.resolved(classes, seed);
}

}  // namespace maxmargin
