// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arguments.hpp"

namespace maxmargin::tool {

/// `cluster --compare A,B,...`: several methods on one data set, one table. An option that a method
/// does not take is ignored for it, -k among them; a method that fails has its message in the table
/// and the others go on. Returns the exit code of the worst method.
int run_compare(const Arguments& arguments);

}  // namespace maxmargin::tool
