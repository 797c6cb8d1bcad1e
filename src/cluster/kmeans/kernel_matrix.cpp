// SPDX-License-Identifier: Apache-2.0
#include "cluster/kmeans/kernel_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/stoppable.hpp"
#include "kernel/gram/stoppable.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

namespace maxmargin::kernel_kmeans {

namespace {

/// NaN counts as infinite.
void raise_to_magnitudes(std::span<const double> values, double& largest) {
  for (const double value : values) {
    if (std::abs(value) <= largest) continue;
    largest = std::isfinite(value) ? std::abs(value) : std::numeric_limits<double>::infinity();
  }
}

/// Columns of the sums that one task brings up to date: they stay in the nearest cache while the
/// rows of the Gram matrix stream by.
constexpr std::size_t column_chunk = 1024;

}  // namespace

KernelMatrix::KernelMatrix(DenseView gram, std::size_t threads) : threads_(threads), gram_(gram) {
  diagonal_.reserve(gram.rows);
  for (std::size_t i = 0; i < gram.rows; ++i) diagonal_.push_back(gram(i, i));
}

KernelMatrix::KernelMatrix(const Kernel& kernel,
                           const Examples& examples,
                           bool hold,
                           std::size_t threads,
                           SharedProgress& progress)
    : threads_(threads), progress_(&progress), kernel_(kernel) {
  diagonal_ = kernel_diagonal(
      kernel, examples, {.context = {.threads = threads}});  // checks the domain too
  if (hold) {
    require_memory_for_numbers(examples.rows(), examples.rows(), "the Gram matrix");
    const auto asked = [&](const Progress& step) { return progress(step); };
    StoppableGram found =
        gram_unless_stopped(kernel, examples, {.threads = threads, .on_progress = asked});
    if (found.answer != Continue::yes) throw Stopped(found.answer);
    own_ = std::move(found.matrix);
    gram_ = own_.view();
  } else {
    examples_ = &examples;
  }
}

void KernelMatrix::visit_blocks(const Examples& rows,
                                const Examples& cols,
                                const std::function<void(const Block&)>& visit) const {
  visit_cross_blocks(kernel_, rows, cols, threads_, [&](const Block& block) {
    // Thrown at once: what is left of these rows would be computed all the same.
    const Continue answer = (*progress_)({.phase = "kernel"});
    if (answer != Continue::yes) throw Stopped(answer);
    visit(block);
  });
}

double KernelMatrix::largest(bool is_psd) const {
  double largest = 0;
  raise_to_magnitudes(diagonal_, largest);
  if (is_psd) return largest;
  if (is_held()) {
    for (std::size_t i = 0; i < size(); ++i) raise_to_magnitudes(gram_.row(i), largest);
    return largest;
  }
  std::mutex mutex;
  visit_blocks(*examples_, *examples_, [&](const Block& block) {
    double of_block = 0;
    for (std::size_t r = 0; r < block.values.rows; ++r) {
      raise_to_magnitudes(block.values.row(r), of_block);
    }
    const std::lock_guard lock(mutex);
    largest = std::max(largest, of_block);
  });
  return largest;
}

DenseMatrix KernelMatrix::rows(std::span<const std::size_t> indices) const {
  DenseMatrix result = DenseMatrix::uninitialized(indices.size(), size());
  if (is_held()) {
    for (std::size_t r = 0; r < indices.size(); ++r) {
      std::ranges::copy(gram_.row(indices[r]), result.row(r).begin());
    }
    return result;
  }
  visit_blocks(examples_->select(indices), *examples_, [&](const Block& block) {
    for (std::size_t r = 0; r < block.values.rows; ++r) {
      std::ranges::copy(block.values.row(r),
                        result.row(block.row_begin + r).subspan(block.col_begin).begin());
    }
  });
  return result;
}

void KernelMatrix::apply(std::span<const Move> moves,
                         std::span<const double> weights,
                         MutableDenseView sums) const {
  if (moves.empty()) return;
  if (is_held()) {
    apply_held(moves, weights, sums);
  } else {
    apply_computed(moves, weights, sums);
  }
}

void KernelMatrix::apply_held(std::span<const Move> moves,
                              std::span<const double> weights,
                              MutableDenseView sums) const {
  // A few moves are over before a second thread has begun.
  const std::size_t threads = moves.size() < 16 ? 1 : threads_;
  parallel_chunks(
      threads, size(), column_chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
        const std::size_t count = end - begin;
        for (const Move& move : moves) {
          const double weight = weights[move.point];
          const auto row = gram_.row(move.point).subspan(begin, count);
          if (move.from != nowhere) {
            axpy(-weight, row, sums.row(static_cast<std::size_t>(move.from)).subspan(begin, count));
          }
          if (move.to != nowhere) {
            axpy(weight, row, sums.row(static_cast<std::size_t>(move.to)).subspan(begin, count));
          }
        }
      });
}

void KernelMatrix::apply_computed(std::span<const Move> moves,
                                  std::span<const double> weights,
                                  MutableDenseView sums) const {
  std::vector<std::size_t> points;
  points.reserve(moves.size());
  DenseMatrix changes(moves.size(), sums.rows);
  for (std::size_t m = 0; m < moves.size(); ++m) {
    const Move& move = moves[m];
    points.push_back(move.point);
    if (move.from != nowhere) {
      changes(m, static_cast<std::size_t>(move.from)) -= weights[move.point];
    }
    if (move.to != nowhere) changes(m, static_cast<std::size_t>(move.to)) += weights[move.point];
  }
  visit_blocks(*examples_, examples_->select(points), [&](const Block& block) {
    const MutableDenseView part{
        sums.data + block.row_begin, sums.rows, block.values.rows, sums.stride};
    gemm(Transpose::yes,
         Transpose::yes,
         1.0,
         changes.view().middle_rows(block.col_begin, block.col_begin + block.values.cols),
         block.values,
         1.0,
         part);
  });
}

}  // namespace maxmargin::kernel_kmeans
