// SPDX-License-Identifier: Apache-2.0
#include "idle_blas_threads.hpp"

#include <dlfcn.h>

namespace maxmargin::tool {

void end_idle_blas_threads() {
  void* const found = dlsym(RTLD_DEFAULT, "blas_thread_shutdown_");
  if (found != nullptr) reinterpret_cast<int (*)()>(found)();
}

}  // namespace maxmargin::tool
