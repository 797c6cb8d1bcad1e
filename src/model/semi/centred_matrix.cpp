// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/s3vm.md, "The balance as an origin"
#include "model/semi/centred_matrix.hpp"

#include <algorithm>
#include <memory>
#include <variant>

#include "maxmargin/core/require.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

namespace {

/// Rows asked for at a time, at most.
constexpr std::size_t most_rows = 256;

}  // namespace

CentredMatrix::CentredMatrix(const SymmetricMatrix& matrix,
                             std::span<const std::size_t> origin,
                             const ProgressCallback& on_progress)
    : matrix_(matrix), origin_(origin.begin(), origin.end()), means_(matrix.size(), 0.0) {
  require(!origin.empty(), "the origin must be the mean of at least one row");
  const std::size_t block_rows = std::clamp<std::size_t>(matrix.rows_held() / 2, 8, most_rows);
  for (std::size_t begin = 0; begin < origin.size(); begin += block_rows) {
    const Continue answer = ask(on_progress,
                                {.phase = "mean of the unlabelled rows",
                                 .iteration = begin,
                                 .max_iterations = origin.size()});
    if (answer != Continue::yes) {
      status_ = status_of(answer);
      return;
    }
    const auto part = origin.subspan(begin, std::min(block_rows, origin.size() - begin));
    const RowBlock block = matrix.rows(part);
    std::visit(
        [&](const auto& rows) {
          for (const auto& row : rows) {
            for (std::size_t j = 0; j < means_.size(); ++j) {
              means_[j] += static_cast<double>(row[j]);
            }
          }
        },
        block.rows);
  }
  const auto count = static_cast<double>(origin.size());
  for (double& mean : means_) mean /= count;
  for (const std::size_t row : origin) grand_mean_ += means_[row] / count;
  const auto plain = matrix.diagonal();
  diagonal_.resize(plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    diagonal_[i] = std::max(plain[i] - 2 * means_[i] + grand_mean_, 0.0);
  }
}

RowBlock CentredMatrix::rows(std::span<const std::size_t> indices) const {
  const RowBlock plain = matrix_.rows(indices);
  // In double even where the rows are in float: the differences are small numbers.
  const auto centred = std::make_shared<DenseMatrix>(indices.size(), size());
  RowBlock::Double views;
  views.reserve(indices.size());
  std::visit(
      [&](const auto& rows) {
        for (std::size_t k = 0; k < indices.size(); ++k) {
          const auto to = centred->row(k);
          const double shift = grand_mean_ - means_[indices[k]];
          for (std::size_t j = 0; j < to.size(); ++j) {
            to[j] = static_cast<double>(rows[k][j]) - means_[j] + shift;
          }
          views.emplace_back(to);
        }
      },
      plain.rows);
  return {.rows = std::move(views), .owner = centred};
}

}  // namespace maxmargin
