// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Before a function that must be compiled inside its caller: a loop that one source text compiles
/// for several register widths.
#define MAXMARGIN_INLINE inline __attribute__((always_inline))
