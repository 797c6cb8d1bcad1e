// SPDX-License-Identifier: Apache-2.0
#pragma once

/// All synthetic data sets. io/table/builtin.hpp makes them from text such as
/// "circles,n=200,seed=1".
#include "maxmargin/data/generate_checkers.hpp"   // IWYU pragma: export
#include "maxmargin/data/generate_circles.hpp"    // IWYU pragma: export
#include "maxmargin/data/generate_curves.hpp"     // IWYU pragma: export
#include "maxmargin/data/generate_gaussians.hpp"  // IWYU pragma: export
#include "maxmargin/data/generate_outliers.hpp"   // IWYU pragma: export
