// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/io/table/read_data.hpp"
#include "maxmargin/learner/data.hpp"

/// Tables and precomputed kernels for learners of rows.
namespace maxmargin::learning {

/// The described options of tables, set from text. `who` does not take others.
[[nodiscard]] ReadOptions table_options(const OptionTexts& source, const Context& context);

[[nodiscard]] TableData read_rows(const std::string& where, const ReadOptions& options);
[[nodiscard]] TableData read_rows(Input& input, const ReadOptions& options);

/// The kernel between all training rows; the examples are row numbers. Throws FileError unless it
/// is square and symmetric.
[[nodiscard]] TableData read_training_kernel(const std::string& where, const ReadOptions& options);
/// The kernel between new rows and the `trained_on` training rows (where that is known).
[[nodiscard]] TableData read_new_kernel(const std::string& where,
                                        ReadOptions options,
                                        std::optional<std::size_t> trained_on);
/// The rows of a kernel as the points' features, as clusterings of a kernel matrix take them; a
/// model of so many `features` widens rows that leave zeros out.
[[nodiscard]] TableData read_kernel_points(const std::string& where,
                                           ReadOptions options,
                                           std::optional<std::size_t> features);

}  // namespace maxmargin::learning
