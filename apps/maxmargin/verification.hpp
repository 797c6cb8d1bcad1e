// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "machine_document.hpp"
#include "supervised_data.hpp"

namespace maxmargin::tool {

/// What recomputing a model's certificate found.
struct Verification {
  bool agrees = false;
  double primal = 0;
  double dual = 0;
  /// The first thing that does not agree; empty when all does.
  std::string complaint = {};
};

/// Throws UsageError unless the learner has a certificate that can be recomputed.
void require_verifiable(const std::string& learner);

/// Recomputes primal and dual of the model on the data it was trained on, with code that no solver
/// shares, and holds them to what the model says: the same objectives up to rounding, and a gap no
/// larger. Throws as require_verifiable, and UsageError when the model does not say how it was
/// trained (a file of another program).
[[nodiscard]] Verification verify_machine(LoadedMachine loaded,
                                          const SupervisedData& given,
                                          std::optional<std::size_t> threads);

}  // namespace maxmargin::tool
