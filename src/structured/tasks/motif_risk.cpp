// SPDX-License-Identifier: Apache-2.0
#include "structured/tasks/motif_risk.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t bases = dna_letters.size();
/// Words that are tried for a run, and sequences of each class that they are tried on.
constexpr std::size_t words_drawn = 200;
constexpr std::size_t sequences_drawn = 200;

/// A matrix that counts the bases which a window shares with the word at `place` of x.
std::vector<double> matrix_of_word(const MotifTask& task, const BaseString& x, std::size_t place) {
  std::vector<double> w(task.dimension(), 0.0);
  for (std::size_t j = 0; j < task.options().length; ++j) {
    const std::uint8_t base = x.bases[place + j];
    if (base != unknown_base) w[bases * j + base] = 1;
  }
  return w;
}

struct Moments {
  double sum = 0;
  double squares = 0;
  double count = 0;

  void add(double value) {
    sum += value;
    squares += value * value;
    count += 1;
  }
  [[nodiscard]] double mean() const { return sum / std::max(1.0, count); }
  [[nodiscard]] double variance() const {
    return std::max(0.0, squares / std::max(1.0, count) - mean() * mean());
  }
};

}  // namespace

MotifRisk::MotifRisk(const MotifTask& task,
                     std::span<const BaseString> inputs,
                     std::span<MotifSite> truths,
                     std::span<const double> weights,
                     bool by_words,
                     const Context& context)
    : task_(task),
      inputs_(inputs),
      truths_(truths),
      weights_(weights),
      by_words_(by_words),
      context_(context),
      threads_(thread_count(context.threads)),
      hinge_(task, inputs, truths, weights) {}

std::vector<std::size_t> MotifRisk::draw_sequences(bool positive, Rng& rng) const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const bool counts = weights_.empty() || weights_[i] > 0;
    if (truths_[i].present == positive && counts && task_.places(inputs_[i]) > 0) all.push_back(i);
  }
  std::vector<std::size_t> drawn;
  for (const std::size_t k : rng.sample(all.size(), std::min(all.size(), sequences_drawn))) {
    drawn.push_back(all[k]);
  }
  return drawn;
}

std::optional<std::vector<double>> MotifRisk::draw_word(Rng& rng, SharedProgress& progress) const {
  const std::vector<std::size_t> positives = draw_sequences(true, rng);
  const std::vector<std::size_t> negatives = draw_sequences(false, rng);
  if (positives.empty()) return std::vector<double>(task_.dimension(), 0.0);
  std::vector<std::vector<double>> words;
  for (std::size_t k = 0; k < words_drawn; ++k) {
    const BaseString& x = inputs_[positives[rng.index(positives.size())]];
    words.push_back(matrix_of_word(task_, x, rng.index(task_.places(x))));
  }
  std::vector<double> values(words.size());
  parallel_chunks(threads_, words.size(), 1, [&](std::size_t k, std::size_t, std::size_t) {
    if (progress({.phase = "words", .max_iterations = words_drawn}) != Continue::yes) return;
    Moments with;
    Moments without;
    for (const std::size_t i : positives) with.add(task_.best(inputs_[i], words[k]).score);
    for (const std::size_t i : negatives) without.add(task_.best(inputs_[i], words[k]).score);
    const double difference = with.mean() - without.mean();
    const double deviation = std::sqrt(with.variance() + without.variance());
    // Counts that are the same throughout both classes tell them apart for certain, or not at all.
    values[k] = difference == 0 ? 0.0 : difference / deviation;
  });
  if (progress.answer() != Continue::yes) return std::nullopt;
  const auto best = std::ranges::max_element(values) - values.begin();
  return words[static_cast<std::size_t>(best)];
}

Continue MotifRisk::begin(Rng* rng) {
  if (rng == nullptr || !by_words_) return hinge_.begin(rng);
  SharedProgress progress(context_.on_progress);
  const std::optional<std::vector<double>> word = draw_word(*rng, progress);
  if (!word) return progress.answer();
  // The truths that the hinge looks at: it begins with their places.
  parallel_chunks(
      threads_, inputs_.size(), 64, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          if (!truths_[i].present) continue;
          truths_[i] = task_.best(inputs_[i], *word).site;
        }
      });
  return hinge_.begin(nullptr);
}

}  // namespace maxmargin
