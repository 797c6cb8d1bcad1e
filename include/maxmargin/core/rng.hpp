// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "maxmargin/core/export.hpp"

/// Random numbers that are the same on every platform. The engine (std::mt19937_64) is specified
/// bit for bit; the standard's distributions are not, so these are our own.
namespace maxmargin {

/// Mixes (seed, purpose, index) into an independent seed, so that adding a fold, a restart or a
/// thread shifts no other stream.
[[nodiscard]] MAXMARGIN_EXPORT std::uint64_t derive_seed(std::uint64_t seed,
                                                         std::string_view purpose,
                                                         std::uint64_t index = 0) noexcept;

/// A stream of random numbers. Copyable; a copy repeats the same numbers.
class MAXMARGIN_EXPORT Rng {
 public:
  explicit Rng(std::uint64_t seed) : engine_(seed) {}
  Rng(std::uint64_t seed, std::string_view purpose, std::uint64_t index = 0)
      : Rng(derive_seed(seed, purpose, index)) {}

  [[nodiscard]] std::uint64_t bits() { return engine_(); }
  /// Uniform in [0, 1), a multiple of 2^-53.
  [[nodiscard]] double uniform();
  /// Uniform in [low, high).
  [[nodiscard]] double uniform(double low, double high);
  /// Uniform in {0, ..., n-1}, without bias. Requires n > 0.
  [[nodiscard]] std::size_t index(std::size_t n);
  /// True with probability p.
  [[nodiscard]] bool bernoulli(double p) { return uniform() < p; }
  /// Standard normal, by Marsaglia's polar method (two at a time; one is kept).
  [[nodiscard]] double normal();
  [[nodiscard]] double normal(double mean, double deviation) { return mean + deviation * normal(); }
  /// Exponential with rate 1.
  [[nodiscard]] double exponential();
  /// An index drawn with probability weights[i] / sum. Requires non-negative weights, sum > 0.
  [[nodiscard]] std::size_t discrete(std::span<const double> weights);

  /// Fisher-Yates.
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[index(i)]);
  }
  /// A random order of 0, ..., n-1.
  [[nodiscard]] std::vector<std::size_t> permutation(std::size_t n);
  /// `count` distinct indices below n in random order. Requires count <= n.
  [[nodiscard]] std::vector<std::size_t> sample(std::size_t n, std::size_t count);

 private:
  std::mt19937_64 engine_;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

}  // namespace maxmargin
