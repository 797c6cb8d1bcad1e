// SPDX-License-Identifier: Apache-2.0
#include "cluster/kmeans/kernel_partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"

namespace maxmargin::kernel_kmeans {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr std::size_t point_chunk = 1024;
constexpr std::size_t points_between_questions = 256;
/// Sums that lose all but this share of their weight keep the rounding of what has gone: they are
/// formed afresh.
constexpr double light_share = 1e-6;

std::size_t place(std::int32_t cluster) { return static_cast<std::size_t>(cluster); }

}  // namespace

double rounding_noise(std::size_t n, double largest) {
  return epsilon * static_cast<double>(n + 16) * largest;
}

Partition::Partition(const Problem& problem, std::vector<std::int32_t> labels)
    : problem_(problem),
      labels_(std::move(labels)),
      sums_(problem.k, problem.size()),
      mass_(problem.k),
      members_(problem.k),
      inner_(problem.k),
      own_(problem.k) {
  rebuild();
}

void Partition::rebuild() {
  std::ranges::fill(sums_.values(), 0.0);
  // Cluster by cluster, so that the sums of one stay in the cache while its rows are added.
  std::vector<std::size_t> order(problem_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return labels_[i]; });
  std::vector<Move> moves;
  moves.reserve(order.size());
  for (const std::size_t i : order) {
    if (problem_.weights[i] > 0) moves.push_back({i, nowhere, labels_[i]});
  }
  problem_.kernel.apply(moves, problem_.weights, sums_.view());
  moved_ = 0;
  count_members();
  update_inner();
}

void Partition::count_members() {
  std::ranges::fill(mass_, 0.0);
  std::ranges::fill(own_, 0.0);
  std::ranges::fill(members_, std::size_t{0});
  for (std::size_t i = 0; i < problem_.size(); ++i) {
    const std::size_t v = place(labels_[i]);
    mass_[v] += problem_.weights[i];
    own_[v] += problem_.weights[i] * problem_.kernel.diagonal()[i];
    members_[v] += problem_.weights[i] > 0 ? 1u : 0u;
  }
}

void Partition::update_inner() {
  std::ranges::fill(inner_, 0.0);
  for (std::size_t i = 0; i < problem_.size(); ++i) {
    const std::size_t v = place(labels_[i]);
    inner_[v] += problem_.weights[i] * sums_(v, i);
  }
}

double Partition::objective_of(std::size_t cluster) const {
  return own_[cluster] - inner_[cluster] / mass_[cluster];
}

double Partition::objective() const {
  double sum = 0;
  for (std::size_t v = 0; v < problem_.k; ++v) sum += objective_of(v);
  return sum;
}

std::vector<Move> Partition::batch_moves() const {
  const std::size_t n = problem_.size();
  std::vector<double> lengths(problem_.k);
  for (std::size_t v = 0; v < problem_.k; ++v) lengths[v] = squared_length(v);
  std::vector<std::vector<Move>> parts(chunk_count(n, point_chunk));
  // Small partitions are over before a second thread has begun.
  const std::size_t threads = n * problem_.k < 100000 ? 1 : problem_.kernel.threads();
  parallel_chunks(threads, n, point_chunk, [&](std::size_t c, std::size_t begin, std::size_t end) {
    std::vector<double> least(end - begin, std::numeric_limits<double>::infinity());
    std::vector<std::int32_t> nearest(end - begin, 0);
    for (std::size_t v = 0; v < problem_.k; ++v) {
      const double* sums = sums_.row(v).data() + begin;
      const double factor = -2 / mass_[v];
      for (std::size_t i = 0; i < least.size(); ++i) {
        const double score = lengths[v] + factor * sums[i];
        nearest[i] = score < least[i] ? static_cast<std::int32_t>(v) : nearest[i];
        least[i] = score < least[i] ? score : least[i];
      }
    }
    for (std::size_t i = begin; i < end; ++i) {
      const std::int32_t from = labels_[i];
      if (nearest[i - begin] == from || problem_.weights[i] == 0) continue;
      const double own = lengths[place(from)] - 2 / mass_[place(from)] * sums_(place(from), i);
      if (least[i - begin] < own - problem_.noise)
        parts[c].push_back({i, from, nearest[i - begin]});
    }
  });
  std::vector<Move> moves;
  for (const auto& part : parts) moves.insert(moves.end(), part.begin(), part.end());
  keep_last_members(moves);
  return moves;
}

void Partition::keep_last_members(std::vector<Move>& moves) const {
  std::vector<std::size_t> left = members_;
  for (const Move& move : moves) {
    --left[place(move.from)];
    ++left[place(move.to)];
  }
  // A point that stays leaves its goal one short, which may have lived on it: look again.
  bool again = true;
  while (again) {
    again = false;
    for (std::size_t m = moves.size(); m-- > 0;) {
      const Move move = moves[m];
      if (left[place(move.from)] > 0) continue;
      ++left[place(move.from)];
      --left[place(move.to)];
      moves.erase(moves.begin() + static_cast<std::ptrdiff_t>(m));
      again = true;
    }
  }
}

void Partition::apply(std::span<const Move> moves) {
  for (const Move& move : moves) labels_[move.point] = move.to;
  moved_ += moves.size();
  const std::vector<double> before = mass_;
  count_members();
  bool lost_nearly_all = false;
  for (std::size_t v = 0; v < problem_.k; ++v) {
    lost_nearly_all = lost_nearly_all || mass_[v] < light_share * before[v];
  }
  if (moved_ > problem_.size() || lost_nearly_all) {
    rebuild();
    return;
  }
  problem_.kernel.apply(moves, problem_.weights, sums_.view());
  update_inner();
}

double Partition::change(std::size_t point, std::size_t from, std::size_t to) const {
  const double weight = problem_.weights[point];
  const double leaving = mass_[from] / (mass_[from] - weight) * squared_distance(point, from);
  const double joining = mass_[to] / (mass_[to] + weight) * squared_distance(point, to);
  return weight * (joining - leaving);
}

bool Partition::is_all_of_its_cluster(std::size_t point) const {
  const std::size_t v = place(labels_[point]);
  const double rest = mass_[v] - problem_.weights[point];
  return members_[v] == 1 || rest <= epsilon * static_cast<double>(problem_.size()) * mass_[v];
}

std::optional<std::size_t> Partition::exchange_pass(const std::function<bool()>& goes_on) {
  std::size_t moves = 0;
  for (std::size_t i = 0; i < problem_.size(); ++i) {
    if (i % points_between_questions == points_between_questions - 1 && !goes_on()) {
      return std::nullopt;
    }
    const std::int32_t from = labels_[i];
    if (problem_.weights[i] == 0 || is_all_of_its_cluster(i)) continue;
    // What leaving saves is a squared distance times this, and so is its rounding.
    const double factor = mass_[place(from)] / (mass_[place(from)] - problem_.weights[i]);
    double least = -problem_.weights[i] * problem_.noise * factor;
    std::int32_t to = from;
    for (std::size_t v = 0; v < problem_.k; ++v) {
      if (v == place(from)) continue;
      const double difference = change(i, place(from), v);
      if (difference >= least) continue;
      least = difference;
      to = static_cast<std::int32_t>(v);
    }
    if (to == from) continue;
    exchange({i, from, to});
    ++moves;
  }
  return moves;
}

void Partition::exchange(const Move& move) {
  const std::size_t from = place(move.from);
  const std::size_t to = place(move.to);
  const double weight = problem_.weights[move.point];
  labels_[move.point] = move.to;
  if (++moved_ > problem_.size() || mass_[from] - weight < light_share * mass_[from]) {
    rebuild();
    return;
  }
  const double own = problem_.kernel.diagonal()[move.point];
  inner_[from] -= weight * (2 * sums_(from, move.point) - weight * own);
  inner_[to] += weight * (2 * sums_(to, move.point) + weight * own);
  mass_[from] -= weight;
  mass_[to] += weight;
  own_[from] -= weight * own;
  own_[to] += weight * own;
  --members_[from];
  ++members_[to];
  problem_.kernel.apply({&move, 1}, problem_.weights, sums_.view());
}

void Partition::settle_weightless() {
  for (std::size_t i = 0; i < problem_.size(); ++i) {
    if (problem_.weights[i] > 0) continue;
    for (std::size_t v = 0; v < problem_.k; ++v) {
      const double difference = squared_distance(i, v) - squared_distance(i, place(labels_[i]));
      const bool is_lower = v < place(labels_[i]) && difference <= 0;
      if (difference < 0 || is_lower) labels_[i] = static_cast<std::int32_t>(v);
    }
  }
}

}  // namespace maxmargin::kernel_kmeans
