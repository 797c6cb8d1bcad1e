// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/sv-clustering.md, step 4
#include "cluster/sv/contour.hpp"

#include <algorithm>
#include <utility>

namespace maxmargin::sv_clustering {

namespace {

/// Numbers that samples looked at together may take, about; at least one edge is looked at.
constexpr std::size_t batch_numbers = std::size_t{1} << 21;

/// Rows x + t (z - x), which is x exactly where z is, for all edges and, within each, all t.
DenseMatrix dense_samples(DenseView from,
                          DenseView to,
                          std::span<const Edge> edges,
                          std::span<const std::size_t> wanted,
                          std::span<const double> shares) {
  DenseMatrix samples = DenseMatrix::uninitialized(wanted.size() * shares.size(), from.cols);
  std::size_t next = 0;
  for (const std::size_t e : wanted) {
    const std::span<const double> x = from.row(edges[e].a);
    const std::span<const double> z = to.row(edges[e].b);
    for (const double t : shares) {
      const std::span<double> row = samples.row(next++);
      for (std::size_t j = 0; j < row.size(); ++j) row[j] = x[j] + t * (z[j] - x[j]);
    }
  }
  return samples;
}

/// The same; a row has the columns that either end has.
SparseMatrix sparse_samples(const SparseView& from,
                            const SparseView& to,
                            std::span<const Edge> edges,
                            std::span<const std::size_t> wanted,
                            std::span<const double> shares) {
  Buffer<std::int64_t> offsets;
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  offsets.push_back(0);
  std::vector<std::int32_t> both;
  std::vector<double> first;
  std::vector<double> second;
  for (const std::size_t e : wanted) {
    const SparseRow x = from.row(edges[e].a);
    const SparseRow z = to.row(edges[e].b);
    both.clear();
    std::ranges::set_union(x.columns, z.columns, std::back_inserter(both));
    const auto spread = [&](const SparseRow& row, std::vector<double>& out) {
      out.assign(both.size(), 0.0);
      for (std::size_t k = 0, p = 0; k < row.columns.size(); ++k) {
        while (both[p] != row.columns[k]) ++p;
        out[p] = row.values[k];
      }
    };
    spread(x, first);
    spread(z, second);
    for (const double t : shares) {
      columns.append(both);
      for (std::size_t p = 0; p < both.size(); ++p) {
        values.push_back(first[p] + t * (second[p] - first[p]));
      }
      offsets.push_back(static_cast<std::int64_t>(values.size()));
    }
  }
  return {std::max(from.cols, to.cols), std::move(offsets), std::move(columns), std::move(values)};
}

Examples samples_of(const Examples& from,
                    const Examples& to,
                    std::span<const Edge> edges,
                    std::span<const std::size_t> wanted,
                    std::span<const double> shares) {
  if (from.is_dense()) return dense_samples(from.dense(), to.dense(), edges, wanted, shares);
  return sparse_samples(from.sparse(), to.sparse(), edges, wanted, shares);
}

/// Numbers that one sample takes, about.
std::size_t sample_numbers(const Examples& examples) {
  if (examples.is_dense()) return std::max<std::size_t>(1, examples.cols());
  return 1 + 4 * examples.entries() / std::max<std::size_t>(1, examples.rows());
}

}  // namespace

Contour::Contour(const SvClusterModel& model, std::size_t threads) : threads_(threads) {
  KernelExpansion function = model.sphere;
  function.offsets[0] += model.level - model.squared_radius;
  function_ = std::move(function);
  const std::size_t m = model.samples;
  for (std::size_t j = 1; j <= m; ++j) {
    const double share = static_cast<double>(j) / static_cast<double>(m + 1);
    (j == (m + 1) / 2 ? middle_ : others_).push_back(share);
  }
}

std::vector<char> Contour::inside(const Examples& points) const {
  const BoundedValues bounded =
      bounded_decision_values(function_, points, {.context = {.threads = threads_}});
  std::vector<char> answer(points.rows());
  std::vector<std::size_t> open;
  const bool exact = bounded.errors.values().empty();
  for (std::size_t i = 0; i < answer.size(); ++i) {
    const double value = bounded.values(i, 0);
    answer[i] = value >= 0 ? 1 : 0;
    if (exact) continue;
    const double error = bounded.errors(i, 0);
    // Written so that an error that is not a number leaves the answer open.
    if (!(value >= 0 ? value - error >= 0 : value + error < 0)) open.push_back(i);
  }
  if (open.empty()) return answer;
  const DenseMatrix values =
      decision_values(function_,
                      points.select(open),
                      {.context = {.threads = threads_}, .precision = ValuePrecision::exact});
  for (std::size_t k = 0; k < open.size(); ++k) answer[open[k]] = values(k, 0) >= 0 ? 1 : 0;
  return answer;
}

void Contour::look(const Examples& from,
                   const Examples& to,
                   std::span<const Edge> edges,
                   std::span<const double> shares,
                   std::span<char> connected) const {
  if (shares.empty()) return;
  std::vector<std::size_t> wanted;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (connected[e] != 0) wanted.push_back(e);
  }
  const std::size_t at_once =
      std::max<std::size_t>(1, batch_numbers / (shares.size() * sample_numbers(to)));
  for (std::size_t begin = 0; begin < wanted.size(); begin += at_once) {
    const std::span<const std::size_t> part =
        std::span(wanted).subspan(begin, std::min(at_once, wanted.size() - begin));
    const std::vector<char> is_inside = inside(samples_of(from, to, edges, part, shares));
    for (std::size_t k = 0; k < part.size(); ++k) {
      const auto first = is_inside.begin() + static_cast<std::ptrdiff_t>(k * shares.size());
      const auto last = first + static_cast<std::ptrdiff_t>(shares.size());
      if (std::find(first, last, 0) != last) connected[part[k]] = 0;
    }
  }
}

std::vector<char> Contour::connects(const Examples& from,
                                    const Examples& to,
                                    std::span<const Edge> edges) const {
  std::vector<char> connected(edges.size(), 1);
  look(from, to, edges, middle_, connected);
  look(from, to, edges, others_, connected);
  return connected;
}

}  // namespace maxmargin::sv_clustering
