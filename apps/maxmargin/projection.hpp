// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/call.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/learner/projection.hpp"
#include "outputs.hpp"

namespace maxmargin::tool {

/// --project and what belongs to it.
struct ProjectOptions {
  /// A kind, or a file that --model wrote.
  std::optional<std::string> project = std::nullopt;
  std::optional<std::string> model = std::nullopt;
  ProjectionOptions found = {};
  void describe(OptionVisitor& visit);
};

/// What --project asks for: the features become the scores along directions found here or read from
/// a file, and named pc1, pc2, .... Writes the file of --model, which is among the outputs. Without
/// --project the data stays as it is. `given` are the options of the call that were given. Says on
/// stderr what the search warns of; returns how it ended.
[[nodiscard]] Status project(const ProjectOptions& options,
                             const OptionTexts& given,
                             const Context& context,
                             Dataset& data,
                             Outputs& outputs);

}  // namespace maxmargin::tool
