// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/problem/saddle/class_saddle.hpp"

/// Labellings into several classes, and bounds on all of them: docs/algorithms/mmc-multiclass.md.
namespace maxmargin {

/// A class for every point, from 0.
using ClassLabels = std::vector<std::int32_t>;

/// A labelling and where it comes from, such as "k-means of M".
struct ClassCandidate {
  std::string origin = {};
  ClassLabels labels = {};
};

/// What labellings are allowed.
struct MAXMARGIN_EXPORT ClassRules {
  /// Fewest and most points of each class; as many of both as there are classes.
  std::vector<std::size_t> least = {};
  std::vector<std::size_t> most = {};
  /// Known class of each point, or -1. Empty: none is known.
  std::vector<std::int32_t> known = {};

  [[nodiscard]] std::size_t classes() const noexcept { return least.size(); }
  /// Does the labelling keep the rules?
  [[nodiscard]] bool allow(std::span<const std::int32_t> labels) const;
  /// Throws InvalidArgument when no labelling of n points keeps the rules, or the members do not
  /// fit together.
  void validate(std::size_t n) const;
};

/// What a bound from below rests on.
enum class ClassBound {
  trivial,         ///< an objective is never below 0: it says nothing ("vacuous")
  relaxation,      ///< the relaxation without known classes
  symmetry_broken  ///< the least of relaxations in which some points' classes are told apart
};
template <>
inline constexpr auto names_of<ClassBound> =
    name_table<ClassBound>({{"trivial", ClassBound::trivial},
                            {"relaxation", ClassBound::relaxation},
                            {"symmetry-broken", ClassBound::symmetry_broken}});

/// A relaxation with known classes and what proves its bound.
struct ClassProof {
  /// Of the points that were told apart; empty: none were.
  std::vector<std::int32_t> labels = {};
  ClassCertificate certificate = {};
};

/// What the proofs prove together about every labelling within the sizes of `problem` (whose labels
/// are ignored): with one proof without labels its bound, else the least bound of the proofs, if
/// their labels are all that labellings within the sizes give the anchors, up to names of classes.
/// 0 where they prove nothing more: no proofs, a partition missing, a negative bound, or sizes that
/// no labelling has. In units of omega. Throws InvalidArgument unless the anchors are below n, each
/// once, and all classes have the same range, and what class_saddle_bound throws.
[[nodiscard]] MAXMARGIN_EXPORT double proven_class_bound(ClassSaddle problem,
                                                         std::span<const std::size_t> anchors,
                                                         std::span<const ClassProof> proofs);

}  // namespace maxmargin
