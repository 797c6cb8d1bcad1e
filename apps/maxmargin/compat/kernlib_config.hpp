// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/call.hpp"

/// The property files of kernlib, the program of Merat's thesis, as calls of this tool
/// (docs/guide/property-files.md).
namespace maxmargin::tool {

/// Adds what --config says to a call of `cluster`; what the call itself says wins. Nothing without
/// --config. Throws ParseError, with the line, for an unknown key or a value it cannot have.
void apply_config(Call& call);

}  // namespace maxmargin::tool
