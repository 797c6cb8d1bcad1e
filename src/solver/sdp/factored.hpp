// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solver/sdp/scaled.hpp"

namespace maxmargin {

/// R: n x r for a semidefinite block, 1 x n for a nonnegative one (X = R R', x_j = r_j^2).
using Factor = BlockMatrix;

/// <C, .> and A(.) of a symmetric matrix.
struct Image {
  double cost = 0;
  std::vector<double> values = {};
};

/// The operators of a program on matrices given by factors, through the places of X that hold an
/// entry of C or of some A_i.
class FactoredSdp {
 public:
  FactoredSdp(const ScaledSdp& program, std::size_t threads);

  /// Image of (R D' + D R') / 2; of R R' when R and D are the same.
  [[nodiscard]] Image image(const Factor& r, const Factor& d) const;
  /// S = C - sum y_i A_i, kept for the next two.
  void set_dual(std::span<const double> y);
  /// 2 S R (2 s_j r_j): the gradient of <S, R R'>.
  void gradient(const Factor& r, Factor& result) const;
  /// y = S x of a semidefinite block.
  void multiply(std::size_t block, std::span<const double> x, std::span<double> result) const;
  /// s_j of a nonnegative block.
  [[nodiscard]] std::span<const double> diagonal(std::size_t block) const {
    return parts_[block].dual;
  }
  /// S of a block in full.
  [[nodiscard]] DenseMatrix dense(std::size_t block) const;

 private:
  struct Part {
    /// Whether places are numbered row * n + column; else they are those of `rows`.
    bool is_dense = false;
    /// Both triangles by rows: column and place number of every entry.
    std::vector<std::size_t> offsets = {};
    std::vector<std::uint32_t> columns = {};
    std::vector<std::size_t> places = {};
    /// Row and column of every place of the lower triangle.
    std::vector<SdpTerm> lower = {};
    /// Place of every term of the constraints, and of C.
    std::vector<std::size_t> term_places = {};
    std::vector<std::size_t> cost_places = {};
    /// S at the places.
    std::vector<double> dual = {};
  };
  void index(std::size_t block);
  [[nodiscard]] std::vector<double> products(std::size_t block,
                                             const DenseMatrix& r,
                                             const DenseMatrix& d) const;

  const ScaledSdp* program_;
  std::size_t threads_;
  std::vector<Part> parts_ = {};
};

}  // namespace maxmargin
