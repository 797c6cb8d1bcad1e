// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "maxmargin/core/export.hpp"

namespace maxmargin {

/// Bounds what this process takes to about so many bytes more than it has now, as `ulimit -d` does:
/// machine_memory() is no more than that from here on, so that work that is known to need more is
/// refused with the size it needs, and memory beyond is not granted (std::bad_alloc). Of the whole
/// process, so it is for programs and not for libraries; to be called once, at the start.
MAXMARGIN_EXPORT void bound_process_memory(std::size_t bytes);

}  // namespace maxmargin
