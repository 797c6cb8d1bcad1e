// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// What learning theory says about the error on new examples: docs/guide/metrics. All are upper
/// bounds, often far above 1; compare machines with them, do not believe them as estimates.
namespace maxmargin {

/// The second term of Vapnik's bound: with probability 1 - delta the risk of every function of a
/// family of VC dimension h exceeds its error on n examples by at most
/// sqrt((h (ln(2n/h) + 1) - ln(delta/4)) / n). Requires 0 < h < n and 0 < delta < 1.
[[nodiscard]] double vc_confidence(double vc_dimension, double n, double delta);

/// R^2 |w|^2 + 1: the most that hyperplanes of margin 1/|w| in a ball of radius R can shatter.
[[nodiscard]] double margin_vc_dimension(double squared_radius, double squared_norm);

/// Support vectors over n: at least the leave-one-out error of a machine that no other example
/// changes. 0 without examples.
[[nodiscard]] double leave_one_out_bound(std::size_t support_vectors, std::size_t n);

/// R^2 |w|^2, the squared ratio of radius to margin.
[[nodiscard]] double radius_margin(double squared_radius, double squared_norm);

/// 4 R^2 |w|^2 / n: bounds the leave-one-out error of a separating machine. Requires n > 0.
[[nodiscard]] double radius_margin_bound(double squared_radius, double squared_norm, std::size_t n);

/// Q3 of secondary structure prediction: 100 x correct residues / residues; NaN without any.
/// Throws InvalidArgument when the lengths differ.
[[nodiscard]] double q3(std::span<const std::int32_t> truth,
                        std::span<const std::int32_t> predicted);

}  // namespace maxmargin
