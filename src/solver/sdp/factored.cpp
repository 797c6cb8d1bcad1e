// SPDX-License-Identifier: Apache-2.0
#include "solver/sdp/factored.hpp"

#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t rows_per_chunk = 64;
/// Above this share of all places a dense product is faster.
constexpr double dense_share = 0.2;

using Place = std::pair<std::uint32_t, std::uint32_t>;

}  // namespace

FactoredSdp::FactoredSdp(const ScaledSdp& program, std::size_t threads)
    : program_(&program), threads_(threads), parts_(program.blocks.size()) {
  for (std::size_t k = 0; k < parts_.size(); ++k) index(k);
}

void FactoredSdp::index(std::size_t block) {
  const SdpBlockRows& rows = program_->blocks[block];
  Part& part = parts_[block];
  const std::size_t n = rows.size;
  std::vector<Place> found;
  for (const SdpTerm& term : rows.terms) found.emplace_back(term.row, term.column);
  for (const SdpTerm& term : rows.cost) found.emplace_back(term.row, term.column);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  const double share =
      2.0 * static_cast<double>(found.size()) / (static_cast<double>(n) * static_cast<double>(n));
  part.is_dense = !rows.is_vector() && n > 0 && share > dense_share;
  const auto place_of = [&](const SdpTerm& term) -> std::size_t {
    if (rows.is_vector()) return term.row;
    if (part.is_dense) return term.row * n + term.column;
    return static_cast<std::size_t>(
        std::lower_bound(found.begin(), found.end(), Place(term.row, term.column)) - found.begin());
  };
  for (const SdpTerm& term : rows.terms) part.term_places.push_back(place_of(term));
  for (const SdpTerm& term : rows.cost) part.cost_places.push_back(place_of(term));
  if (rows.is_vector() || part.is_dense) {
    part.dual.assign(rows.is_vector() ? n : n * n, 0.0);
    return;
  }
  part.dual.assign(found.size(), 0.0);
  part.offsets.assign(n + 1, 0);
  for (const Place& place : found) {
    part.lower.push_back({place.first, place.second, 0});
    ++part.offsets[place.first + 1];
    if (place.first != place.second) ++part.offsets[place.second + 1];
  }
  for (std::size_t i = 0; i < n; ++i) part.offsets[i + 1] += part.offsets[i];
  part.columns.resize(part.offsets[n]);
  part.places.resize(part.offsets[n]);
  std::vector<std::size_t> next(part.offsets.begin(), part.offsets.end() - 1);
  const auto put = [&](std::uint32_t row, std::uint32_t column, std::size_t place) {
    part.columns[next[row]] = column;
    part.places[next[row]++] = place;
  };
  for (std::size_t p = 0; p < found.size(); ++p) {
    put(found[p].first, found[p].second, p);
    if (found[p].first != found[p].second) put(found[p].second, found[p].first, p);
  }
}

/// Entries of (R D' + D R') / 2 at the places.
std::vector<double> FactoredSdp::products(std::size_t block,
                                          const DenseMatrix& r,
                                          const DenseMatrix& d) const {
  const SdpBlockRows& rows = program_->blocks[block];
  const Part& part = parts_[block];
  const std::size_t n = rows.size;
  std::vector<double> result(part.dual.size(), 0.0);
  if (rows.is_vector()) {
    for (std::size_t j = 0; j < n; ++j) result[j] = r(0, j) * d(0, j);
    return result;
  }
  const bool same = r.data() == d.data();
  if (part.is_dense) {
    const MutableDenseView target{result.data(), n, n, n};
    parallel_chunks(threads_,
                    n,
                    rows_per_chunk,
                    [&](std::size_t /*chunk*/, std::size_t begin, std::size_t end) {
                      const double half = same ? 1.0 : 0.5;
                      const MutableDenseView part_of = target.middle_rows(begin, end);
                      gemm(Transpose::no,
                           Transpose::yes,
                           half,
                           r.view().middle_rows(begin, end),
                           d.view(),
                           0.0,
                           part_of);
                      if (same) return;
                      gemm(Transpose::no,
                           Transpose::yes,
                           half,
                           d.view().middle_rows(begin, end),
                           r.view(),
                           1.0,
                           part_of);
                    });
    return result;
  }
  constexpr std::size_t places_per_chunk = 4096;
  parallel_chunks(threads_,
                  part.lower.size(),
                  places_per_chunk,
                  [&](std::size_t /*chunk*/, std::size_t begin, std::size_t end) {
                    for (std::size_t p = begin; p < end; ++p) {
                      const std::uint32_t i = part.lower[p].row;
                      const std::uint32_t j = part.lower[p].column;
                      result[p] = same ? dot(r.row(i), r.row(j))
                                       : 0.5 * (dot(r.row(i), d.row(j)) + dot(d.row(i), r.row(j)));
                    }
                  });
  return result;
}

Image FactoredSdp::image(const Factor& r, const Factor& d) const {
  Image image{.values = std::vector<double>(program_->constraints(), 0.0)};
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const SdpBlockRows& rows = program_->blocks[k];
    const std::vector<double> x = products(k, r[k], d[k]);
    const auto weight = [](const SdpTerm& term) {
      return term.row == term.column ? term.value : 2 * term.value;
    };
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      double sum = 0;
      for (std::size_t t = rows.offsets[i]; t < rows.offsets[i + 1]; ++t) {
        sum += weight(rows.terms[t]) * x[parts_[k].term_places[t]];
      }
      image.values[rows.constraint[i]] += sum;
    }
    for (std::size_t t = 0; t < rows.cost.size(); ++t) {
      image.cost += weight(rows.cost[t]) * x[parts_[k].cost_places[t]];
    }
  }
  return image;
}

void FactoredSdp::set_dual(std::span<const double> y) {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const SdpBlockRows& rows = program_->blocks[k];
    Part& part = parts_[k];
    std::fill(part.dual.begin(), part.dual.end(), 0.0);
    for (std::size_t t = 0; t < rows.cost.size(); ++t) {
      part.dual[part.cost_places[t]] += rows.cost[t].value;
    }
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const double multiplier = y[rows.constraint[i]];
      if (multiplier == 0) continue;
      for (std::size_t t = rows.offsets[i]; t < rows.offsets[i + 1]; ++t) {
        part.dual[part.term_places[t]] -= multiplier * rows.terms[t].value;
      }
    }
    if (part.is_dense) mirror_lower({part.dual.data(), rows.size, rows.size, rows.size});
  }
}

void FactoredSdp::gradient(const Factor& r, Factor& result) const {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    const std::size_t n = program_->blocks[k].size;
    if (program_->blocks[k].is_vector()) {
      for (std::size_t j = 0; j < n; ++j) result[k](0, j) = 2 * part.dual[j] * r[k](0, j);
      continue;
    }
    DenseMatrix& target = result[k];
    parallel_chunks(threads_,
                    n,
                    rows_per_chunk,
                    [&](std::size_t /*chunk*/, std::size_t begin, std::size_t end) {
                      if (part.is_dense) {
                        const DenseView s{part.dual.data(), n, n, n};
                        gemm(Transpose::no,
                             Transpose::no,
                             2.0,
                             s.middle_rows(begin, end),
                             r[k].view(),
                             0.0,
                             target.view().middle_rows(begin, end));
                        return;
                      }
                      for (std::size_t i = begin; i < end; ++i) {
                        const std::span<double> row = target.row(i);
                        std::fill(row.begin(), row.end(), 0.0);
                        for (std::size_t e = part.offsets[i]; e < part.offsets[i + 1]; ++e) {
                          axpy(2 * part.dual[part.places[e]], r[k].row(part.columns[e]), row);
                        }
                      }
                    });
  }
}

void FactoredSdp::multiply(std::size_t block,
                           std::span<const double> x,
                           std::span<double> result) const {
  const Part& part = parts_[block];
  const std::size_t n = program_->blocks[block].size;
  if (part.is_dense) {
    gemv(Transpose::no, 1.0, {part.dual.data(), n, n, n}, x, 0.0, result);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t e = part.offsets[i]; e < part.offsets[i + 1]; ++e) {
      sum += part.dual[part.places[e]] * x[part.columns[e]];
    }
    result[i] = sum;
  }
}

DenseMatrix FactoredSdp::dense(std::size_t block) const {
  const Part& part = parts_[block];
  const std::size_t n = program_->blocks[block].size;
  if (program_->blocks[block].is_vector()) {
    DenseMatrix s(1, n);
    std::copy(part.dual.begin(), part.dual.end(), s.values().begin());
    return s;
  }
  DenseMatrix s(n, n);
  if (part.is_dense) {
    std::copy(part.dual.begin(), part.dual.end(), s.values().begin());
    return s;
  }
  for (std::size_t p = 0; p < part.lower.size(); ++p) {
    const SdpTerm& place = part.lower[p];
    s(place.row, place.column) = s(place.column, place.row) = part.dual[p];
  }
  return s;
}

}  // namespace maxmargin
