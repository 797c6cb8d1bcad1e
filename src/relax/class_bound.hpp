// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/problem/saddle/class_saddle.hpp"
#include "maxmargin/relax/class_relaxation.hpp"

/// Bounds on all labellings into several classes: docs/algorithms/mmc-multiclass.md, "What the
/// bound is worth".
namespace maxmargin {

/// Points far from each other in feature space: the one farthest from the mean, then the one
/// farthest from those taken. Ties go to the lowest index. Requires count <= n.
[[nodiscard]] std::vector<std::size_t> far_points(DenseView gram, std::size_t count);

/// All ways to put `points` points into at most `classes` classes without names, as labels from 0
/// in order of first use; the one that tells most points apart comes first.
[[nodiscard]] std::vector<std::vector<std::int32_t>> partitions(std::size_t points,
                                                                std::size_t classes);

/// The labels, -1 for all but the anchors, of every partition of the anchors that some labelling
/// within the sizes of `problem` (whose labels are ignored) has, up to names of classes. Throws
/// InvalidArgument unless the anchors are below n, each once, and all classes have the same range:
/// names would matter otherwise.
[[nodiscard]] std::vector<std::vector<std::int32_t>> told_apart(
    const ClassSaddle& problem, std::span<const std::size_t> anchors);

/// Is there a point of the relaxation in which the anchors are told apart with a value <= 0 near
/// M, the solution without? n - C/2 <K_UU, M_UU - e e'/kappa> is at least its value when D is
/// 1/kappa on the others. A guess that saves work: the row sums of that point may be a little off.
[[nodiscard]] bool looks_vacuous(const ClassSaddle& problem,
                                 DenseView m,
                                 std::span<const std::size_t> anchors);

}  // namespace maxmargin
