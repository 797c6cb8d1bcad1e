// SPDX-License-Identifier: Apache-2.0
//
// Preimages for the rbf kernel: docs/algorithms/kernel-pca.md.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/model/projection/kernel_pca.hpp"

namespace maxmargin {

namespace {

/// The point P = sum_i weights[i] phi(x_i) of the feature space.
struct Target {
  std::vector<double> weights = {};
  double squared_norm = 0;
};

class PreimageSearch {
 public:
  PreimageSearch(const KernelPcaModel& model, const PreimageOptions& options)
      : model_(model), options_(options), gamma_(std::get<Rbf>(model.kernel).gamma) {
    // Direction k against the mean: sum_i a_i (phi_i - m) . m.
    const FeatureCentring& centring = model.centring;
    for (std::size_t k = 0; k < model.coefficients.rows(); ++k) {
      double product = 0;
      for (std::size_t i = 0; i < centring.row_means.size(); ++i) {
        product += model.coefficients(k, i) * (centring.row_means[i] - centring.grand_mean);
      }
      mean_products_.push_back(product);
    }
  }

  /// mean + sum of scores x directions.
  [[nodiscard]] Target target(std::span<const double> scores) const {
    const std::size_t n = model_.examples.rows();
    Target target{.weights = std::vector<double>(n, 1.0 / static_cast<double>(n))};
    target.squared_norm = model_.centring.grand_mean;
    for (std::size_t k = 0; k < scores.size(); ++k) {
      const std::span<const double> a = model_.coefficients.row(k);
      const double mean = std::accumulate(a.begin(), a.end(), 0.0) / static_cast<double>(n);
      for (std::size_t i = 0; i < n; ++i) target.weights[i] += scores[k] * (a[i] - mean);
      target.squared_norm += scores[k] * (scores[k] + 2 * mean_products_[k]);
    }
    return target;
  }

  /// Training points by distance of their scores, nearest first.
  [[nodiscard]] std::vector<std::size_t> starts(std::span<const double> scores) const {
    const std::size_t n = model_.examples.rows();
    std::vector<double> distances(n, 0.0);
    for (std::size_t k = 0; k < scores.size(); ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        const double own = model_.eigenvalues[k] * model_.coefficients(k, i);
        distances[i] += (own - scores[k]) * (own - scores[k]);
      }
    }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t count = std::min(options_.starts, n);
    std::partial_sort(order.begin(),
                      order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(),
                      [&](std::size_t a, std::size_t b) {
                        return distances[a] != distances[b] ? distances[a] < distances[b] : a < b;
                      });
    order.resize(count);
    return order;
  }

  /// Goes uphill in P . phi(z) from z; returns what it reached. A step that goes down, or has no
  /// positive denominator, ends the search at the best point so far.
  double climb(const Target& target, std::span<double> z) const {
    std::vector<double> next(z.size());
    double height = step(target, z, next);
    for (std::size_t t = 0; t < options_.max_iterations && height > 0; ++t) {
      std::vector<double> after(z.size());
      const double higher = step(target, next, after);
      if (!(higher > height)) break;
      double moved = 0;
      double length = 0;
      for (std::size_t j = 0; j < z.size(); ++j) {
        moved += (next[j] - z[j]) * (next[j] - z[j]);
        length += next[j] * next[j];
      }
      std::ranges::copy(next, z.begin());
      height = higher;
      next = std::move(after);
      if (moved <= options_.tolerance * options_.tolerance * length) break;
    }
    return height;
  }

 private:
  /// P . phi(z); `next` becomes the fixed-point step from z.
  double step(const Target& target, std::span<const double> z, std::span<double> next) const {
    std::ranges::fill(next, 0.0);
    const Row point(z);
    double height = 0;
    for (std::size_t i = 0; i < target.weights.size(); ++i) {
      const Row x = model_.examples.row(i);
      const double share = target.weights[i] * std::exp(-gamma_ * x.squared_distance(point));
      height += share;
      x.axpy_into(share, next);
    }
    for (double& entry : next) entry /= height;
    return height;
  }

  const KernelPcaModel& model_;
  const PreimageOptions& options_;
  double gamma_;
  std::vector<double> mean_products_;
};

}  // namespace

void PreimageOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "starts", .help = "training points to start from"}, starts, {.least = 1});
  visit.whole({.name = "max-iterations", .help = "fixed-point steps from each start"},
              max_iterations,
              {.least = 1});
  visit.number({.name = "tolerance",
                .help = "ends when a step moves the point by less than this part of its length",
                .value = "PART"},
               tolerance,
               rules::share_below_one);
}

Preimages KernelPcaModel::preimages(DenseView scores, const PreimageOptions& options) const {
  maxmargin::validate(options);
  require(std::holds_alternative<Rbf>(kernel),
          "the kernel is " + kernel_name(kernel) + ", must be rbf");
  require(scores.cols == coefficients.rows(),
          "there are " + std::to_string(scores.cols) + " scores a row, the model has " +
              std::to_string(coefficients.rows()) + " components");
  const PreimageSearch search(*this, options);
  Preimages result{.points = DenseMatrix(scores.rows, examples.cols()),
                   .squared_distances = std::vector<double>(scores.rows)};
  const ChunkBody one_row = [&](std::size_t row, std::size_t, std::size_t) {
    const std::span<const double> wanted = scores.row(row);
    for (const double score : wanted) {
      require_field(std::isfinite(score), "a score", score, "finite");
    }
    const Target target = search.target(wanted);
    double highest = -std::numeric_limits<double>::infinity();
    for (const std::size_t start : search.starts(wanted)) {
      std::vector<double> z(examples.cols(), 0.0);
      examples.row(start).axpy_into(1.0, z);
      const double height = search.climb(target, z);
      if (height > highest) {
        highest = height;
        std::ranges::copy(z, result.points.row(row).begin());
      }
    }
    result.squared_distances[row] = std::max(0.0, 1 - 2 * highest + target.squared_norm);
  };
  parallel_chunks(thread_count(options.context.threads), scores.rows, 1, one_row);
  return result;
}

}  // namespace maxmargin
