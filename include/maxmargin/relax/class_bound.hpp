// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/problem/saddle/class_saddle.hpp"

/// Bounds on all labellings into several classes: docs/algorithms/mmc-multiclass.md, "What the
/// bound is worth".
namespace maxmargin {

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

/// Points far from each other in feature space: the one farthest from the mean, then the one
/// farthest from those taken. Ties go to the lowest index. Requires count <= n.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<std::size_t> far_points(DenseView gram,
                                                                   std::size_t count);

/// All ways to put `points` points into at most `classes` classes without names, as labels from 0
/// in order of first use; the one that tells most points apart comes first.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<std::vector<std::int32_t>> partitions(
    std::size_t points, std::size_t classes);

/// The labels, -1 for all but the anchors, of every partition of the anchors that some labelling
/// within the sizes of `problem` (whose labels are ignored) has, up to names of classes. Throws
/// InvalidArgument unless the anchors are below n, each once, and all classes have the same range:
/// names would matter otherwise.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<std::vector<std::int32_t>> told_apart(
    const ClassSaddle& problem, std::span<const std::size_t> anchors);

/// A relaxation with known classes and what proves its bound.
struct ClassProof {
  /// Of the points that were told apart; empty: none were.
  std::vector<std::int32_t> labels = {};
  ClassCertificate certificate = {};
};

/// What the proofs prove together about every labelling within the sizes of `problem` (whose labels
/// are ignored): with one proof without labels its bound, else the least bound of the proofs, if
/// their labels are all those of told_apart. 0 where they prove nothing more: no proofs, a
/// partition missing, a negative bound, or sizes that no labelling has. In units of omega. Throws
/// what told_apart and class_saddle_bound throw.
[[nodiscard]] MAXMARGIN_EXPORT double proven_class_bound(ClassSaddle problem,
                                                         std::span<const std::size_t> anchors,
                                                         std::span<const ClassProof> proofs);

/// Is there a point of the relaxation in which the anchors are told apart with a value <= 0 near
/// M, the solution without? n - C/2 <K_UU, M_UU - e e'/kappa> is at least its value when D is
/// 1/kappa on the others. A guess that saves work: the row sums of that point may be a little off.
[[nodiscard]] MAXMARGIN_EXPORT bool looks_vacuous(const ClassSaddle& problem,
                                                  DenseView m,
                                                  std::span<const std::size_t> anchors);

}  // namespace maxmargin
