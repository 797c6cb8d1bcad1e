// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arguments.hpp"
#include "maxmargin/io/properties.hpp"

/// The property files of kernlib, the program of Merat's thesis, as calls of this tool
/// (docs/guide/property-files.md).
namespace maxmargin::tool {

/// The arguments with what --config says added; what the call itself says wins. Unchanged without
/// --config. Throws ParseError, with the line, for an unknown key or a value it cannot have, and
/// UsageError when there is no data.
[[nodiscard]] Arguments with_config(Arguments arguments);

/// The same for properties that are read already; `folder` is where their relative paths begin.
[[nodiscard]] Arguments with_properties(Arguments arguments,
                                        const Properties& properties,
                                        const std::string& folder);

}  // namespace maxmargin::tool
