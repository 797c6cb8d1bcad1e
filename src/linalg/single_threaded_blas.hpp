// SPDX-License-Identifier: Apache-2.0
#pragma once

/// OpenBLAS's switch; weak, so that another BLAS links as well.
extern "C" void openblas_set_num_threads(int threads) __attribute__((weak));

namespace maxmargin {

/// Makes OpenBLAS run each call on its calling thread, once per process. Threads are ours
/// (core/parallel.hpp): a threaded BLAS inside them would oversubscribe the cores and make sums
/// depend on the number of threads.
inline void use_single_threaded_blas() {
  static const bool done = [] {
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace maxmargin
