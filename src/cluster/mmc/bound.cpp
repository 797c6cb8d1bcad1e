// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-alternating.md, "A bound from features"
#include "cluster/mmc/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/memory_limit.hpp"
#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "solver/saddle/factored_saddle.hpp"

namespace maxmargin {

namespace {

/// Columns that a bound may have.
constexpr std::size_t most_bound_features = 2000;
/// Up to so many points all kernel values are summed for a better bound.
constexpr std::size_t most_summed_points = 20000;
/// Directions of the relaxation that labels are read from.
constexpr std::size_t relaxed_directions = 5;
constexpr std::size_t relaxed_hyperplanes = 5;

/// What a bound is computed from: dense features with the bias, and what they miss.
struct BoundFeatures {
  DenseMatrix features = {};
  std::vector<double> missed = {};
};

/// The length of the mean of what the features miss of the images, from above: the mean length when
/// there are too many points for more, or the caller wants to stop.
double missed_mean(const Dataset& data,
                   const Kernel& kernel,
                   const MmcPoints& points,
                   std::span<const double> missed,
                   const MmcAlternatingOptions& options) {
  const auto n = static_cast<double>(missed.size());
  double lengths = 0;
  for (const double square : missed) lengths += std::sqrt(square);
  if (missed.size() > most_summed_points) return lengths / n;
  // |mean h|^2 = e'Ke / n^2 - |mean z|^2, by all kernel values.
  constexpr std::size_t rows_at_once = 256;
  double sum = 0;
  double largest = 0;
  for (std::size_t begin = 0; begin < missed.size(); begin += rows_at_once) {
    if (options.context.ask({.phase = "kernel values", .iteration = begin}) != Continue::yes) {
      return lengths / n;
    }
    std::vector<std::size_t> rows(std::min(rows_at_once, missed.size() - begin));
    std::iota(rows.begin(), rows.end(), begin);
    const DenseMatrix values =
        cross_gram(kernel, data.examples.select(rows), data.examples, {.context = options.context});
    for (std::size_t i = 0; i < values.rows(); ++i) {
      double row = 0;
      for (const double value : values.row(i)) {
        row += value;
        largest = std::max(largest, std::abs(value));
      }
      sum += row;
    }
  }
  // n epsilon each: the sum of a row, that of the rows, and twice the mean of z; then the columns
  // of |mean z|^2 and of a kernel value.
  const double terms = 4 * n + static_cast<double>(points.examples.cols() + data.features()) + 16;
  const double rounding = terms * std::numeric_limits<double>::epsilon() * largest;
  const double square = sum / (n * n) - dot(points.mean, points.mean) + rounding;
  return std::min(lengths / n, std::sqrt(std::max(square, rounding)));
}

BoundFeatures bound_features(const Dataset& data,
                             const Kernel& kernel,
                             const MmcPoints& points,
                             std::span<const double> missed,
                             const MmcAlternatingOptions& options) {
  const std::size_t d = points.examples.cols();
  require(d <= most_bound_features,
          options.method + ": the relaxation takes up to " + std::to_string(most_bound_features) +
              " features, " + data.source + " has " + std::to_string(d) +
              ": use landmarks, or leave the bound out");
  const bool constant = options.bias == MmcBias::constant;
  require_within_limit(checked_multiply(checked_multiply(data.size(), d + 1), sizeof(double)),
                       options.context.memory_limit,
                       options.method + ": the relaxation of " + std::to_string(data.size()) +
                           " points with " + std::to_string(d) + " features",
                       "leave the bound out, use fewer landmarks, or allow more memory");
  BoundFeatures given{.features = DenseMatrix(data.size(), d + (constant ? 1 : 0), 1.0)};
  const std::vector<double> shift = points.shifts() ? points.mean : std::vector<double>();
  const MutableDenseView to = given.features.view();
  points.examples.points().copy_shifted(
      0, data.size(), shift, MutableDenseView{to.data, to.rows, d, to.stride});
  if (options.bias == MmcBias::center && !missed.empty()) {
    // |h_i - mean h| <= |h_i| + |mean h| for what is missed of the images.
    const double mean = missed_mean(data, kernel, points, missed, options);
    for (const double square : missed) {
      const double length = std::sqrt(square) + mean;
      given.missed.push_back(length * length);
    }
  } else {
    given.missed.assign(missed.begin(), missed.end());
  }
  return given;
}

/// Leading eigenvectors of P, and random hyperplanes. `d` leaves out the constant feature.
DenseMatrix relaxed_rows(const DenseMatrix& w, std::size_t d, std::uint64_t seed) {
  // Eigenvectors of P = W W' are those of W'W times W; random combinations are hyperplanes.
  const std::size_t r = w.cols();
  DenseMatrix square(r, r);
  gemm(Transpose::yes, Transpose::no, 1.0, w.view(), w.view(), 0.0, square.view());
  const EigenPairs axes = eigen_symmetric(square.view());
  const std::size_t leading = std::min(relaxed_directions, r);
  DenseMatrix mixes(leading + relaxed_hyperplanes, r);
  Rng rng(seed, "hyperplane");
  for (std::size_t k = 0; k < mixes.rows(); ++k) {
    if (k < leading) {
      std::ranges::copy(axes.vectors.row(r - 1 - k), mixes.row(k).begin());
    } else {
      for (double& x : mixes.row(k)) x = rng.normal();
    }
  }
  // With the constant feature the last component of a direction is that feature's.
  DenseMatrix directions(mixes.rows(), d);
  gemm(Transpose::no,
       Transpose::yes,
       1.0,
       mixes.view(),
       w.view().middle_rows(0, d),
       0.0,
       directions.view());
  return directions;
}

}  // namespace

MmcBound bound_labellings(const Dataset& data,
                          const Kernel& kernel,
                          const MmcPoints& points,
                          std::span<const double> missed,
                          const MmcAlternatingOptions& options) {
  const BoundFeatures given = bound_features(data, kernel, points, missed, options);
  const FactoredSaddle problem{
      .features = given.features.view(), .c = options.c, .missed = given.missed};
  FactoredSaddleSolution solution =
      solve_factored_saddle(problem, {.tolerance = options.tolerance, .context = options.context});
  MmcBound found;
  found.relaxation = {.value = solution.value,
                      .lower_bound = solution.lower_bound,
                      .relative_gap = relative_gap(solution.value, solution.lower_bound),
                      .rank = solution.rank,
                      .status = solution.report.status};
  found.certificate = std::move(solution.weights);
  const bool missing = std::ranges::any_of(missed, [](double square) { return square > 0; });
  const bool is_solved = solution.report.status == Status::solved;
  const bool all_taken =
      points.examples.cols() >= std::min(options.landmarks.value_or(0), data.size());
  // Else it is not the landmarks that the gap comes from.
  if (missing && is_solved && found.relaxation.relative_gap > 10 * options.tolerance) {
    found.warnings.push_back("what the landmarks miss of the kernel takes the bound from about " +
                             format_number(solution.value) + " to " +
                             format_number(solution.lower_bound) +
                             (all_taken ? ": more landmarks would give a better one" : ""));
  }
  if (!is_solved) {
    found.status = solution.report.status;
    found.warnings.push_back(
        "the relaxation ended as " + std::string(to_string(solution.report.status)) +
        " at a relative gap of " + format_number(found.relaxation.relative_gap));
  }
  found.directions = relaxed_rows(solution.w, points.examples.cols(), options.context.seed);
  return found;
}

}  // namespace maxmargin
