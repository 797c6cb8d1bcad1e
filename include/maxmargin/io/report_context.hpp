// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/io/run_report.hpp"

namespace maxmargin {

/// Adds to the report's options the threads that a run with this context has.
MAXMARGIN_EXPORT void add_threads(const Context& context, RunReport& report);

}  // namespace maxmargin
