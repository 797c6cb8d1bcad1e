// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/data/alignment.hpp"

/// How much of a reference alignment a predicted one has: docs/algorithms/alignment.md, "Losses".
namespace maxmargin {

/// The residue of a match that is looked up in the reference.
enum class AlignmentSide { target, known };
template <>
inline constexpr auto names_of<AlignmentSide> =
    name_table<AlignmentSide>({{"target", AlignmentSide::target}, {"known", AlignmentSide::known}});

/// When a predicted match is right: the reference pairs the same residue of `side` with one that is
/// at most `shift` away. On one side every reference match counts at most once.
struct AlignmentRule {
  /// 0 for Q, 4 for Q4; larger forgives more.
  std::size_t shift = 0;
  AlignmentSide side = AlignmentSide::target;
};
inline constexpr AlignmentRule q_rule = {.shift = 0};
inline constexpr AlignmentRule q4_rule = {.shift = 4};

/// How many matches of `predicted` are right.
[[nodiscard]] MAXMARGIN_EXPORT std::size_t right_matches(const Alignment& reference,
                                                         const Alignment& predicted,
                                                         const AlignmentRule& rule = {});

/// Their number over that of the reference's matches, in [0, 1]: Q, or Q4 with q4_rule. Throws
/// InvalidArgument for a reference without matches.
[[nodiscard]] MAXMARGIN_EXPORT double alignment_quality(const Alignment& reference,
                                                        const Alignment& predicted,
                                                        const AlignmentRule& rule = {});

/// The mean over pairs, as the published tables have it. Throws InvalidArgument when there are
/// none, the numbers differ or a reference has no matches.
[[nodiscard]] MAXMARGIN_EXPORT double mean_alignment_quality(std::span<const Alignment> references,
                                                             std::span<const Alignment> predicted,
                                                             const AlignmentRule& rule = {});

}  // namespace maxmargin
