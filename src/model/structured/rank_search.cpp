// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/ranking.md, "Latent order"
#include "model/structured/rank_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "core/recomputation.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/metric/structured/ranking.hpp"
#include "maxmargin/structured/latent_training.hpp"
#include "model/structured/rows.hpp"

namespace maxmargin {

namespace {

/// Sum of the largest.
double sum_of_largest(std::vector<double> values, std::size_t count) {
  std::ranges::sort(values, std::ranges::greater());
  return std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
}

/// What a query of these scores loses, of lists of k rows.
double loss_of(std::span<const double> scores,
               std::span<const std::uint8_t> relevant,
               std::size_t k) {
  std::vector<double> good;
  std::vector<double> others;
  std::vector<double> augmented;
  for (std::size_t row = 0; row < scores.size(); ++row) {
    (relevant[row] != 0 ? good : others).push_back(scores[row]);
    augmented.push_back(relevant[row] != 0 ? scores[row] - 1 : scores[row]);
  }
  const std::size_t most = std::min(good.size(), k);
  const double rival = static_cast<double>(most) + sum_of_largest(std::move(augmented), k);
  const double truth =
      sum_of_largest(std::move(good), most) + sum_of_largest(std::move(others), k - most);
  return (rival - truth) / static_cast<double>(k);
}

}  // namespace

std::vector<double> query_weights(const Dataset& data, const Queries& queries) {
  if (data.weights.empty()) return {};
  std::vector<double> weights;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const std::size_t begin = queries.begins[q];
    for (std::size_t row = begin; row < queries.begins[q + 1]; ++row) {
      if (data.weights[row] == data.weights[begin]) continue;
      throw InvalidArgument((data.source.empty() ? "the data" : data.source) + ", row " +
                            std::to_string(row) +
                            " (from 0): its weight is not that of the rows of its query before; "
                            "ranking weighs whole queries");
    }
    weights.push_back(data.weights[begin]);
  }
  return weights;
}

HiddenTops::HiddenTops(const Dataset& data, const RankOptions& options)
    : data_(data),
      options_(options),
      queries_(queries_of(data)),
      task_(data.features(), static_cast<std::size_t>(options.k.value_or(1))) {
  const std::vector<double> weights = query_weights(data, queries_);
  for (std::size_t q = 0; q < queries_.size(); ++q) {
    const std::span<const double> grades = queries_.grades_of(q);
    const std::size_t n = grades.size();
    std::vector<std::uint8_t> relevant;
    for (const double grade : grades) relevant.push_back(grade >= options.relevant_from ? 1 : 0);
    const auto positives = static_cast<std::size_t>(std::ranges::count(relevant, 1));
    double weight = weights.empty() ? 1.0 : weights[q];
    if (options.weight == QueryWeight::size) weight *= static_cast<double>(n);
    if (positives == 0 || positives == n || task_.first_rows(n) == n || weight == 0) continue;
    std::vector<Row>& rows = inputs_.emplace_back();
    for (std::size_t i = queries_.begins[q]; i < queries_.begins[q + 1]; ++i) {
      rows.push_back(data.examples.row(i));
    }
    truths_.push_back(task_.truth_of(relevant));
    weights_.push_back(weight);
  }
}

LatentSolution HiddenTops::search(const std::vector<double>& first,
                                  const StructuralState* start) const {
  require(options_.start == RankStart::random || first.size() == data_.features(),
          "the weights to start from must be one for each feature of the data");
  if (size() == 0) {
    LatentSolution nothing{.w = std::vector<double>(data_.features(), 0.0)};
    nothing.report.status = Status::local_optimum;
    nothing.report.primal_objective = nothing.report.lower_bound = 0.0;
    return nothing;
  }
  LatentOptions search = options_.search;
  search.method = options_.method;
  search.solving = row_solving(options_.solving, options_.method);
  search.start = options_.start == RankStart::random ? LatentStart::random : LatentStart::weights;
  search.start_weights = first;
  search.measure = [this](std::span<const double> w) { return precision(w); };
  return train_latent<PrecisionAtKTask>(task_, inputs_, truths_, weights_, search, start);
}

double HiddenTops::objective(std::span<const double> w, const Context& context) const {
  double sum = 0;
  for (const double value : w) sum += 0.5 * value * value;
  for (std::size_t q = 0; q < size(); ++q) {
    ask_in_verify(context);
    std::vector<double> scores;
    for (const Row& row : inputs_[q]) scores.push_back(row.dot(w));
    sum += options_.solving.c * weights_[q] *
           loss_of(scores, truths_[q].relevant, task_.first_rows(scores.size()));
  }
  return sum;
}

std::optional<double> HiddenTops::precision(std::span<const double> w) const {
  std::vector<double> scores;
  for (std::size_t i = 0; i < data_.size(); ++i) scores.push_back(data_.examples.row(i).dot(w));
  const std::size_t k = static_cast<std::size_t>(options_.k.value_or(1));
  const double mean =
      mean_over_queries(queries_.begins,
                        queries_.grades,
                        scores,
                        [&](std::span<const double> grades, std::span<const double> values) {
                          return precision_at(k, grades, values, options_.relevant_from);
                        })
          .mean;
  return std::isnan(mean) ? std::nullopt : std::optional(mean);
}

}  // namespace maxmargin
