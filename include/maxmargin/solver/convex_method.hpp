// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"

namespace maxmargin {

/// How a convex machine is trained: docs/algorithms/interior-point.md.
enum class ConvexMethod {
  automatic,      ///< first_order, until its counted work says that interior_point is quicker
  first_order,    ///< SMO, dual coordinates, Newton's method with conjugate gradients
  interior_point  ///< whatever the scale of the features: few steps, n^3 or n d^2 each
};
template <>
inline constexpr auto names_of<ConvexMethod> =
    name_table<ConvexMethod>({{"auto", ConvexMethod::automatic},
                              {"first-order", ConvexMethod::first_order},
                              {"interior-point", ConvexMethod::interior_point}});

/// Option solver, beside the option kkt-tolerance.
MAXMARGIN_EXPORT void describe_method(OptionVisitor& visit,
                                      ConvexMethod& method,
                                      const std::optional<double>& kkt_tolerance);

}  // namespace maxmargin
