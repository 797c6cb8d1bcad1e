// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-alternating.md, "A bound from features"
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "problem/saddle/factored_saddle.hpp"

namespace maxmargin {

inline double squared_norm(const DenseMatrix& x) { return dot(x.values(), x.values()); }

/// The hinges C max(0, 1 - t_i), each replaced by the largest of l (1 - t_i) - (l - p_i)^2 / (2
/// rho) over 0 <= l <= C: smooth, below the hinge, and equal to it in value and slope where l =
/// p_i. The multipliers p_i are moved to the maximisers l_i after every solve.
class SmoothedHinges {
 public:
  SmoothedHinges(const FactoredSaddle& problem, std::size_t threads)
      : problem_(problem),
        threads_(threads),
        lengths_(problem.size(), 0.0),
        slopes_(problem.size(), 0.0),
        multipliers_(problem.size(), 0.0) {}

  double rho = 1;

  /// Value at w; `gradient` becomes its gradient.
  double evaluate(const DenseMatrix& w, DenseMatrix& gradient) {
    const DenseView z = problem_.features;
    const std::size_t chunks = chunk_count(z.rows, rows_at_once);
    std::vector<DenseMatrix> parts(chunks);
    const double loss = parallel_sum(
        threads_, z.rows, rows_at_once, 0.0, [&](std::size_t c, std::size_t b, std::size_t e) {
          DenseMatrix images(e - b, w.cols());
          gemm(
              Transpose::no, Transpose::no, 1.0, z.middle_rows(b, e), w.view(), 0.0, images.view());
          double sum = 0;
          for (std::size_t i = b; i < e; ++i) sum += hinge(i, images.row(i - b));
          parts[c] = DenseMatrix(w.rows(), w.cols());
          gemm(Transpose::yes,
               Transpose::no,
               1.0,
               z.middle_rows(b, e),
               images.view(),
               0.0,
               parts[c].view());
          return sum;
        });
    gradient = w;
    for (const DenseMatrix& part : parts) axpy(-1.0, part.values(), gradient.values());
    return 0.5 * squared_norm(w) + loss;
  }

  /// |W'z_i| and l_i at the last point.
  [[nodiscard]] const std::vector<double>& lengths() const { return lengths_; }
  [[nodiscard]] const std::vector<double>& slopes() const { return slopes_; }

  /// Moves the multipliers; how far they were from the maximisers, over rho.
  double update() {
    double change = 0;
    for (std::size_t i = 0; i < slopes_.size(); ++i) {
      const double move = slopes_[i] - multipliers_[i];
      change += move * move;
    }
    multipliers_ = slopes_;
    return std::sqrt(change) / rho;
  }
  void set_multipliers(double value) { std::ranges::fill(multipliers_, value); }

 private:
  static constexpr std::size_t rows_at_once = 2048;

  /// Loss of point i; its image becomes l_i / t_i times itself.
  double hinge(std::size_t i, std::span<double> image) {
    const double t = std::sqrt(dot(image, image));
    const double p = multipliers_[i];
    const double l = std::clamp(p + rho * (1 - t), 0.0, problem_.c);
    lengths_[i] = t;
    slopes_[i] = l;
    const double factor = t > 0 ? l / t : 0.0;
    for (double& x : image) x *= factor;
    return l * (1 - t) - (l - p) * (l - p) / (2 * rho);
  }

  const FactoredSaddle& problem_;
  std::size_t threads_;
  std::vector<double> lengths_;
  std::vector<double> slopes_;
  std::vector<double> multipliers_;
};

}  // namespace maxmargin
