// SPDX-License-Identifier: Apache-2.0
#include "model/choose_code.hpp"

#include "maxmargin/core/require.hpp"

namespace maxmargin {

OutputCode choose_code(MulticlassKind kind,
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
