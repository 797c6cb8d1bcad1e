// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/kernel/gamma.hpp"
#include "maxmargin/kernel/kernel.hpp"

/// Kernels as text (docs/guide/kernels/combinations.md has the grammar):
///
///   sum     = product { "+" product }
///   product = factor { "*" factor }           factor: NUMBER, or power; at least one power
///   power   = atom [ "^" WHOLE ]
///   atom    = KERNEL [ "(" NAME "=" VALUE { "," NAME "=" VALUE } ")" ]
///           | ( "normalize" | "center" | "exp" | "iterate" ) "(" sum ")" | "(" sum ")"
namespace maxmargin {

/// The largest degree of a polynomial and exponent of a power.
inline constexpr int largest_kernel_degree = 1000;

/// A value of normalize takes three of its kernel, one of iterate 2 n: that multiplies with each
/// level, wherever a kernel is evaluated row by row.
inline constexpr int deepest_functions = 6;
inline constexpr int deepest_iterations = 2;

/// What a width must be.
inline constexpr std::string_view gamma_rule_words =
    "a number > 0, scale, auto, median, neighbour, or quantile:Q with Q in [0, 1]";

/// A kernel, and the rules for the widths of its leaves (in the order in which they are named)
/// where they are no numbers.
struct KernelExpression {
  Kernel kernel = Rbf{};
  std::vector<std::optional<GammaRule>> rules = {};
};

/// Reads an expression; `usual` is the rule for the width of rbf where it names none. Throws
/// InvalidArgument with the place (in bytes, from 1) and what was expected there.
[[nodiscard]] KernelExpression parse_kernel(std::string_view text, const GammaRule& usual);

/// The text that reads back as the same kernel and rules. Without rules all widths are numbers.
[[nodiscard]] std::string expression_text(const Kernel& kernel,
                                          const std::vector<std::optional<GammaRule>>& rules = {});

/// Sets gamma (or the rule for it), degree, coef0 or length, which the kernel must have. Returns
/// what the value must be where it cannot be this one; empty: it is set.
[[nodiscard]] std::string set_kernel_parameter(Kernel& kernel,
                                               std::optional<GammaRule>& rule,
                                               std::string_view name,
                                               std::string_view value);

/// The parameters that a kernel which is no combination has, in the order in which texts name them.
[[nodiscard]] std::vector<std::string_view> kernel_parameters(const Kernel& kernel);

/// The rule for the width of a kernel that is named without one; `usual` is that of rbf.
[[nodiscard]] std::optional<GammaRule> default_rule(const Kernel& kernel, const GammaRule& usual);

}  // namespace maxmargin
