// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/saddle.md, step 5.
#include "solver/saddle/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/block_cholesky.hpp"
#include "linalg/block_eigenpairs.hpp"
#include "linalg/eigen_symmetric.hpp"

namespace maxmargin::saddle {

namespace {

constexpr std::size_t chunk = 128;
constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Up to so many rows all eigenvalues by LAPACK take less than a few by Lanczos.
constexpr std::size_t few_rows = 300;
/// How fast a shift grows.
constexpr double growth = 1.5;

void transpose(DenseView from, MutableDenseView to) {
  for (std::size_t i = 0; i < from.rows; ++i) {
    for (std::size_t j = 0; j < from.cols; ++j) to(j, i) = from(i, j);
  }
}

/// Products with S, of several vectors at once.
class SlackOperator {
 public:
  SlackOperator(const Form& form, const Certificate& certificate, std::size_t threads)
      : form_(form), certificate_(certificate), threads_(threads) {}

  /// Row j of `images` becomes -S times row j of `vectors`.
  void apply_minus(DenseView vectors, MutableDenseView images) {
    const std::size_t count = vectors.rows;
    const std::size_t rows = form_.rows().rows();
    const std::vector<double>& l = certificate_.lambda;
    DenseMatrix x(rows, count);
    transpose(vectors, x.view());
    DenseMatrix storage;
    const DenseView y = form_.rows().expand(x.view(), storage);
    DenseMatrix points(form_.points(), count);
    form_.multiply(l, y, points.view(), scratch_, threads_);
    for (std::size_t i = 0; i < points.rows(); ++i) {
      for (double& entry : points.row(i)) entry *= -0.5 * l[i];
    }
    form_.add_point_part(certificate_.multipliers, 1, x.view(), y, points.view());
    DenseMatrix pulled;
    if (!form_.rows().is_identity()) {
      pulled = DenseMatrix(rows, count);
      form_.rows().pull_back(points.view(), pulled.view());
    }
    DenseMatrix& image = form_.rows().is_identity() ? points : pulled;
    form_.add_row_part(l, certificate_.multipliers, 1, x.view(), y, image.view());
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        images(j, i) = -image(i, j) - certificate_.diagonal[i] * x(i, j);
      }
    }
  }

  /// -S itself.
  [[nodiscard]] DenseMatrix minus_matrix() {
    const std::size_t rows = form_.rows().rows();
    DenseMatrix unit(rows, rows);
    for (std::size_t i = 0; i < rows; ++i) unit(i, i) = 1;
    DenseMatrix matrix(rows, rows);
    apply_minus(unit.view(), matrix.view());
    return matrix;
  }

 private:
  const Form& form_;
  const Certificate& certificate_;
  std::size_t threads_;
  DenseMatrix scratch_;
};

/// S entry by entry, and what its rounding is in proportion to.
class Slack {
 public:
  Slack(const Form& form, const Certificate& certificate, std::size_t threads)
      : form_(form),
        certificate_(certificate),
        threads_(threads),
        row_sizes_(form.points(), 0.0),
        hub_column_(form.rows().has_hub() ? form.points() : 0, 0.0) {
    const std::size_t n = form.points();
    const std::span<const double> hub = form.rows().hub();
    parallel_chunks(threads, n, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          row_sizes_[i] += entry_size(i, j);
          if (!hub.empty()) hub_column_[i] += hub[j] * entry(i, j);
        }
      }
    });
    hub_entry_ = form.corner_entry(certificate.multipliers);
    for (std::size_t i = 0; i < hub.size(); ++i) hub_entry_ += hub[i] * hub_column_[i];
  }

  /// Lower triangle of S + shift I.
  [[nodiscard]] DenseMatrix shifted(double shift) const {
    const std::span<const std::size_t> own = form_.rows().own_points();
    const std::size_t first = form_.rows().first_own();
    const double scale = form_.rows().own() * form_.rows().own();
    const std::size_t rows = form_.rows().rows();
    auto s = DenseMatrix::uninitialized(rows, rows);
    parallel_chunks(
        threads_, own.size(), chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
          for (std::size_t k = begin; k < end; ++k) {
            const std::span<double> row = s.row(first + k);
            if (first == 1) row[0] = hub_row_entry(own[k]);
            for (std::size_t j = 0; j <= k; ++j) row[first + j] = scale * entry(own[k], own[j]);
            row[first + k] += certificate_.diagonal[first + k] + shift;
          }
        });
    if (first == 1) s(0, 0) = hub_entry_ + certificate_.diagonal[0] + shift;
    return s;
  }

  /// A bound on what forming S and factoring S + shift I in double may hide: the entries' own
  /// rounding, and for the factor (rows + 2) eps times the trace (Demmel; Rump 2006). Entries of
  /// the hub's row are sums over the points: they err by an arrow, whose norm is at most that of
  /// its corner and of its column.
  [[nodiscard]] double rounding(double shift) const {
    const std::span<const std::size_t> own = form_.rows().own_points();
    const std::size_t first = form_.rows().first_own();
    const double scale = form_.rows().own();
    const auto rows = static_cast<double>(form_.rows().rows());
    double trace = rows * shift;
    double largest_row = 0;
    double column = 0;  // of the arrow, squared
    for (std::size_t k = 0; k < own.size(); ++k) {
      const double y = std::abs(certificate_.diagonal[first + k]);
      trace += y + scale * scale * entry_size(own[k], own[k]);
      largest_row = std::max(largest_row, y + scale * scale * row_sizes_[own[k]]);
      const double hub = scale * row_sizes_[own[k]] + std::abs(row_part(own[k]));
      column += hub * hub;
    }
    double hidden = (rows + 8) * trace + 8 * (largest_row + shift);
    if (first == 1) {
      double corner = std::abs(certificate_.diagonal[0]);
      hidden += (rows + 8) * (corner + std::abs(hub_entry_));
      corner += form_.corner_size(certificate_.multipliers);
      for (std::size_t i = 0; i < row_sizes_.size(); ++i) {
        corner += std::abs(form_.rows().hub()[i]) * row_sizes_[i];
      }
      const auto points = static_cast<double>(form_.points());
      hidden += (2 * points + 16) * corner + (points + 8) * std::sqrt(column);
    }
    return epsilon * hidden;
  }

 private:
  /// Of B - A between two points, and the size of its terms.
  [[nodiscard]] double entry(std::size_t i, std::size_t j) const {
    return form_.point_entry(certificate_.multipliers, i, j) - quadratic(i, j);
  }
  [[nodiscard]] double entry_size(std::size_t i, std::size_t j) const {
    const std::vector<double>& p = certificate_.multipliers;
    const double size = std::abs(quadratic(i, j));
    if (form_.constraint_kind() == ConstraintKind::row_sums)
      return size + 0.5 * (std::abs(p[i]) + std::abs(p[j]));
    return size + std::abs(form_.point_entry(p, i, j));
  }
  [[nodiscard]] double quadratic(std::size_t i, std::size_t j) const {
    const std::vector<double>& l = certificate_.lambda;
    return 0.5 * form_.c() * l[i] * l[j] * form_.kernel()(i, j);
  }
  [[nodiscard]] double row_part(std::size_t i) const {
    return form_.row_entry(certificate_.lambda, certificate_.multipliers, i);
  }
  /// Between the hub and the row of point i.
  [[nodiscard]] double hub_row_entry(std::size_t i) const {
    return form_.rows().own() * hub_column_[i] + row_part(i);
  }

  const Form& form_;
  const Certificate& certificate_;
  std::size_t threads_;
  std::vector<double> row_sizes_;   ///< sum_j |entry(i, j)|
  std::vector<double> hub_column_;  ///< sum_j hub_j entry(i, j)
  double hub_entry_ = 0;
};

}  // namespace

LeastEigenvalue estimate_least_eigenvalue(const Form& form,
                                          const Certificate& certificate,
                                          double resolution,
                                          std::uint64_t seed,
                                          std::size_t threads,
                                          const ProgressCallback& on_progress) {
  double scale = 0;
  for (const double y : certificate.diagonal) scale = std::max(scale, std::abs(y));
  const std::size_t rows = form.rows().rows();
  BlockEigenOptions options{
      .count = 2, .max_steps = 200, .context = {.seed = seed, .on_progress = on_progress}};
  options.count = std::min(options.count, rows);
  // The value errs by the square of the residual over a gap; half the digits are enough.
  options.tolerance = std::clamp(scale > 0 ? 0.3 * resolution / scale : 1e-6, 1e-10, 1e-2);
  SlackOperator slack(form, certificate, threads);
  const EigenPairs pairs = rows <= few_rows ? eigen_symmetric(slack.minus_matrix().view())
                                            : largest_eigenpairs(
                                                  rows,
                                                  [&](DenseView vectors, MutableDenseView images) {
                                                    slack.apply_minus(vectors, images);
                                                  },
                                                  options)
                                                  .pairs;
  const std::size_t last = pairs.values.size() - 1;
  const std::span<const double> vector = pairs.vectors.row(last);
  return {.value = -pairs.values[last], .vector = {vector.begin(), vector.end()}};
}

double bound_of(const Form& form, const Certificate& certificate, double least) {
  double sum = 0;
  form.for_each_constant(certificate, [&](double term) { sum += term; });
  for (const double y : certificate.diagonal) sum -= y;
  return sum - static_cast<double>(form.rows().rows()) * std::max(0.0, -least);
}

double prove_bound(const Form& form,
                   const Certificate& certificate,
                   double least,
                   double resolution,
                   double floor,
                   std::size_t threads,
                   const ProgressCallback& on_progress) {
  double magnitude = 0;
  double terms = 8;
  const auto measure = [&](double term) {
    magnitude += std::abs(term);
    terms += 1;
  };
  form.for_each_constant(certificate, measure);
  for (const double y : certificate.diagonal) measure(y);
  const double summing = terms * epsilon * magnitude;
  const Slack slack(form, certificate, threads);
  // Nothing below the rounding can be seen.
  const double first =
      std::max({resolution, slack.rounding(0), std::numeric_limits<double>::min()});
  double shift = std::max(0.0, -least) + first;
  for (; bound_of(form, certificate, -shift) > floor; shift *= growth) {
    if (ask(on_progress, {.phase = "certificate"}) != Continue::yes) break;
    if (!BlockCholesky::factor(slack.shifted(shift), threads, on_progress)) continue;
    const double proved = -shift - slack.rounding(shift);
    return bound_of(form, certificate, proved) - summing;
  }
  return -std::numeric_limits<double>::infinity();
}

}  // namespace maxmargin::saddle
