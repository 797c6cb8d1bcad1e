// SPDX-License-Identifier: Apache-2.0
#include "kernel/tiles/row_means.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "core/parallel.hpp"
#include "kernel/normalisation.hpp"
#include "kernel/overloaded.hpp"
#include "kernel/tiles/finish.hpp"
#include "kernel/tiles/tiles.hpp"
#include "maxmargin/core/memory.hpp"

namespace maxmargin {

namespace {

/// Rows computed together, and columns of a block.
constexpr std::size_t block_rows = 64;
constexpr std::size_t block_cols = 1024;
static_assert(block_cols % tile_alignment == 0);

/// use(i, values) for every row: its kernel values with all rows of `over`.
template <class Use>
void for_each_values(const Kernel& kernel,
                     const Examples& rows,
                     const Examples& over,
                     const Use& use) {
  const auto tiles = make_tiles<double>(kernel, rows, over, TileUse::rows);
  for (std::size_t begin = 0; begin < rows.rows(); begin += block_rows) {
    std::vector<std::size_t> indices(std::min(block_rows, rows.rows() - begin));
    std::iota(indices.begin(), indices.end(), begin);
    DenseMatrix block = DenseMatrix::uninitialized(indices.size(), over.rows());
    tiles->fill(indices, 0, block.view());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      use(begin + i, std::span<const double>(std::as_const(block).row(i)));
    }
  }
}

std::vector<double> combined_self_values(const Combination& combination, const Examples& rows) {
  const auto map = [&](const Kernel& kernel, auto function) {
    std::vector<double> values = self_values(kernel, rows);
    for (double& value : values) value = function(value);
    return values;
  };
  const auto join = [&](const Kernel& a, const Kernel& b, auto function) {
    std::vector<double> values = self_values(a, rows);
    const std::vector<double> others = self_values(b, rows);
    std::ranges::transform(values, others, values.begin(), function);
    return values;
  };
  const auto each_row = [&] {
    const Kernel whole = Combined(std::make_shared<const Combination>(combination));
    std::vector<double> values(rows.rows());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = evaluate(whole, rows.row(i), rows.row(i));
    }
    return values;
  };
  return std::visit(Overloaded{
                        [&](const SumRule& r) { return join(r.a, r.b, std::plus<>()); },
                        [&](const ProductRule& r) { return join(r.a, r.b, std::multiplies<>()); },
                        [&](const ScaleRule& r) {
                          return map(r.kernel, [&](double value) { return r.factor * value; });
                        },
                        [&](const PowerRule& r) {
                          std::vector<double> values = self_values(r.kernel, rows);
                          raise_to_power(r.exponent, std::span<double>(values));
                          return values;
                        },
                        [&](const ExpRule& r) {
                          return map(r.kernel, [](double value) { return std::exp(value); });
                        },
                        [&](const NormaliseRule& r) {
                          std::vector<double> values = self_values(r.kernel, rows);
                          for (double& value : values)
                            value = normalising_factor(value) == 0 ? 0.0 : 1.0;
                          return values;
                        },
                        [&](const CentredRule& r) {
                          std::vector<double> values = self_values(r.kernel, rows);
                          const std::vector<double> means = means_of(r.kernel, *r.means, rows);
                          for (std::size_t i = 0; i < values.size(); ++i) {
                            values[i] = (values[i] + r.means->grand_mean()) - (means[i] + means[i]);
                          }
                          return values;
                        },
                        [&](const IteratedRule& r) {
                          std::vector<double> values(rows.rows(), 0.0);
                          for_each_values(r.kernel, rows, *r.rows, [&](std::size_t i, auto across) {
                            for (const double value : across) values[i] += value * value;
                            values[i] /= static_cast<double>(across.size());
                          });
                          return values;
                        },
                        [&](const auto&) { return each_row(); },
                    },
                    combination.rule);
}

}  // namespace

std::vector<double> row_means_over(const Kernel& kernel,
                                   const Examples& rows,
                                   const Examples& over,
                                   std::size_t threads) {
  const auto tiles = make_tiles<double>(kernel, rows, over, TileUse::rows);
  std::vector<double> means(rows.rows(), 0.0);
  const std::size_t n = over.rows();
  parallel_chunks(
      threads, rows.rows(), block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<std::size_t> indices(end - begin);
        std::iota(indices.begin(), indices.end(), begin);
        for (std::size_t col = 0; col < n; col += block_cols) {
          DenseMatrix block =
              DenseMatrix::uninitialized(indices.size(), std::min(block_cols, n - col));
          tiles->fill(indices, col, block.view());
          for (std::size_t i = 0; i < indices.size(); ++i) {
            for (const double value : block.row(i)) means[begin + i] += value;
          }
        }
      });
  for (double& mean : means) mean /= static_cast<double>(n);
  return means;
}

DenseMatrix values_over(const Kernel& kernel, const Examples& rows, const Examples& over) {
  require_memory_for_numbers(rows.rows(), over.rows(), "the values of an iterated kernel");
  DenseMatrix values = DenseMatrix::uninitialized(rows.rows(), over.rows());
  for_each_values(kernel, rows, over, [&](std::size_t i, std::span<const double> across) {
    std::ranges::copy(across, values.row(i).begin());
  });
  return values;
}

std::vector<double> means_of(const Kernel& kernel, const KernelMeans& means, const Examples& rows) {
  std::vector<double> found(rows.rows());
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (const std::optional<double> known = means.known_mean(rows.row(i))) {
      found[i] = *known;
    } else {
      unknown.push_back(i);
    }
  }
  if (unknown.empty()) return found;
  const std::vector<double> rest = row_means_over(kernel, rows.select(unknown), *means.rows(), 1);
  for (std::size_t k = 0; k < unknown.size(); ++k) found[unknown[k]] = rest[k];
  return found;
}

double self_value(const Kernel& kernel, const Row& x) {
  const double value = evaluate(kernel, x, x);
  return std::holds_alternative<Cosine>(kernel) && value != 0 ? 1.0 : value;
}

std::vector<double> self_values(const Kernel& kernel, const Examples& rows) {
  if (const auto* combined = std::get_if<Combined>(&kernel)) {
    return combined_self_values(combined->node(), rows);
  }
  std::vector<double> values(rows.rows());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = self_value(kernel, rows.row(i));
  }
  return values;
}

}  // namespace maxmargin
