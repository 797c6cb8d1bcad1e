// SPDX-License-Identifier: Apache-2.0
#pragma once

/// All synthetic data sets. io/table/builtin.hpp makes them from text such as
/// "circles,n=200,seed=1".
#include "maxmargin/data/generate/checkers.hpp"   // IWYU pragma: export
#include "maxmargin/data/generate/circles.hpp"    // IWYU pragma: export
#include "maxmargin/data/generate/curves.hpp"     // IWYU pragma: export
#include "maxmargin/data/generate/gaussians.hpp"  // IWYU pragma: export
#include "maxmargin/data/generate/outliers.hpp"   // IWYU pragma: export
