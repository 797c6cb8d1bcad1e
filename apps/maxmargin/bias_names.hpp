// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "arguments.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/model/kernel/bias.hpp"

/// What stands in for the bias of a relaxed machine, by its name on the command line and in models.
namespace maxmargin::tool {

/// --bias. Throws UsageError when it is none of the names.
[[nodiscard]] KernelBias bias_of(const Arguments& arguments, KernelBias fallback);
/// The model's field. Throws ModelFormatError when it is none of the names.
[[nodiscard]] KernelBias bias_of(const ModelDocument& model, const std::string& field);

}  // namespace maxmargin::tool
