// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "maxmargin/kernel/combine.hpp"

/// Walks over the parts of a kernel, in the order in which an expression names them.
namespace maxmargin {

/// visit(part) for the kernels that a combination is made of directly.
template <class Visit>
void for_each_part(const Combination& combination, Visit visit) {
  std::visit(
      [&](const auto& rule) {
        if constexpr (requires { rule.a; }) {
          visit(rule.a);
          visit(rule.b);
        } else if constexpr (requires { rule.kernel; }) {
          visit(rule.kernel);
        }
      },
      combination.rule);
}

/// The same combination of map(part).
template <class Map>
Kernel with_parts(const Combination& combination, Map map) {
  return std::visit(
      [&](auto rule) -> Kernel {
        if constexpr (requires { rule.a; }) {
          rule.a = map(rule.a);
          rule.b = map(rule.b);
        } else if constexpr (requires { rule.kernel; }) {
          rule.kernel = map(rule.kernel);
        }
        return Combined(std::make_shared<const Combination>(Combination{std::move(rule)}));
      },
      combination.rule);
}

/// How many of the combinations for which counts(combination) stand within each other, at most.
template <class Counts>
int nesting_of(const Kernel& kernel, const Counts& counts) {
  const auto* combined = std::get_if<Combined>(&kernel);
  if (combined == nullptr) return 0;
  int within = 0;
  for_each_part(combined->node(),
                [&](const Kernel& part) { within = std::max(within, nesting_of(part, counts)); });
  return within + (counts(combined->node()) ? 1 : 0);
}

/// visit(kernel) for all kernels in it that are no combinations.
template <class Visit>
void for_each_leaf(const Kernel& kernel, const Visit& visit) {
  if (const auto* combined = std::get_if<Combined>(&kernel)) {
    for_each_part(combined->node(), [&](const Kernel& part) { for_each_leaf(part, visit); });
  } else {
    visit(kernel);
  }
}

/// The same kernel with map(leaf) for every kernel in it that is no combination.
template <class Map>
Kernel with_leaves(const Kernel& kernel, const Map& map) {
  const auto* combined = std::get_if<Combined>(&kernel);
  if (combined == nullptr) return map(kernel);
  return with_parts(combined->node(), [&](const Kernel& part) { return with_leaves(part, map); });
}

}  // namespace maxmargin
