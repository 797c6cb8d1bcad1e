// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/always_inline.hpp"  // for code inside each clone

/// MAXMARGIN_VECTOR_CLONES before a function compiles it for several register widths; the loader
/// picks one when the program starts. As multiplications and additions are never contracted
/// (-ffp-contract=off) and no sum is reordered, all clones give the same bits. Sanitizers would
/// instrument the choosing code, which runs before they are ready, and clang's attribute takes
/// other arguments: they get the default clone alone.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MAXMARGIN_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define MAXMARGIN_VECTOR_CLONES
#endif
