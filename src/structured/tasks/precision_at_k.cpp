// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/ranking.md, "Latent order"
#include "maxmargin/structured/tasks/precision_at_k.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "maxmargin/core/require.hpp"
#include "maxmargin/structured/latent_task.hpp"

namespace maxmargin {

static_assert(RandomlyCompletedTask<PrecisionAtKTask> && PartlySeenTask<PrecisionAtKTask> &&
              EnumerableTask<PrecisionAtKTask> && FeatureDifferenceTask<PrecisionAtKTask>);

namespace {

/// Begins with the `count` rows that come first by `comes_before`, an order without ties, and holds
/// them in ascending order.
template <class Before>
std::vector<std::size_t> first_rows_by(std::size_t rows,
                                       std::size_t count,
                                       const Before& comes_before) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (count < rows) {
    std::ranges::nth_element(
        order, order.begin() + static_cast<std::ptrdiff_t>(count), comes_before);
    order.resize(count);
  }
  std::ranges::sort(order);
  return order;
}

/// The rows of largest value, the first among equals.
std::vector<std::size_t> largest_rows(std::span<const double> values, std::size_t count) {
  return first_rows_by(values.size(), count, [&](std::size_t a, std::size_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  });
}

std::size_t count_relevant(std::span<const std::uint8_t> relevant) {
  return static_cast<std::size_t>(
      std::ranges::count_if(relevant, [](std::uint8_t flag) { return flag != 0; }));
}

void add_row(const Row& row, std::size_t features, double share, FeatureVector& psi) {
  row.for_each([&](std::size_t column, double value) {
    if (column < features && value != 0) psi.add(column, share * value);
  });
}

void require_rows(const std::vector<Row>& x, std::span<const std::size_t> top) {
  for (const std::size_t row : top) {
    require(row < x.size(), "PrecisionAtKTask: an output names a row that is not there");
  }
}

void require_flags(const std::vector<Row>& x, const TopRows& truth) {
  require(truth.relevant.size() == x.size(),
          "PrecisionAtKTask: a truth must have a flag for every row");
}

}  // namespace

PrecisionAtKTask::PrecisionAtKTask(std::size_t features, std::size_t k)
    : features_(features), k_(k) {
  require_field(k >= 1, "PrecisionAtKTask: k", 0.0, ">= 1");
}

void PrecisionAtKTask::joint_features(const Input& x, const TopRows& y, FeatureVector& psi) const {
  require_rows(x, y.top);
  const double share = 1 / static_cast<double>(y.top.size());
  for (const std::size_t row : y.top) add_row(x[row], features_, share, psi);
}

void PrecisionAtKTask::feature_difference(const Input& x,
                                          const TopRows& y,
                                          const TopRows& rival,
                                          FeatureVector& psi) const {
  require_rows(x, y.top);
  require_rows(x, rival.top);
  require(y.top.size() == rival.top.size(),
          "PrecisionAtKTask: two outputs of a query must put as many rows first");
  const double share = 1 / static_cast<double>(y.top.size());
  std::size_t own = 0;
  for (const std::size_t row : rival.top) {
    while (own < y.top.size() && y.top[own] < row) add_row(x[y.top[own++]], features_, share, psi);
    if (own < y.top.size() && y.top[own] == row) {
      ++own;
    } else {
      add_row(x[row], features_, -share, psi);
    }
  }
  while (own < y.top.size()) add_row(x[y.top[own++]], features_, share, psi);
}

double PrecisionAtKTask::loss(const TopRows& truth, const TopRows& other) const {
  const std::size_t k = other.top.size();
  if (k == 0) return 0;
  std::size_t found = 0;
  for (const std::size_t row : other.top) {
    require(row < truth.relevant.size(),
            "PrecisionAtKTask: an output names a row that the truth has not");
    found += truth.relevant[row] != 0 ? 1U : 0U;
  }
  const std::size_t most = std::min(count_relevant(truth.relevant), k);
  return static_cast<double>(most - found) / static_cast<double>(k);
}

TopRows PrecisionAtKTask::predict(const Input& x, std::span<const double> w) const {
  return {.top = largest_rows(scores_of(x, w), first_rows(x.size()))};
}

TopRows PrecisionAtKTask::loss_augmented_argmax(const Input& x,
                                                const TopRows& truth,
                                                std::span<const double> w) const {
  require_flags(x, truth);
  std::vector<double> values = scores_of(x, w);
  // The shares 1/k of score and loss are the same, so that they cancel.
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (truth.relevant[row] != 0) values[row] -= 1;
  }
  return {.top = largest_rows(values, first_rows(x.size()))};
}

TopRows PrecisionAtKTask::complete(const Input& x,
                                   const TopRows& truth,
                                   std::span<const double> w) const {
  require_flags(x, truth);
  const std::vector<double> scores = scores_of(x, w);
  const std::vector<std::uint8_t>& relevant = truth.relevant;
  std::vector<std::size_t> top =
      first_rows_by(x.size(), first_rows(x.size()), [&](std::size_t a, std::size_t b) {
        if ((relevant[a] != 0) != (relevant[b] != 0)) return relevant[a] != 0;
        return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
      });
  return {.top = std::move(top), .relevant = relevant};
}

TopRows PrecisionAtKTask::random_completion(const Input& x, const TopRows& truth, Rng& rng) const {
  require_flags(x, truth);
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  rng.shuffle(std::span(order));
  std::stable_partition(
      order.begin(), order.end(), [&](std::size_t row) { return truth.relevant[row] != 0; });
  order.resize(first_rows(x.size()));
  std::ranges::sort(order);
  return {.top = std::move(order), .relevant = truth.relevant};
}

bool PrecisionAtKTask::has_one_completion(const Input& x, const TopRows& truth) const {
  require_flags(x, truth);
  const std::size_t k = first_rows(x.size());
  return k == x.size() || count_relevant(truth.relevant) == k;
}

TopRows PrecisionAtKTask::truth_of(std::span<const std::uint8_t> relevant) const {
  std::vector<std::size_t> top = first_rows_by(
      relevant.size(), first_rows(relevant.size()), [&](std::size_t a, std::size_t b) {
        if ((relevant[a] != 0) != (relevant[b] != 0)) return relevant[a] != 0;
        return a < b;
      });
  return {.top = std::move(top), .relevant = {relevant.begin(), relevant.end()}};
}

void PrecisionAtKTask::for_each_output(const Input& x,
                                       const std::function<void(const TopRows&)>& visit) const {
  std::vector<std::uint8_t> chosen(x.size(), 0);
  std::fill_n(chosen.begin(), first_rows(x.size()), std::uint8_t{1});
  do {
    TopRows y;
    for (std::size_t row = 0; row < x.size(); ++row) {
      if (chosen[row] != 0) y.top.push_back(row);
    }
    visit(y);
  } while (std::ranges::prev_permutation(chosen).found);
}

std::vector<double> PrecisionAtKTask::scores_of(const Input& x, std::span<const double> w) const {
  require(w.size() >= features_, "PrecisionAtKTask: there must be a weight for every feature");
  std::vector<double> scores;
  scores.reserve(x.size());
  for (const Row& row : x) {
    scores.push_back(row.dot(w.first(features_)));
    require(!std::isnan(scores.back()),
            "PrecisionAtKTask: the score of a row is not a number, as weights or rows are not "
            "finite");
  }
  return scores;
}

}  // namespace maxmargin
