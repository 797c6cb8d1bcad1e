// SPDX-License-Identifier: Apache-2.0
#include "solver/sdp/schur.hpp"

#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/memory.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t rows_per_chunk = 8;

/// Entries of a symmetric matrix when both triangles are counted.
std::size_t full_entries(std::span<const SdpTerm> terms) {
  std::size_t count = 0;
  for (const SdpTerm& term : terms) count += term.row == term.column ? 1 : 2;
  return count;
}

/// A_i with its rows gathered: `rows` lists those with entries.
struct GatheredRows {
  std::vector<std::uint32_t> rows = {};
  /// Column j of X, restricted to `rows`: row j of an n x |rows| matrix.
  DenseMatrix x = {};
  /// Column j of A_i Z^-1, restricted to `rows`.
  DenseMatrix product = {};
};

std::vector<std::uint32_t> distinct_rows(std::span<const SdpTerm> terms) {
  std::vector<std::uint32_t> rows;
  for (const SdpTerm& term : terms) {
    rows.push_back(term.row);
    rows.push_back(term.column);
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

/// All entries of the Schur complement that one semidefinite block gives.
class SemidefiniteBlock {
 public:
  SemidefiniteBlock(const SdpBlockRows& block, const DenseMatrix& x, const DenseMatrix& z_inverse)
      : block_(&block), x_(&x), z_inverse_(&z_inverse), order_(block.rows()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::vector<std::size_t> counts(block.rows());
    for (std::size_t r = 0; r < block.rows(); ++r) counts[r] = full_entries(block.row(r));
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return counts[a] > counts[b];
    });
    remaining_.assign(order_.size() + 1, 0);
    for (std::size_t a = order_.size(); a-- > 0;) {
      remaining_[a] = remaining_[a + 1] + counts[order_[a]];
    }
  }
  /// Adds the entries of the rows that are `begin` to `end` in the order of their sizes with all
  /// rows from themselves on.
  void add(std::size_t begin, std::size_t end, DenseMatrix& m) const {
    for (std::size_t a = begin; a < end; ++a) add_row(a, m);
  }
  [[nodiscard]] std::size_t rows() const noexcept { return order_.size(); }

 private:
  void add_row(std::size_t a, DenseMatrix& m) const {
    const std::span<const SdpTerm> terms = block_->row(order_[a]);
    const auto n = static_cast<double>(block_->size);
    const auto own = static_cast<double>(full_entries(terms));
    const auto others = static_cast<double>(remaining_[a]);
    // Most rows have a handful of entries; there the number of rows is not worth knowing.
    if (own <= 4) {
      add_sums(a, m);
      return;
    }
    const auto rows = static_cast<double>(distinct_rows(terms).size());
    const double full = own * n + rows * n * n / 4 + 2 * others;
    const double half = own * n + rows * n + 2 * rows * others;
    const double sums = 4 * own * others;
    if (sums <= full && sums <= half) {
      add_sums(a, m);
    } else if (half <= full) {
      add_half_product(a, m);
    } else {
      add_full_product(a, m);
    }
  }

  void add_sums(std::size_t a, DenseMatrix& m) const {
    const std::span<const SdpTerm> terms = block_->row(order_[a]);
    add_each(a, m, [&](std::uint32_t p, std::uint32_t q) {
      double sum = 0;
      for (const SdpTerm& term : terms) {
        sum += term.value * (*x_)(p, term.row) * (*z_inverse_)(q, term.column);
        if (term.row != term.column) {
          sum += term.value * (*x_)(p, term.column) * (*z_inverse_)(q, term.row);
        }
      }
      return sum;
    });
  }
  void add_half_product(std::size_t a, DenseMatrix& m) const {
    const GatheredRows gathered = gather(block_->row(order_[a]));
    add_each(a, m, [&](std::uint32_t p, std::uint32_t q) {
      return dot(gathered.x.row(p), gathered.product.row(q));
    });
  }
  void add_full_product(std::size_t a, DenseMatrix& m) const {
    const GatheredRows gathered = gather(block_->row(order_[a]));
    auto product = DenseMatrix::uninitialized(block_->size, block_->size);
    gemm(Transpose::no,
         Transpose::yes,
         1.0,
         gathered.x.view(),
         gathered.product.view(),
         0.0,
         product.view());
    add_each(a, m, [&](std::uint32_t p, std::uint32_t q) { return product(p, q); });
  }

  [[nodiscard]] GatheredRows gather(std::span<const SdpTerm> terms) const {
    GatheredRows gathered{.rows = distinct_rows(terms)};
    const std::size_t n = block_->size;
    gathered.x = DenseMatrix::uninitialized(n, gathered.rows.size());
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t r = 0; r < gathered.rows.size(); ++r) {
        gathered.x(j, r) = (*x_)(j, gathered.rows[r]);
      }
    }
    DenseMatrix by_row(gathered.rows.size(), n);
    const auto add_to = [&](std::uint32_t row, std::uint32_t column, double value) {
      const auto r = static_cast<std::size_t>(std::ranges::lower_bound(gathered.rows, row) -
                                              gathered.rows.begin());
      axpy(value, z_inverse_->row(column), by_row.row(r));
    };
    for (const SdpTerm& term : terms) {
      add_to(term.row, term.column, term.value);
      if (term.row != term.column) add_to(term.column, term.row, term.value);
    }
    gathered.product = DenseMatrix::uninitialized(n, gathered.rows.size());
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t r = 0; r < gathered.rows.size(); ++r) gathered.product(j, r) = by_row(r, j);
    }
    return gathered;
  }

  /// M_ab += sum over the entries (p, q) of A_b of its value times (X A_a Z^-1)_pq.
  template <class Entry>
  void add_each(std::size_t a, DenseMatrix& m, const Entry& product) const {
    const std::size_t i = block_->constraint[order_[a]];
    for (std::size_t b = a; b < order_.size(); ++b) {
      double sum = 0;
      for (const SdpTerm& term : block_->row(order_[b])) {
        sum += term.value * product(term.row, term.column);
        if (term.row != term.column) sum += term.value * product(term.column, term.row);
      }
      const std::size_t j = block_->constraint[order_[b]];
      m(std::max(i, j), std::min(i, j)) += sum;
    }
  }

  const SdpBlockRows* block_;
  const DenseMatrix* x_;
  const DenseMatrix* z_inverse_;
  std::vector<std::size_t> order_;
  /// Entries of the rows from here on.
  std::vector<std::size_t> remaining_ = {};
};

/// A nonnegative block: M += A diag(x / z) A'.
void add_nonnegative(const SdpBlockRows& block,
                     const DenseMatrix& x,
                     const DenseMatrix& z_inverse,
                     DenseMatrix& m) {
  std::vector<std::vector<std::pair<std::uint32_t, double>>> columns(block.size);
  for (std::size_t r = 0; r < block.rows(); ++r) {
    for (const SdpTerm& term : block.row(r)) {
      columns[term.row].emplace_back(block.constraint[r], term.value);
    }
  }
  for (std::size_t j = 0; j < block.size; ++j) {
    const double weight = x(0, j) * z_inverse(0, j);
    // Constraints ascend, so the second is the lower index.
    for (std::size_t a = 0; a < columns[j].size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        m(columns[j][a].first, columns[j][b].first) +=
            weight * columns[j][a].second * columns[j][b].second;
      }
    }
  }
}

}  // namespace

DenseMatrix schur_complement(const ScaledSdp& program,
                             const BlockMatrix& x,
                             const BlockMatrix& z_inverse,
                             std::size_t threads) {
  const std::size_t m = program.constraints();
  require_memory_for_numbers(m, m, "the Schur complement of the interior-point method");
  DenseMatrix schur(m, m);
  for (std::size_t k = 0; k < program.blocks.size(); ++k) {
    const SdpBlockRows& block = program.blocks[k];
    if (block.is_vector()) {
      add_nonnegative(block, x[k], z_inverse[k], schur);
      continue;
    }
    const SemidefiniteBlock part(block, x[k], z_inverse[k]);
    parallel_chunks(threads,
                    part.rows(),
                    rows_per_chunk,
                    [&](std::size_t /*chunk*/, std::size_t begin, std::size_t end) {
                      part.add(begin, end, schur);
                    });
  }
  return schur;
}

}  // namespace maxmargin
