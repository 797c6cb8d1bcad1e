// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"

/// The spectrum kernel of strings: the dot product of the counts of all substrings of length k
/// ("k-mers", overlapping, taken as bytes). Strings become sparse count vectors once; after that
/// it is the linear kernel (or, over those features, any other).
namespace maxmargin {

/// Gives every k-mer of a set of training strings a column, in byte order.
class SpectrumIndex {
 public:
  /// Requires k >= 1.
  SpectrumIndex(std::span<const std::string> training, std::size_t k);

  [[nodiscard]] std::size_t k() const noexcept { return k_; }
  /// The k-mer of each column.
  [[nodiscard]] std::span<const std::string> kmers() const noexcept { return kmers_; }
  /// Counts, one string a row. k-mers that no training string has are left out: they add nothing
  /// to products with training strings, but a new string's own K(x, x) lacks them.
  [[nodiscard]] SparseMatrix features(std::span<const std::string> strings) const;

 private:
  std::size_t k_;
  std::vector<std::string> kmers_;
};

/// features() of the strings over their own index.
[[nodiscard]] SparseMatrix spectrum_features(std::span<const std::string> strings, std::size_t k);

/// The kernel straight from its definition, sum over positions i of a and j of b of
/// [a[i..i+k) = b[j..j+k)]. O(|a| |b| k): for checks.
[[nodiscard]] double spectrum_kernel(std::string_view a, std::string_view b, std::size_t k);

}  // namespace maxmargin
