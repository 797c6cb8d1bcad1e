// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks what the shared library exports; everything else is hidden (-fvisibility=hidden).
#define MAXMARGIN_EXPORT __attribute__((visibility("default")))
