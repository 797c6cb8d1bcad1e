// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/rng.hpp"

#include <cmath>
#include <numeric>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// One step of the splitmix64 generator: a bijective mixer of 64 bits.
std::uint64_t splitmix64(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t derive_seed(std::uint64_t seed,
                          std::string_view purpose,
                          std::uint64_t index) noexcept {
  // FNV-1a of the purpose, so that streams are told apart by what they are for.
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : purpose) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return splitmix64(splitmix64(splitmix64(seed) ^ hash) ^ index);
}

double Rng::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

double Rng::uniform(double low, double high) {
  const double value = low + (high - low) * uniform();
  return value < high ? value : std::nextafter(high, low);  // rounding may reach `high`
}

std::size_t Rng::index(std::size_t n) {
  if (n == 0) throw InternalError("Rng::index of an empty range");
  // Reject the last, incomplete run of values, so that every index is equally likely.
  const std::uint64_t range = n;
  const std::uint64_t rejected = (0 - range) % range;
  while (true) {
    const std::uint64_t draw = bits();
    if (draw >= rejected) return draw % range;
  }
}

double Rng::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  while (true) {
    const double u = 2 * uniform() - 1;
    const double v = 2 * uniform() - 1;
    const double s = u * u + v * v;
    if (s >= 1 || s == 0) continue;
    const double factor = std::sqrt(-2 * std::log(s) / s);
    spare_normal_ = v * factor;
    has_spare_ = true;
    return u * factor;
  }
}

double Rng::exponential() { return -std::log1p(-uniform()); }

std::size_t Rng::discrete(std::span<const double> weights) {
  double total = 0;
  for (const double weight : weights) {
    require(weight >= 0, "Rng::discrete: weights must be >= 0");
    total += weight;
  }
  require(total > 0 && std::isfinite(total), "Rng::discrete: the weights' sum must be positive");
  double left = uniform() * total;
  std::size_t last_possible = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    last_possible = i;
    left -= weights[i];
    if (left < 0) return i;
  }
  return last_possible;  // rounding carried us past the end
}

std::vector<std::size_t> Rng::permutation(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(std::span(order));
  return order;
}

std::vector<std::size_t> Rng::sample(std::size_t n, std::size_t count) {
  require(count <= n, "Rng::sample: count must be at most n");
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < count; ++i) std::swap(order[i], order[i + index(n - i)]);
  order.resize(count);
  return order;
}

}  // namespace maxmargin
