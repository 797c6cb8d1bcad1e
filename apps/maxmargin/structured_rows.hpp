// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "arguments.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/scaling.hpp"
#include "maxmargin/solver/structural/method.hpp"
#include "structured_learners.hpp"

/// What learners share whose structures are made of rows of features: rank, multiclass, multilabel.
namespace maxmargin::tool {

/// structural_options_of with the tolerance of all other learners of rows, 1e-3, and passes enough
/// for a solver whose gap ends it: a pass over one query is one plane.
[[nodiscard]] StructuralOptions row_solving_of(const Arguments& arguments, StructuralMethod method);

/// Scales the features as --scale asks; the scaler, if it does.
[[nodiscard]] std::optional<Scaler> scale_rows(const Arguments& arguments, Dataset& data);

/// A number that tells data apart: FNV-1a over labels, groups, weights and features, and over what
/// other files say about them.
[[nodiscard]] std::uint64_t fingerprint(const Dataset& data, std::string_view side_files = {});

}  // namespace maxmargin::tool
