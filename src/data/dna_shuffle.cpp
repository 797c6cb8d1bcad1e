// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/motif.md, "Negatives by shuffling"
#include <array>
#include <cstdint>
#include <limits>

#include "maxmargin/data/dna.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t letters = std::numeric_limits<unsigned char>::max() + 1;

/// For every letter the letters behind it, one for each pair.
using Edges = std::array<std::vector<unsigned char>, letters>;

Edges edges_of(std::string_view sequence) {
  Edges edges;
  for (std::size_t k = 0; k + 1 < sequence.size(); ++k) {
    edges[static_cast<unsigned char>(sequence[k])].push_back(
        static_cast<unsigned char>(sequence[k + 1]));
  }
  return edges;
}

/// Step 1: for every letter the number of the edge that is used last, so that these lead to `end`
/// from everywhere. Walks that are drawn until they meet what leads there already; of a letter
/// that was left several times the last way counts (Wilson).
std::array<std::size_t, letters> last_edges(const Edges& edges, unsigned char end, Rng& rng) {
  std::array<std::size_t, letters> last{};
  std::array<bool, letters> leads{};
  leads[end] = true;
  for (std::size_t begin = 0; begin < letters; ++begin) {
    if (edges[begin].empty()) continue;
    for (std::size_t at = begin; !leads[at]; at = edges[at][last[at]]) {
      last[at] = rng.index(edges[at].size());
    }
    for (std::size_t at = begin; !leads[at]; at = edges[at][last[at]]) leads[at] = true;
  }
  return last;
}

}  // namespace

std::string shuffle_pairs(std::string_view sequence, Rng& rng) {
  if (sequence.size() < 3) return std::string(sequence);
  Edges edges = edges_of(sequence);
  const auto end = static_cast<unsigned char>(sequence.back());
  const std::array<std::size_t, letters> last = last_edges(edges, end, rng);
  // Step 2.
  for (std::size_t letter = 0; letter < letters; ++letter) {
    std::vector<unsigned char>& own = edges[letter];
    if (own.empty()) continue;
    std::size_t free = own.size();
    if (letter != end) std::swap(own[last[letter]], own[--free]);
    rng.shuffle(std::span(own).first(free));
  }
  // Step 3.
  std::array<std::size_t, letters> used{};
  std::string shuffled(1, sequence.front());
  shuffled.reserve(sequence.size());
  while (shuffled.size() < sequence.size()) {
    const auto at = static_cast<unsigned char>(shuffled.back());
    shuffled += static_cast<char>(edges[at][used[at]++]);
  }
  return shuffled;
}

}  // namespace maxmargin
