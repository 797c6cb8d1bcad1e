// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/mmc/machine.hpp"
#include "maxmargin/core/context.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Labellings to begin alternating maximum-margin clustering with.
namespace maxmargin {

struct MmcStart {
  std::string origin = {};
  std::vector<std::int32_t> labels = {};
  /// A machine with weights and values that these labels come from, if there is one.
  std::optional<MmcFit> machine = std::nullopt;
};

struct MmcStartOptions {
  std::size_t classes = 2;
  /// Points of a cluster.
  std::size_t least = 1;
  std::size_t most = 1;
  /// Starts in all; more when there are more directions and spectral ones.
  std::size_t count = 10;
  Context context = {};
};

/// Of more points than this a sample is clustered first, and its machine labels all of them: at the
/// same C a sample is what a smaller C is for all points.
inline constexpr std::size_t sampled_points = 20000;
inline constexpr std::size_t sample_size = 10000;

/// The rows of such a sample, ascending; empty for fewer points, or when the sample has not
/// `classes` distinct points.
[[nodiscard]] std::vector<std::size_t> sample_rows(const Examples& examples,
                                                   std::size_t classes,
                                                   std::uint64_t seed);

/// The labels that values ask for under the balance: signs of one column, the cheapest label under
/// the loss of Crammer and Singer of several.
[[nodiscard]] std::vector<std::int32_t> relabel(DenseView values,
                                                std::size_t least,
                                                std::size_t most);

/// k-means, principal components, the given directions of feature space (one a row, with two
/// classes; called "relaxation 1", ...), and random directions.
[[nodiscard]] std::vector<MmcStart> feature_starts(const MmcPoints& points,
                                                   const DenseMatrix& directions,
                                                   const MmcStartOptions& options);

/// The given directions alone.
[[nodiscard]] std::vector<MmcStart> direction_starts(const MmcPoints& points,
                                                     const DenseMatrix& directions,
                                                     const MmcStartOptions& options);

/// Kernel k-means, kernel principal components, and random functions, on a Gram matrix that has
/// its bias.
[[nodiscard]] std::vector<MmcStart> gram_starts(const DenseMatrix& gram,
                                                const MmcStartOptions& options);

/// Spectral clustering (Ng, Jordan, Weiss) of all points at several widths, for Gaussian kernels
/// and few points; otherwise nothing.
[[nodiscard]] std::vector<MmcStart> spectral_starts(const Dataset& data,
                                                    const Kernel& kernel,
                                                    const MmcStartOptions& options);

}  // namespace maxmargin
