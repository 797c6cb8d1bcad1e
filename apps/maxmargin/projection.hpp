// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arguments.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"
#include "outputs.hpp"

namespace maxmargin::tool {

/// What --project asks for: the features become the scores along principal components, found here
/// (pca, kernel-pca) or read from a file that --model wrote, and named pc1, pc2, .... Opens the
/// file of --model among the outputs. Without --project the data stays as it is. Says on stderr,
/// unless --quiet, what the search for the components warns of; returns how it ended.
[[nodiscard]] Status project(const Arguments& arguments, Dataset& data, Outputs& outputs);

}  // namespace maxmargin::tool
