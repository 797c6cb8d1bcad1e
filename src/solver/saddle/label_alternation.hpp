// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/problem/saddle/label_saddle.hpp"

/// Alternating SDP and QP on relaxed labels: docs/algorithms/mmc-alternating.md, "Relaxed steps".
namespace maxmargin {

/// The form of omega in which both the machine and the label matrix are minimised over: for 0 <= l
/// <= 1 and H = c K o M,
///
///   joint(M, l) = 1/2 l'Hl + sum_i max(0, 1 - (Hl)_i) >= omega(M),
///
/// with equality at the maximiser l of omega(M), for every M with H positive semidefinite.
[[nodiscard]] double joint_label_value(const LabelSaddle& problem,
                                       DenseView v,
                                       std::span<const double> lambda);

struct LabelAlternationOptions {
  /// Columns of V; unset: the least r with r (r + 1) / 2 > n. At least 1.
  std::optional<std::size_t> columns = std::nullopt;
  /// Pairs of steps; at least 1.
  std::size_t max_iterations = 100;
  /// Ends when a pair lowers the value by less than this share; > 0.
  double tolerance = 1e-4;
  /// Seed: of the first V.
  Context context = {};
  void describe(OptionVisitor& visit);
};

struct LabelAlternation {
  /// Unit rows; M = V V'.
  DenseMatrix v = {};
  /// The machine: nearly the maximiser of omega(M).
  std::vector<double> lambda = {};
  /// joint(M, l) after every pair of steps; it never rises.
  std::vector<double> values = {};
  /// What lambda proves about all M (label_saddle_bound with the multipliers of this M); often 0.
  double lower_bound = 0;
  LabelCertificate certificate = {};
  SolveReport report = {};
};

/// Minimises joint(V V', l) over V with unit rows (a linear SDP in M and the slacks) and over l (a
/// convex QP) in turn, to a local minimum. The balance is not a constraint here: labels are
/// balanced when they are read off. Memory 3 n^2 numbers beside the matrix. Throws InvalidArgument
/// for a problem that does not validate and wrong options.
[[nodiscard]] LabelAlternation alternate_label_matrix(const LabelSaddle& problem,
                                                      const LabelAlternationOptions& options = {});

}  // namespace maxmargin
