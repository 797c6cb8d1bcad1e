// SPDX-License-Identifier: Apache-2.0
#include "model/choose_code.hpp"

#include <string>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

OutputCode choose_code(MulticlassKind kind,
                       const std::optional<OutputCode>& given,
                       std::size_t classes,
                       std::uint64_t seed) {
  require(kind != MulticlassKind::direct,
          "multiclass = direct, must be one_vs_one, one_vs_rest or ecoc: this learner trains "
          "two-class machines");
  if (kind == MulticlassKind::one_vs_one) return one_vs_one_code(classes);
  if (kind == MulticlassKind::one_vs_rest) return one_vs_rest_code(classes);
  OutputCode code = given ? *given : random_code(classes, std::nullopt, seed);
  code.validate();
  require(code.classes == classes,
          "the output code is for " + std::to_string(code.classes) + " classes, the data has " +
              std::to_string(classes));
  return code;
}

}  // namespace maxmargin
