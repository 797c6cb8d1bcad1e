// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/motif.md, "Negatives by shuffling"
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "maxmargin/core/require.hpp"
#include "maxmargin/data/dna.hpp"

namespace maxmargin {

namespace {

/// What a word of the sequence is: an edge from its letters but the last to those but the first.
struct Edge {
  std::size_t to = 0;
  /// The last letter of the word.
  char letter = '\0';
};

/// The sequence as a path. Vertices are its different words of one letter less, in their order.
struct Graph {
  /// Of every vertex its edges, in the order of the path.
  std::vector<std::vector<Edge>> edges = {};
  std::size_t first = 0;
  std::size_t last = 0;
};

Graph graph_of(std::string_view sequence, std::size_t length) {
  const std::size_t shorter = length - 1;
  std::vector<std::string_view> words;
  for (std::size_t k = 0; k + shorter <= sequence.size(); ++k) {
    words.push_back(sequence.substr(k, shorter));
  }
  std::vector<std::string_view> different = words;
  std::ranges::sort(different);
  different.erase(std::unique(different.begin(), different.end()), different.end());
  const auto vertex = [&](std::size_t k) {
    return static_cast<std::size_t>(std::ranges::lower_bound(different, words[k]) -
                                    different.begin());
  };
  Graph graph{.edges = std::vector<std::vector<Edge>>(different.size()),
              .first = vertex(0),
              .last = vertex(words.size() - 1)};
  std::size_t from = graph.first;
  for (std::size_t k = 1; k < words.size(); ++k) {
    const std::size_t to = vertex(k);
    graph.edges[from].push_back({.to = to, .letter = sequence[k + shorter - 1]});
    from = to;
  }
  return graph;
}

/// Step 1: for every vertex the number of the edge that is used last, so that these lead to the
/// last one from everywhere. Walks that are drawn until they meet what leads there already; of a
/// vertex that was left several times the last way counts (Wilson).
std::vector<std::size_t> last_edges(const Graph& graph, Rng& rng) {
  std::vector<std::size_t> last(graph.edges.size(), 0);
  std::vector<bool> leads(graph.edges.size(), false);
  leads[graph.last] = true;
  for (std::size_t begin = 0; begin < graph.edges.size(); ++begin) {
    for (std::size_t at = begin; !leads[at]; at = graph.edges[at][last[at]].to) {
      last[at] = rng.index(graph.edges[at].size());
    }
    for (std::size_t at = begin; !leads[at]; at = graph.edges[at][last[at]].to) leads[at] = true;
  }
  return last;
}

}  // namespace

std::string shuffle_words(std::string_view sequence, std::size_t length, Rng& rng) {
  require(length > 0, "words to shuffle by: must have at least 1 letter");
  if (sequence.size() <= length) return std::string(sequence);
  Graph graph = graph_of(sequence, length);
  const std::vector<std::size_t> last = last_edges(graph, rng);
  // Step 2.
  for (std::size_t vertex = 0; vertex < graph.edges.size(); ++vertex) {
    std::vector<Edge>& own = graph.edges[vertex];
    if (own.empty()) continue;
    std::size_t free = own.size();
    if (vertex != graph.last) std::swap(own[last[vertex]], own[--free]);
    rng.shuffle(std::span(own).first(free));
  }
  // Step 3.
  std::vector<std::size_t> used(graph.edges.size(), 0);
  std::string shuffled(sequence.substr(0, length - 1));
  shuffled.reserve(sequence.size());
  for (std::size_t at = graph.first; shuffled.size() < sequence.size();) {
    const Edge& next = graph.edges[at][used[at]++];
    shuffled += next.letter;
    at = next.to;
  }
  return shuffled;
}

}  // namespace maxmargin
