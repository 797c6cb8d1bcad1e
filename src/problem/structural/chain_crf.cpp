// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/chain-crf.md, "Gradient"
#include "problem/structural/chain_crf.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/parallel.hpp"
#include "core/recomputation.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "problem/structural/chain_layout.hpp"

namespace maxmargin {

namespace {

/// Sequences that are summed before their sum joins the others; features side by side.
constexpr std::size_t sequences_a_chunk = 32;
constexpr std::size_t features_a_chunk = 1024;
constexpr std::size_t numbers_a_chunk = std::size_t{1} << 16;
/// Chunks of sequences whose sums are there at once: each has as many numbers as pairs of labels.
constexpr std::size_t chunks_a_round = 64;

}  // namespace

/// What a chunk of sequences adds: its loss, and the gradient of transitions, begin and end in
/// their order in w.
struct ChainCrf::Sums {
  double loss = 0;
  std::vector<double> tail;
};

ChainCrf::ChainCrf(const SequenceData& data, std::span<const double> weights, bool ends)
    : data_(data), weights_(weights.begin(), weights.end()) {
  require_labelled("ChainCrf", data);
  require_sequence_weights("ChainCrf", data, weights);
  layout_ = {.features = data.features,
             .labels = std::max<std::size_t>(1, label_count(data)),
             .ends = ends};
  (void)checked_multiply(checked_add(data.features, layout_.labels + 2), layout_.labels);
  firsts_.reserve(data.size() + 1);
  firsts_.push_back(0);
  for (const Sequence& sequence : data.inputs) firsts_.push_back(firsts_.back() + sequence.size());
  require(firsts_.back() <= std::numeric_limits<std::uint32_t>::max(),
          "ChainCrf: more than 2^32 - 1 positions");
  index_features();
}

void ChainCrf::index_features() {
  offsets_.assign(layout_.features + 1, 0);
  bool has_values = false;
  for (const Sequence& sequence : data_.inputs) {
    for (const std::uint32_t feature : sequence.indices) ++offsets_[feature + std::size_t{1}];
    has_values = has_values || !sequence.values.empty();
  }
  for (std::size_t f = 0; f < layout_.features; ++f) offsets_[f + 1] += offsets_[f];
  positions_.resize(offsets_.back());
  if (has_values) values_.resize(offsets_.back());
  std::vector<std::size_t> next(offsets_.begin(), offsets_.end() - 1);
  for (std::size_t i = 0; i < data_.size(); ++i) {
    const Sequence& sequence = data_.inputs[i];
    for (std::size_t t = 0; t < sequence.size(); ++t) {
      for (std::size_t e = sequence.begins[t]; e < sequence.begins[t + 1]; ++e) {
        const std::size_t place = next[sequence.indices[e]]++;
        positions_[place] = static_cast<std::uint32_t>(firsts_[i] + t);
        if (has_values) values_[place] = sequence.value(e);
      }
    }
  }
}

std::size_t ChainCrf::longest(std::size_t begin, std::size_t end) const {
  std::size_t positions = 0;
  for (std::size_t i = begin; i < end; ++i) positions = std::max(positions, data_.inputs[i].size());
  return positions;
}

std::size_t ChainCrf::objective_bytes(std::size_t threads) const {
  const std::size_t k = layout_.labels;
  // Scores of the nodes of a sequence, and the two tables of LabelChain::expectations.
  constexpr std::size_t tables_a_thread = 3;
  std::vector<std::size_t> lengths(chunk_count(data_.size(), sequences_a_chunk));
  for (std::size_t chunk = 0; chunk < lengths.size(); ++chunk) {
    const std::size_t begin = chunk * sequences_a_chunk;
    lengths[chunk] = longest(begin, std::min(begin + sequences_a_chunk, data_.size()));
  }
  std::ranges::sort(lengths, std::greater());
  const std::size_t at_once = std::min(threads, lengths.size());
  std::size_t rows = firsts_.back();  // of the residuals
  for (std::size_t chunk = 0; chunk < at_once; ++chunk) {
    rows = checked_add(rows, checked_multiply(tables_a_thread, lengths[chunk]));
  }
  // Transitions as LabelChain keeps them, and their counts on every thread.
  const std::size_t squares = checked_multiply(checked_add(4, at_once), checked_multiply(k, k));
  const std::size_t chunks = std::min(chunks_a_round, lengths.size());
  const std::size_t sums = checked_multiply(chunks + 1, dimension() - layout_.transition(0, 0));
  return checked_multiply(sizeof(double),
                          checked_add(checked_multiply(rows, k), checked_add(squares, sums)));
}

double ChainCrf::objective(double c,
                           std::span<const double> w,
                           std::span<double> gradient,
                           std::size_t threads) const {
  require(w.size() == dimension() && gradient.size() == dimension(),
          "ChainCrf: w and gradient must have the problem's dimension");
  DenseMatrix residuals = DenseMatrix::uninitialized(firsts_.back(), layout_.labels);
  const std::size_t tail_begin = layout_.transition(0, 0);
  std::vector<double> tail(dimension() - tail_begin, 0.0);
  const double loss = add_sequences(w, residuals.view(), tail, threads);
  add_features(c, w, residuals.view(), gradient, threads);
  for (std::size_t j = 0; j < tail.size(); ++j) {
    gradient[tail_begin + j] = w[tail_begin + j] + c * tail[j];
  }
  const double square = parallel_sum(threads,
                                     w.size(),
                                     numbers_a_chunk,
                                     0.0,
                                     [&](std::size_t, std::size_t begin, std::size_t end) {
                                       double sum = 0;
                                       for (std::size_t j = begin; j < end; ++j) sum += w[j] * w[j];
                                       return sum;
                                     });
  return 0.5 * square + c * loss;
}

double ChainCrf::add_sequences(std::span<const double> w,
                               MutableDenseView residuals,
                               std::span<double> tail,
                               std::size_t threads) const {
  const std::size_t k = layout_.labels;
  const LabelChain chain = chain_of(layout_, w);
  std::vector<Sums> parts;
  const auto add_chunk = [&](Sums& sums, std::size_t begin, std::size_t end) {
    sums.loss = 0;
    sums.tail.assign(tail.size(), 0.0);
    const MutableDenseView counts{sums.tail.data(), k, k, k};
    double* first = layout_.ends ? sums.tail.data() + k * k : nullptr;
    std::vector<double> storage(longest(begin, end) * k);
    for (std::size_t i = begin; i < end; ++i) {
      const LabelSequence& labels = data_.labels[i];
      if (labels.empty()) continue;
      const double a = weight(i);
      const MutableDenseView nodes{storage.data(), labels.size(), k, k};
      node_scores(layout_, data_.inputs[i], w, nodes);
      const MutableDenseView here = residuals.middle_rows(firsts_[i], firsts_[i + 1]);
      const double log_sum = chain.expectations(nodes, here, counts, a);
      sums.loss += a * (log_sum - chain.score(nodes, labels));
      for (std::size_t t = 0; t < labels.size(); ++t) {
        here(t, labels[t]) -= 1;
        for (double& value : here.row(t)) value *= a;
        if (t > 0) counts(labels[t - 1], labels[t]) -= a;
      }
      if (first == nullptr) continue;
      for (std::size_t j = 0; j < k; ++j) {
        first[j] += here(0, j);
        first[k + j] += here(labels.size() - 1, j);
      }
    }
  };
  double loss = 0;
  constexpr std::size_t sequences_a_round = chunks_a_round * sequences_a_chunk;
  for (std::size_t first = 0; first < data_.size(); first += sequences_a_round) {
    const std::size_t count = std::min(sequences_a_round, data_.size() - first);
    parts.resize(chunk_count(count, sequences_a_chunk));
    parallel_chunks(threads,
                    count,
                    sequences_a_chunk,
                    [&](std::size_t chunk, std::size_t begin, std::size_t end) {
                      add_chunk(parts[chunk], first + begin, first + end);
                    });
    for (const Sums& part : parts) {
      loss += part.loss;
      for (std::size_t j = 0; j < tail.size(); ++j) tail[j] += part.tail[j];
    }
  }
  return loss;
}

void ChainCrf::add_features(double c,
                            std::span<const double> w,
                            DenseView residuals,
                            std::span<double> gradient,
                            std::size_t threads) const {
  const std::size_t k = layout_.labels;
  const auto work = [&](std::size_t, std::size_t begin, std::size_t end) {
    std::vector<double> sums(k);
    for (std::size_t f = begin; f < end; ++f) {
      std::ranges::fill(sums, 0.0);
      const std::size_t first = offsets_[f];
      const std::size_t count = offsets_[f + 1] - first;
      add_rows(
          residuals.data,
          residuals.rows,
          std::span(positions_).subspan(first, count),
          values_.empty() ? std::span<const double>() : std::span(values_).subspan(first, count),
          sums);
      for (std::size_t j = 0; j < k; ++j) gradient[f * k + j] = w[f * k + j] + c * sums[j];
    }
  };
  parallel_chunks(threads, layout_.features, features_a_chunk, work);
}

double ChainCrf::plain_objective(double c,
                                 std::span<const double> w,
                                 const Context& context) const {
  VerifyWatch watch(context);
  double sum = 0;
  for (const double x : w) sum += 0.5 * x * x;
  const LabelChain chain = chain_of(layout_, w);
  for (std::size_t i = 0; i < data_.size(); ++i) {
    const std::size_t length = data_.inputs[i].size();
    if (length == 0) continue;
    watch.spend(length * layout_.labels * layout_.labels);
    DenseMatrix nodes(length, layout_.labels);
    node_scores(layout_, data_.inputs[i], w, nodes.view());
    // The sum from the other end, so that a mistake of the forward recursion shows.
    const DenseMatrix backward = chain.backward_logs(nodes.view());
    std::vector<double> terms(layout_.labels);
    for (std::size_t j = 0; j < terms.size(); ++j) {
      terms[j] = nodes(0, j) + backward(0, j) + (layout_.ends ? w[layout_.begin(j)] : 0.0);
    }
    const double largest = *std::ranges::max_element(terms);
    double total = 0;
    for (const double term : terms) total += std::exp(term - largest);
    const double log_sum = largest + std::log(total);
    sum += c * weight(i) * (log_sum - chain.score(nodes.view(), data_.labels[i]));
  }
  return sum;
}

DenseMatrix label_probabilities(const ChainLayout& layout,
                                const Sequence& sequence,
                                std::span<const double> w) {
  const LabelChain chain = chain_of(layout, w);
  DenseMatrix nodes(sequence.size(), layout.labels);
  node_scores(layout, sequence, w, nodes.view());
  DenseMatrix probabilities(sequence.size(), layout.labels);
  DenseMatrix counts(layout.labels, layout.labels, 0.0);
  chain.expectations(nodes.view(), probabilities.view(), counts.view());
  return probabilities;
}

LabelSequence best_labelling(const ChainLayout& layout,
                             const Sequence& sequence,
                             std::span<const double> w) {
  const LabelChain chain = chain_of(layout, w);
  DenseMatrix nodes(sequence.size(), layout.labels);
  node_scores(layout, sequence, w, nodes.view());
  LabelSequence labelling;
  chain.best(nodes.view(), labelling);
  return labelling;
}

}  // namespace maxmargin
