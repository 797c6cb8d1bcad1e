// SPDX-License-Identifier: Apache-2.0
#include "kernel/gram/nystroem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t rows_at_once = 2048;

/// L^-1 of a lower triangular matrix, column by column.
DenseMatrix inverse_of_lower(DenseView lower) {
  const std::size_t m = lower.rows;
  DenseMatrix inverse(m, m);
  for (std::size_t j = 0; j < m; ++j) {
    inverse(j, j) = 1 / lower(j, j);
    for (std::size_t i = j + 1; i < m; ++i) {
      double sum = 0;
      for (std::size_t k = j; k < i; ++k) sum += lower(i, k) * inverse(k, j);
      inverse(i, j) = -sum / lower(i, i);
    }
  }
  return inverse;
}

/// Cholesky's factorisation of the kernel matrix, the largest remaining diagonal entry first.
class PivotedFactor {
 public:
  PivotedFactor(const Kernel& kernel, const Examples& examples, const NystroemOptions& options)
      : kernel_(kernel),
        examples_(examples),
        threads_(thread_count(options.context.threads)),
        left_(kernel_diagonal(kernel, examples, {.context = options.context})),
        factor_(examples.rows(), std::min(options.landmarks, examples.rows())) {
    const double largest = *std::ranges::max_element(left_);
    require(largest > 0, "nystroem: all points have K(x, x) = 0, there is nothing to span");
    while (pivots_.size() < factor_.cols()) {
      const auto next = std::ranges::max_element(left_);
      if (!(*next > options.tolerance * largest)) break;
      if (!pivots_.empty() &&
          options.context.ask({.phase = "landmarks",
                               .iteration = pivots_.size(),
                               .max_iterations = factor_.cols()}) != Continue::yes) {
        break;
      }
      take(static_cast<std::size_t>(next - left_.begin()));
    }
  }

  [[nodiscard]] NystroemFit finish() {
    const std::size_t m = pivots_.size();
    NystroemFit fit;
    fit.features = DenseMatrix(factor_.rows(), m);
    for (std::size_t i = 0; i < factor_.rows(); ++i) {
      std::ranges::copy(factor_.row(i).first(m), fit.features.row(i).begin());
    }
    DenseMatrix lower(m, m);
    for (std::size_t k = 0; k < m; ++k) {
      std::ranges::copy(fit.features.row(pivots_[k]), lower.row(k).begin());
    }
    fit.map = {.kernel = kernel_,
               .landmarks = examples_.select(pivots_),
               .rows = std::move(pivots_),
               .basis = inverse_of_lower(lower.view())};
    fit.missed = std::move(left_);
    return fit;
  }

 private:
  void take(std::size_t pivot) {
    const std::array<std::size_t, 1> row = {pivot};
    const DenseMatrix values =
        cross_gram(kernel_, examples_.select(row), examples_, {.context = {.threads = threads_}});
    const std::size_t k = pivots_.size();
    const double root = std::sqrt(left_[pivot]);
    const std::span<const double> own = factor_.row(pivot).first(k);
    parallel_chunks(threads_,
                    factor_.rows(),
                    rows_at_once,
                    [&](std::size_t, std::size_t begin, std::size_t end) {
                      for (std::size_t i = begin; i < end; ++i) {
                        const double known = dot(factor_.row(i).first(k), own);
                        const double next = (values(0, i) - known) / root;
                        factor_(i, k) = next;
                        left_[i] = std::max(0.0, left_[i] - next * next);
                      }
                    });
    // Landmarks are spanned exactly; rows before this one have nothing along the new direction.
    factor_(pivot, k) = root;
    left_[pivot] = 0;
    for (const std::size_t earlier : pivots_) factor_(earlier, k) = 0;
    pivots_.push_back(pivot);
  }

  const Kernel& kernel_;
  const Examples& examples_;
  std::size_t threads_;
  std::vector<double> left_;
  DenseMatrix factor_;
  std::vector<std::size_t> pivots_ = {};
};

}  // namespace

void NystroemOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "landmarks", .help = "landmarks at most; more come nearer to the kernel"},
              landmarks,
              {.least = 1});
  visit.number({.name = "tolerance", .help = "share of the largest K(x, x) that may be missed"},
               tolerance,
               rules::share_below_one);
  visit.threads(context.threads);
}

DenseMatrix NystroemMap::transform(const Examples& examples,
                                   std::optional<std::size_t> threads) const {
  const DenseMatrix values =
      cross_gram(kernel, examples, landmarks, {.context = {.threads = threads}});
  DenseMatrix features(values.rows(), basis.rows());
  const DenseView from = values.view();
  const MutableDenseView to = features.view();
  parallel_chunks(thread_count(threads),
                  values.rows(),
                  rows_at_once,
                  [&](std::size_t, std::size_t begin, std::size_t end) {
                    gemm(Transpose::no,
                         Transpose::yes,
                         1.0,
                         from.middle_rows(begin, end),
                         basis.view(),
                         0.0,
                         to.middle_rows(begin, end));
                  });
  return features;
}

DenseMatrix NystroemMap::landmark_coefficients(DenseView weights) const {
  require(weights.cols == basis.rows(),
          "nystroem: the weights must have one entry a feature, " + std::to_string(basis.rows()));
  DenseMatrix coefficients(basis.cols(), weights.rows);
  gemm(Transpose::yes, Transpose::yes, 1.0, basis.view(), weights, 0.0, coefficients.view());
  return coefficients;
}

NystroemFit fit_nystroem(const Kernel& kernel,
                         const Examples& examples,
                         const NystroemOptions& options) {
  validate(options);
  require(examples.rows() >= 1, "nystroem: there must be a point");
  require(definiteness(kernel) != Definiteness::indefinite,
          "nystroem: the kernel " + kernel_name(kernel) + " is not positive semidefinite");
  require(!std::holds_alternative<Precomputed>(kernel),
          "nystroem: a precomputed kernel has its matrix already");
  require_memory_for_numbers(
      2 * examples.rows(), std::min(options.landmarks, examples.rows()), "nystroem: features");
  return PivotedFactor(kernel, examples, options).finish();
}

}  // namespace maxmargin
