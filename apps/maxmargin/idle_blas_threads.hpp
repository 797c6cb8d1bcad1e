// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace maxmargin::tool {

/// OpenBLAS starts a thread for every core when it is loaded; they spin for a while before they
/// sleep, on the cores that our own threads want. The library never gives them work, so a short
/// command is a fifth faster without them. Does nothing where BLAS is another library.
void end_idle_blas_threads();

}  // namespace maxmargin::tool
