// SPDX-License-Identifier: Apache-2.0
#include "linalg/block_eigenpairs.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"

// How it goes.
//
// V has orthonormal rows, W = V A holds their images, H = V W'.
// 1. Rayleigh-Ritz: the eigenpairs (theta, y) of H give Ritz vectors x = y V with images y W, and
//    residuals y W - theta y V, without touching A.
// 2. Stop when the residuals of the `count` largest are small.
// 3. A full basis is replaced by its best Ritz vectors (thick restart).
// 4. The residuals of the leading pairs, preconditioned if the caller can, are made orthonormal to
//    V and join it; one application of A gives their images.

namespace maxmargin {

namespace {

/// Pairs looked at beyond those wanted: the last wanted pair converges at the rate of the gap to
/// the first one outside the block.
constexpr std::size_t guard_pairs = 6;
/// Blocks in a full basis.
constexpr std::size_t full_basis_blocks = 10;

void require_all_finite(DenseView matrix) {
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const std::span<const double> row = matrix.row(i);
    const bool finite =
        std::all_of(row.begin(), row.end(), [](double value) { return std::isfinite(value); });
    require(finite, "largest_eigenpairs: the operator gave a value that is not finite");
  }
}

double norm_of(std::span<const double> v) { return std::sqrt(dot(v, v)); }

/// A basis that grows: rows [0, size) of both matrices.
class Basis {
 public:
  Basis(std::size_t capacity, std::size_t n)
      : vectors_(DenseMatrix::uninitialized(capacity, n)),
        images_(DenseMatrix::uninitialized(capacity, n)),
        products_(capacity, capacity) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t capacity() const { return vectors_.rows(); }
  [[nodiscard]] DenseView vectors() const { return vectors_.view().middle_rows(0, size_); }
  [[nodiscard]] DenseView images() const { return images_.view().middle_rows(0, size_); }

  /// Makes the rows of `block` orthonormal to the basis and to each other, leaves out those that
  /// depend on the rest, and appends the others with their images. False when none is left.
  bool append(MutableDenseView block, const BlockOperator& apply) {
    block.rows = std::min(block.rows, capacity() - size_);
    // Twice: the second time what is left is as orthogonal as numbers can say.
    for (int round = 0; round < 2; ++round) {
      remove_basis(block);
      block.rows = orthonormalize(block);
    }
    if (block.rows == 0) return false;
    const std::size_t begin = size_;
    for (std::size_t i = 0; i < block.rows; ++i) {
      std::ranges::copy(block.row(i), vectors_.row(size_++).begin());
    }
    const MutableDenseView images = images_.view().middle_rows(begin, size_);
    apply(DenseView(vectors_.view()).middle_rows(begin, size_), images);
    require_all_finite(images);
    extend_products(begin);
    return true;
  }

  /// Eigenpairs of H.
  [[nodiscard]] EigenPairs ritz() const {
    return eigen_symmetric({products_.data(), size_, size_, products_.cols()});
  }

  /// The basis becomes the combinations that the rows of `rotation` (orthonormal) name.
  void restart(DenseView rotation, std::span<const double> values) {
    for (DenseMatrix* matrix : {&vectors_, &images_}) {
      DenseMatrix turned = combine(rotation, matrix->view().middle_rows(0, size_));
      std::ranges::copy(turned.values(), matrix->data());
    }
    size_ = rotation.rows;
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) products_(i, j) = i == j ? values[i] : 0.0;
    }
  }

  [[nodiscard]] static DenseMatrix combine(DenseView rotation, DenseView rows) {
    auto result = DenseMatrix::uninitialized(rotation.rows, rows.cols);
    gemm(Transpose::no, Transpose::no, 1.0, rotation, rows, 0.0, result.view());
    return result;
  }

 private:
  /// block -= (block V') V.
  void remove_basis(MutableDenseView block) const {
    if (size_ == 0 || block.rows == 0) return;
    scale_to_unit(block);
    auto shares = DenseMatrix::uninitialized(block.rows, size_);
    gemm(Transpose::no, Transpose::yes, 1.0, block, vectors(), 0.0, shares.view());
    gemm(Transpose::no, Transpose::no, -1.0, shares.view(), vectors(), 1.0, block);
  }
  static void scale_to_unit(MutableDenseView block) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      const double length = norm_of(block.row(i));
      for (double& entry : block.row(i)) entry = length > 0 ? entry / length : 0.0;
    }
  }
  /// Gram-Schmidt within the block; rows that depend on earlier ones (or were unit vectors of which
  /// next to nothing is left) are dropped. Returns how many rows remain, the first ones.
  static std::size_t orthonormalize(MutableDenseView block) {
    constexpr double dependent = 1e-10;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < block.rows; ++i) {
      const std::span<double> v = block.row(i);
      const double before = norm_of(v);
      if (!(before > dependent)) continue;
      for (std::size_t j = 0; j < kept; ++j) axpy(-dot(block.row(j), v), block.row(j), v);
      const double rest = norm_of(v);
      if (!(rest > dependent * std::max(1.0, before))) continue;
      const std::span<double> place = block.row(kept++);
      for (std::size_t j = 0; j < v.size(); ++j) place[j] = v[j] / rest;
    }
    return kept;
  }
  /// Rows [begin, size) of H, its lower triangle.
  void extend_products(std::size_t begin) {
    const MutableDenseView rows{
        products_.data() + begin * products_.cols(), size_ - begin, size_, products_.cols()};
    gemm(Transpose::no,
         Transpose::yes,
         1.0,
         images_.view().middle_rows(begin, size_),
         vectors(),
         0.0,
         rows);
  }

  std::size_t size_ = 0;
  DenseMatrix vectors_;
  DenseMatrix images_;
  DenseMatrix products_;
};

/// The best pairs of the basis, largest first: `values` and `rotation` of those a restart keeps,
/// residuals of the first ones.
struct Leading {
  DenseMatrix rotation = {};
  std::vector<double> values = {};
  DenseMatrix residuals = {};
  std::vector<double> norms = {};
};

Leading leading_pairs(const Basis& basis, std::size_t kept, std::size_t looked_at) {
  const EigenPairs ritz = basis.ritz();
  kept = std::min(kept, basis.size());
  looked_at = std::min(looked_at, kept);
  Leading leading{.rotation = DenseMatrix::uninitialized(kept, basis.size())};
  for (std::size_t i = 0; i < kept; ++i) {
    const std::size_t from = basis.size() - 1 - i;
    leading.values.push_back(ritz.values[from]);
    std::ranges::copy(ritz.vectors.row(from), leading.rotation.row(i).begin());
  }
  const DenseView rotation = DenseView(leading.rotation.view()).middle_rows(0, looked_at);
  leading.residuals = Basis::combine(rotation, basis.images());
  const DenseMatrix vectors = Basis::combine(rotation, basis.vectors());
  for (std::size_t i = 0; i < looked_at; ++i) {
    axpy(-leading.values[i], vectors.row(i), leading.residuals.row(i));
    leading.norms.push_back(norm_of(leading.residuals.row(i)));
  }
  return leading;
}

/// The wanted pairs in ascending order.
void write_pairs(const Basis& basis, const Leading& leading, std::size_t count, BlockEigen& found) {
  const DenseView rotation = DenseView(leading.rotation.view()).middle_rows(0, count);
  const DenseMatrix vectors = Basis::combine(rotation, basis.vectors());
  found.pairs.values.assign(leading.values.rend() - static_cast<std::ptrdiff_t>(count),
                            leading.values.rend());
  found.pairs.vectors = DenseMatrix::uninitialized(count, vectors.cols());
  for (std::size_t i = 0; i < count; ++i) {
    std::ranges::copy(vectors.row(count - 1 - i), found.pairs.vectors.row(i).begin());
    fix_sign(found.pairs.vectors.row(i));
  }
}

/// The operator as a matrix, solved by LAPACK.
BlockEigen solve_densely(std::size_t n, const BlockOperator& apply, std::size_t count) {
  DenseMatrix unit(n, n);
  for (std::size_t i = 0; i < n; ++i) unit(i, i) = 1;
  auto matrix = DenseMatrix::uninitialized(n, n);
  apply(unit.view(), matrix.view());
  require_all_finite(matrix.view());
  const EigenPairs all = eigen_symmetric(matrix.view());
  BlockEigen found{.steps = 1};
  const auto first = all.values.end() - static_cast<std::ptrdiff_t>(count);
  found.pairs.values.assign(first, all.values.end());
  found.pairs.vectors = DenseMatrix::uninitialized(count, n);
  std::copy_n(all.vectors.row(n - count).data(), count * n, found.pairs.vectors.data());
  auto images = DenseMatrix::uninitialized(count, n);
  apply(found.pairs.vectors.view(), images.view());
  for (std::size_t i = 0; i < count; ++i) {
    axpy(-found.pairs.values[i], found.pairs.vectors.row(i), images.row(i));
    found.residual = std::max(found.residual, norm_of(images.row(i)));
  }
  return found;
}

/// `start`, then random rows.
DenseMatrix first_block(std::size_t rows, std::size_t n, DenseView start, std::uint64_t seed) {
  auto block = DenseMatrix::uninitialized(rows, n);
  for (std::size_t i = 0; i < rows; ++i) {
    if (i < start.rows) {
      std::ranges::copy(start.row(i), block.row(i).begin());
      continue;
    }
    Rng rng(seed, "largest eigenpairs", i);
    for (double& entry : block.row(i)) entry = rng.normal();
  }
  return block;
}

/// The rows of the residuals that are not small yet, preconditioned.
DenseMatrix directions(const Leading& leading, double small, const BlockOperator& precondition) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < leading.norms.size(); ++i) {
    if (leading.norms[i] > small) open.push_back(i);
  }
  auto block = DenseMatrix::uninitialized(open.size(), leading.residuals.cols());
  for (std::size_t i = 0; i < open.size(); ++i) {
    std::ranges::copy(leading.residuals.row(open[i]), block.row(i).begin());
  }
  if (!precondition || open.empty()) return block;
  auto better = DenseMatrix::uninitialized(block.rows(), block.cols());
  precondition(block.view(), better.view());
  return better;
}

}  // namespace

void multiply_symmetric(DenseView matrix,
                        DenseView vectors,
                        MutableDenseView images,
                        std::size_t threads) {
  require(matrix.rows == matrix.cols && vectors.cols == matrix.rows && images.cols == matrix.rows &&
              images.rows == vectors.rows,
          "multiply_symmetric: the sizes do not fit");
  constexpr std::size_t chunk = 256;
  parallel_chunks(
      threads, matrix.rows, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
        const MutableDenseView part{images.data + begin, images.rows, end - begin, images.stride};
        gemm(
            Transpose::no, Transpose::yes, 1.0, vectors, matrix.middle_rows(begin, end), 0.0, part);
      });
}

void BlockEigenOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "count", .help = "largest pairs to find"}, count, {.least = 1});
  visit.number(
      {.name = "tolerance", .help = "residual of a pair over the scale"},
      tolerance,
      NumberRule{"a number from 1e-13 to below 1", {.least = 1e-13, .most = 1, .has_least = true}});
  visit.number(
      {.name = "scale", .help = "a bound on the largest singular value"}, scale, rules::positive);
  visit.whole({.name = "max-steps", .help = "applications of the operator to a block"},
              max_steps,
              {.least = 1});
}

BlockEigen largest_eigenpairs(std::size_t n,
                              const BlockOperator& apply,
                              const BlockEigenOptions& options,
                              const BlockOperator& precondition,
                              DenseView start) {
  validate(options);
  require_field(options.count <= n,
                "count",
                static_cast<double>(options.count),
                "at most n = " + std::to_string(n));
  require(apply != nullptr, "largest_eigenpairs: the operator must not be empty");
  require(start.rows == 0 || start.cols == n,
          "largest_eigenpairs: the start vectors must have n entries");
  const std::size_t block = options.count + guard_pairs;
  constexpr std::size_t dense_size = 64;
  if (n <= dense_size || 4 * block > n) return solve_densely(n, apply, options.count);

  const std::size_t capacity = std::min(n, full_basis_blocks * block);
  require_memory_for_numbers(2 * capacity, n, "largest_eigenpairs: the basis and its images");
  Basis basis(capacity, n);
  DenseMatrix first = first_block(std::max(block, start.rows), n, start, options.context.seed);
  (void)basis.append(first.view(), apply);
  BlockEigen found{.steps = 1};
  while (true) {
    const Leading leading = leading_pairs(basis, 2 * block, block);
    const double scale = options.scale.value_or(
        std::max(std::abs(leading.values[0]), std::abs(leading.values.back())));
    found.residual = *std::max_element(
        leading.norms.begin(), leading.norms.begin() + static_cast<std::ptrdiff_t>(options.count));
    const double small = options.tolerance * scale;
    const Continue answer = options.context.ask({.phase = "eigenvectors",
                                                 .iteration = found.steps,
                                                 .max_iterations = options.max_steps,
                                                 .gap = scale > 0 ? found.residual / scale : 0.0,
                                                 .target = options.tolerance});
    if (found.residual <= small) break;
    if (answer != Continue::yes || found.steps == options.max_steps) {
      found.status = answer != Continue::yes ? status_of(answer) : Status::iteration_limit;
      break;
    }
    DenseMatrix next = directions(leading, small, precondition);
    if (basis.size() + next.rows() > basis.capacity()) {
      basis.restart(leading.rotation.view(), leading.values);
    }
    if (!basis.append(next.view(), apply)) {
      found.status = Status::no_progress;
      break;
    }
    ++found.steps;
  }
  const Leading last = leading_pairs(basis, options.count, 0);
  write_pairs(basis, last, options.count, found);
  return found;
}

}  // namespace maxmargin
