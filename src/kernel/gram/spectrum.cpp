// SPDX-License-Identifier: Apache-2.0
#include "kernel/gram/spectrum.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

void require_length(std::size_t k) {
  require_field(k >= 1, "spectrum kernel: k", static_cast<double>(k), ">= 1");
}

/// visit(k-mer) for every position, in order.
template <class Visit>
void for_each_kmer(std::string_view text, std::size_t k, Visit visit) {
  for (std::size_t i = 0; i + k <= text.size(); ++i) visit(text.substr(i, k));
}

}  // namespace

SpectrumIndex::SpectrumIndex(std::span<const std::string> training, std::size_t k) : k_(k) {
  require_length(k);
  std::unordered_set<std::string_view> seen;
  for (const std::string& text : training) {
    for_each_kmer(text, k, [&](std::string_view kmer) { seen.insert(kmer); });
  }
  kmers_.assign(seen.begin(), seen.end());
  std::ranges::sort(kmers_);
}

SparseMatrix SpectrumIndex::features(std::span<const std::string> strings) const {
  std::unordered_map<std::string_view, std::int32_t> column_of;
  column_of.reserve(kmers_.size());
  for (std::size_t c = 0; c < kmers_.size(); ++c) {
    column_of.emplace(kmers_[c], narrow<std::int32_t>(c));
  }
  Buffer<std::int64_t> offsets(1, 0);
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  std::vector<std::int32_t> found;
  for (const std::string& text : strings) {
    found.clear();
    for_each_kmer(text, k_, [&](std::string_view kmer) {
      const auto known = column_of.find(kmer);
      if (known != column_of.end()) found.push_back(known->second);
    });
    std::ranges::sort(found);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i > 0 && found[i] == found[i - 1]) {
        values[values.size() - 1] += 1;
      } else {
        columns.push_back(found[i]);
        values.push_back(1);
      }
    }
    offsets.push_back(narrow<std::int64_t>(values.size()));
  }
  return {kmers_.size(), std::move(offsets), std::move(columns), std::move(values)};
}

SparseMatrix spectrum_features(std::span<const std::string> strings, std::size_t k) {
  return SpectrumIndex(strings, k).features(strings);
}

double spectrum_kernel(std::string_view a, std::string_view b, std::size_t k) {
  require_length(k);
  double matches = 0;
  for_each_kmer(a, k, [&](std::string_view in_a) {
    for_each_kmer(b, k, [&](std::string_view in_b) { matches += in_a == in_b ? 1 : 0; });
  });
  return matches;
}

}  // namespace maxmargin
