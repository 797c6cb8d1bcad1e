// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/sv-clustering.md, "New points"
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "cluster/sv/contour.hpp"
#include "cluster/sv/labelling.hpp"
#include "core/parallel.hpp"
#include "maxmargin/cluster/sv/clustering.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// Rows that are brought into the members' form at a time.
constexpr std::size_t rows_at_once = 8192;

/// The given rows, dense or sparse as the members are and of their width: features the model does
/// not know are dropped.
Examples in_form_of(const Examples& members,
                    const Examples& examples,
                    std::span<const std::size_t> rows) {
  if (members.is_dense()) {
    DenseMatrix dense(rows.size(), members.cols());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      examples.row(rows[k]).axpy_into(1, dense.row(k));
    }
    return dense;
  }
  Buffer<std::int64_t> offsets;
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  offsets.push_back(0);
  for (const std::size_t row : rows) {
    examples.row(row).for_each([&](std::size_t column, double value) {
      if (column >= members.cols() || value == 0) return;
      columns.push_back(static_cast<std::int32_t>(column));
      values.push_back(value);
    });
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return SparseMatrix(members.cols(), std::move(offsets), std::move(columns), std::move(values));
}

}  // namespace

void SvClusterModel::describe(OptionVisitor& visit) {
  visit.check([this] {
    maxmargin::validate(DecisionFunction(sphere));
    require(sphere.offsets.size() == 1, "the sphere must be one function");
    require_field(std::isfinite(squared_radius), "the squared radius", squared_radius, "finite");
    require_field(std::isfinite(level) && level >= squared_radius,
                  "the level",
                  level,
                  "finite and at least the squared radius");
    require_field(neighbours >= 1 && neighbours <= most_sv_neighbours,
                  "the number of neighbours",
                  static_cast<double>(neighbours),
                  "between 1 and " + std::to_string(most_sv_neighbours));
    require_field(samples >= 1 && samples <= most_sv_samples,
                  "the number of samples",
                  static_cast<double>(samples),
                  "between 1 and " + std::to_string(most_sv_samples));
    require(members.rows() > 0, "there must be at least one member");
    require(members.rows() == member_clusters.size(), "there must be one cluster a member");
    require(
        members.cols() == sphere.vectors.cols() && members.is_dense() == sphere.vectors.is_dense(),
        "members and the sphere's vectors must have the same form and width");
    require(std::ranges::all_of(member_clusters, [](std::int32_t c) { return c >= 0; }),
            "the clusters of members must be >= 0");
  });
}

std::vector<double> SvClusterModel::squared_distances(const Examples& examples,
                                                      std::optional<std::size_t> threads) const {
  const DenseMatrix values = decision_values(
      sphere, examples, {.context = {.threads = threads}, .precision = ValuePrecision::exact});
  std::vector<double> distances(examples.rows());
  for (std::size_t i = 0; i < distances.size(); ++i) distances[i] = squared_radius - values(i, 0);
  return distances;
}

std::vector<std::int32_t> SvClusterModel::predict(const Examples& examples,
                                                  std::optional<std::size_t> threads) const {
  maxmargin::validate(*this);
  require(!examples.is_dense() || examples.rows() == 0 || examples.cols() == members.cols(),
          "the examples have " + std::to_string(examples.cols()) + " features, the members " +
              std::to_string(members.cols()));
  const std::size_t workers = thread_count(threads);
  const sv_clustering::Contour contour(*this, workers);
  sv_clustering::Watch unwatched;
  std::vector<std::int32_t> clusters(examples.rows(), -1);
  for (std::size_t begin = 0; begin < examples.rows(); begin += rows_at_once) {
    const std::size_t end = std::min(examples.rows(), begin + rows_at_once);
    std::vector<std::size_t> rows;
    for (std::size_t i = begin; i < end; ++i) rows.push_back(i);
    const std::vector<char> is_inside = contour.inside(in_form_of(members, examples, rows));
    std::erase_if(rows, [&](std::size_t i) { return is_inside[i - begin] == 0; });
    const sv_clustering::Sight sight = sv_clustering::nearest_in_sight(
        contour, in_form_of(members, examples, rows), members, neighbours, workers, unwatched);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      clusters[rows[k]] = member_clusters[sight.point[k]];
    }
  }
  return clusters;
}

}  // namespace maxmargin
