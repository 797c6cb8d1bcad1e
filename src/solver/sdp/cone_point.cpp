// SPDX-License-Identifier: Apache-2.0
#include "solver/sdp/cone_point.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t rows_per_chunk = 64;
/// Above this size an extreme eigenvalue comes cheaper by Lanczos.
constexpr std::size_t largest_dense = 48;

DenseMatrix inverse_factor(const Cholesky& factor, std::size_t threads) {
  DenseMatrix w(factor.size(), factor.size());
  parallel_chunks(threads,
                  w.rows(),
                  rows_per_chunk,
                  [&](std::size_t /*chunk*/, std::size_t begin, std::size_t end) {
                    for (std::size_t k = begin; k < end; ++k) {
                      w(k, k) = 1;
                      factor.solve_lower(w.row(k));
                    }
                  });
  return w;
}

}  // namespace

void multiply(const DenseMatrix& a, const DenseMatrix& b, DenseMatrix& c, std::size_t threads) {
  parallel_chunks(threads,
                  a.rows(),
                  rows_per_chunk,
                  [&](std::size_t /*chunk*/, std::size_t begin, std::size_t end) {
                    gemm(Transpose::no,
                         Transpose::no,
                         1.0,
                         a.view().middle_rows(begin, end),
                         b.view(),
                         0.0,
                         c.view().middle_rows(begin, end));
                  });
}

ConePoint::ConePoint(const ScaledSdp& program,
                     const std::vector<double>& multiples,
                     std::size_t threads)
    : program_(&program), threads_(threads) {
  BlockMatrix identity = program.problem->zero_point();
  for (std::size_t k = 0; k < identity.size(); ++k) {
    for (std::size_t i = 0; i < identity[k].cols(); ++i) {
      identity[k](program.blocks[k].is_vector() ? 0 : i, i) = multiples[k];
    }
  }
  if (!set(std::move(identity))) throw InternalError("a multiple of the identity is not definite");
}

bool ConePoint::set(BlockMatrix point) {
  BlockMatrix factors(point.size());
  for (std::size_t k = 0; k < point.size(); ++k) {
    if (program_->blocks[k].is_vector()) {
      const auto is_positive = [](double value) { return value > 0 && std::isfinite(value); };
      if (!std::ranges::all_of(point[k].values(), is_positive)) return false;
      continue;
    }
    const auto is_finite = [](double value) { return std::isfinite(value); };
    if (!std::ranges::all_of(point[k].values(), is_finite)) return false;
    const auto factor = Cholesky::factor(point[k].view(), 0.0);
    if (!factor) return false;
    factors[k] = inverse_factor(*factor, threads_);
    if (!std::ranges::all_of(factors[k].values(), is_finite)) return false;
  }
  point_ = std::move(point);
  inverse_factors_ = std::move(factors);
  return true;
}

BlockMatrix ConePoint::inverse() const {
  BlockMatrix result(point_.size());
  for (std::size_t k = 0; k < point_.size(); ++k) {
    if (program_->blocks[k].is_vector()) {
      result[k] = point_[k];
      for (double& value : result[k].values()) value = 1 / value;
      continue;
    }
    const DenseMatrix& w = inverse_factors_[k];
    DenseMatrix target = DenseMatrix::uninitialized(w.rows(), w.cols());
    parallel_chunks(threads_,
                    w.rows(),
                    rows_per_chunk,
                    [&](std::size_t /*chunk*/, std::size_t begin, std::size_t end) {
                      gemm(Transpose::no,
                           Transpose::yes,
                           1.0,
                           w.view().middle_rows(begin, end),
                           w.view(),
                           0.0,
                           target.view().middle_rows(begin, end));
                    });
    // Products of the same numbers in another order need not be symmetric to the last bit.
    mirror_lower(target.view());
    result[k] = std::move(target);
  }
  return result;
}

double ConePoint::least_ratio(std::size_t block, const DenseMatrix& direction) const {
  const DenseMatrix& w = inverse_factors_[block];
  const std::size_t n = w.rows();
  if (n > largest_dense) {
    std::vector<double> first(n);
    std::vector<double> second(n);
    const ExtremeEigen found = extreme_eigenpairs(
        n,
        [&](std::span<const double> v, std::span<double> result) {
          gemv(Transpose::no, 1.0, w.view(), v, 0.0, first);
          gemv(Transpose::no, 1.0, direction.view(), first, 0.0, second);
          gemv(Transpose::yes, 1.0, w.view(), second, 0.0, result);
        },
        {.count = 1, .end = SpectrumEnd::smallest, .tolerance = 1e-3, .max_iterations = 50});
    if (!found.pairs.values.empty()) return found.pairs.values.front() - found.residual;
  }
  auto half = DenseMatrix::uninitialized(n, n);
  auto whole = DenseMatrix::uninitialized(n, n);
  gemm(Transpose::yes, Transpose::no, 1.0, w.view(), direction.view(), 0.0, half.view());
  gemm(Transpose::no, Transpose::no, 1.0, half.view(), w.view(), 0.0, whole.view());
  return eigenvalues_symmetric(whole.view()).front();
}

double ConePoint::longest_step(const BlockMatrix& direction, double most) const {
  double least = 0;
  for (std::size_t k = 0; k < point_.size(); ++k) {
    if (point_[k].cols() == 0) continue;
    if (program_->blocks[k].is_vector()) {
      for (std::size_t j = 0; j < point_[k].cols(); ++j) {
        least = std::min(least, direction[k](0, j) / point_[k](0, j));
      }
    } else {
      least = std::min(least, least_ratio(k, direction[k]));
    }
  }
  return least * most < -1 ? -1 / least : most;
}

}  // namespace maxmargin
