// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/gamma.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {

namespace {

/// Up to here all pairs count.
constexpr std::size_t all_pairs_limit = 2000;
constexpr std::size_t drawn_pairs = 1'000'000;
constexpr std::size_t neighbour_rank = 5;

/// 1 / denominator, or 1 where that is no positive finite number.
double inverse_or_one(double denominator) {
  const double gamma = 1.0 / denominator;
  return std::isfinite(gamma) && gamma > 0 ? gamma : 1.0;
}

/// The q-quantile with linear interpolation between order statistics. Requires values.
double quantile_of(std::vector<double>& values, double q) {
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), at, values.end());
  const double low = *at;
  const double share = position - static_cast<double>(below);
  if (share == 0 || below + 1 == values.size()) return low;
  const double high = *std::min_element(at + 1, values.end());
  return low + share * (high - low);
}

/// Population variance of all entries, the zeros of sparse data included; two passes over the
/// differences to one of the entries, so that equal entries have variance 0 exactly and a common
/// offset costs no digits.
double entry_variance(const Examples& examples) {
  if (examples.entries() == 0) return 0;
  const double cells = static_cast<double>(examples.rows()) * static_cast<double>(examples.cols());
  const double zeros = cells - static_cast<double>(examples.entries());
  const double origin = zeros > 0 ? 0.0 : examples.values(0).front();
  double mean = 0;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    for (const double value : examples.values(i)) mean += value - origin;
  }
  mean /= cells;
  double sum = zeros * mean * mean;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    for (const double value : examples.values(i)) {
      sum += (value - origin - mean) * (value - origin - mean);
    }
  }
  return sum / cells;
}

std::vector<double> all_pair_distances(const Examples& examples, std::size_t threads) {
  const std::size_t n = examples.rows();
  std::vector<double> distances(n * (n - 1) / 2);
  constexpr std::size_t chunk = 16;
  parallel_chunks(threads, n, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Row x = examples.row(i);
      double* out = distances.data() + i * (i - (i > 0 ? 1 : 0)) / 2;
      for (std::size_t j = 0; j < i; ++j) out[j] = x.squared_distance(examples.row(j));
    }
  });
  return distances;
}

std::vector<double> drawn_pair_distances(const Examples& examples,
                                         std::uint64_t seed,
                                         std::size_t threads) {
  const std::size_t n = examples.rows();
  std::vector<double> distances(drawn_pairs);
  constexpr std::size_t chunk = 10'000;
  parallel_chunks(
      threads, drawn_pairs, chunk, [&](std::size_t c, std::size_t begin, std::size_t end) {
        Rng rng(seed, "gamma pairs", c);
        for (std::size_t k = begin; k < end; ++k) {
          const std::size_t i = rng.index(n);
          const std::size_t other = rng.index(n - 1);
          const std::size_t j = other + (other >= i ? 1 : 0);
          distances[k] = examples.row(i).squared_distance(examples.row(j));
        }
      });
  return distances;
}

double distance_quantile(const Examples& examples,
                         double q,
                         std::uint64_t seed,
                         std::size_t threads) {
  if (examples.rows() < 2) return 0;
  std::vector<double> distances = examples.rows() <= all_pairs_limit
                                      ? all_pair_distances(examples, threads)
                                      : drawn_pair_distances(examples, seed, threads);
  return quantile_of(distances, q);
}

/// Median over examples of the distance to the 5th nearest other one; of a run that is told to stop
/// over the first of them.
double neighbour_distance(const Examples& examples, const Context& context, std::size_t threads) {
  const std::size_t n = examples.rows();
  if (n < 2) return 0;
  std::vector<std::size_t> queries(n);
  std::iota(queries.begin(), queries.end(), std::size_t{0});
  if (n > all_pairs_limit)
    queries = Rng(context.seed, "gamma neighbours").sample(n, all_pairs_limit);
  const std::size_t rank = std::min(neighbour_rank, n - 1);
  std::vector<double> reach(queries.size(), -1.0);
  constexpr std::size_t chunk = 16;
  SharedProgress progress(context.on_progress);
  parallel_chunks(
      threads, queries.size(), chunk, [&](std::size_t c, std::size_t begin, std::size_t end) {
        if (c > 0 && progress({}) != Continue::yes) return;
        std::vector<double> distances;
        for (std::size_t k = begin; k < end; ++k) {
          const Row x = examples.row(queries[k]);
          distances.clear();
          for (std::size_t j = 0; j < n; ++j) {
            if (j != queries[k]) distances.push_back(x.squared_distance(examples.row(j)));
          }
          const auto at = distances.begin() + static_cast<std::ptrdiff_t>(rank - 1);
          std::nth_element(distances.begin(), at, distances.end());
          reach[k] = std::sqrt(*at);
        }
      });
  std::erase_if(reach, [](double distance) { return distance < 0; });
  return quantile_of(reach, 0.5);
}

}  // namespace

double resolve_gamma(const GammaRule& rule, const Examples& examples, const GammaOptions& options) {
  if (rule.kind == GammaRule::Kind::number) {
    require_field(rules::positive.holds(rule.value), "gamma", rule.value, rules::positive.words);
  } else if (rule.kind == GammaRule::Kind::quantile) {
    require_field(
        rules::share.holds(rule.value), "gamma: quantile", rule.value, rules::share.words);
  }
  const std::size_t threads = thread_count(options.context.threads);
  const auto dimension = static_cast<double>(examples.cols());
  switch (rule.kind) {
    case GammaRule::Kind::number:
      return rule.value;
    case GammaRule::Kind::scale:
      return inverse_or_one(dimension * entry_variance(examples));
    case GammaRule::Kind::automatic:
      return inverse_or_one(dimension);
    case GammaRule::Kind::median:
      return inverse_or_one(distance_quantile(examples, 0.5, options.context.seed, threads));
    case GammaRule::Kind::quantile:
      return inverse_or_one(distance_quantile(examples, rule.value, options.context.seed, threads));
    case GammaRule::Kind::neighbour: {
      const double distance = neighbour_distance(examples, options.context, threads);
      return inverse_or_one(distance * distance);
    }
  }
  throw InternalError("no such rule");
}

}  // namespace maxmargin
