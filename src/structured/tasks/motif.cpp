// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/motif.md
#include "maxmargin/structured/tasks/motif.hpp"

#include <algorithm>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t bases = dna_letters.size();

/// 4 + 16 + ... + 4^(order + 1): strings of 1 to order + 1 bases.
std::size_t contexts_up_to(std::size_t order) {
  std::size_t sum = 0;
  std::size_t power = 1;
  for (std::size_t k = 0; k <= order; ++k) sum += power *= bases;
  return sum;
}

/// Step 1: minus the background of every window.
void take_off_background(const BaseString& x,
                         std::span<const double> background,
                         std::size_t length,
                         std::vector<double>& prefix,
                         std::span<double> scores) {
  prefix.resize(x.size() + 1);
  prefix[0] = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint16_t context = x.contexts[i];
    prefix[i + 1] = prefix[i] + (context == BaseString::no_context ? 0.0 : background[context]);
  }
  for (std::size_t h = 0; h < scores.size(); ++h) scores[h] = prefix[h] - prefix[h + length];
}

/// Step 2: what the columns add; `reverse` reads them as step 3 says.
void add_columns(const BaseString& x,
                 std::span<const double> matrix,
                 bool reverse,
                 std::span<double> scores) {
  if (scores.empty()) return;  // a sequence shorter than the motif
  const std::size_t length = matrix.size() / bases;
  for (std::size_t j = 0; j < length; ++j) {
    // The last for unknown bases.
    double column[bases + 1] = {};
    for (std::size_t b = 0; b < bases; ++b) {
      column[b] =
          reverse ? matrix[bases * (length - 1 - j) + (bases - 1 - b)] : matrix[bases * j + b];
    }
    const std::uint8_t* const base = x.bases.data() + j;
    for (std::size_t h = 0; h < scores.size(); ++h) scores[h] += column[base[h]];
  }
}

}  // namespace

void MotifTaskOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "motif-length", .help = "bases of the motif", .value = "L"},
              length,
              {.least = 1, .most = most_length});
  visit.name(
      {.name = "strands", .help = "is the motif read on both strands, or on the given one alone"},
      strands);
  visit.whole({.name = "background-order",
               .help = "bases before it that a base of the background depends on",
               .value = "K"},
              order,
              {.least = 0, .most = most_order});
  visit.switched_off(
      {.name = "no-background", .help = "no background: scores of the motif's columns alone"},
      background);
}

MotifTask::MotifTask(const MotifTaskOptions& options) : options_(options) {
  validate(options_);
  if (options.background) contexts_ = contexts_up_to(options.order);
}

BaseString MotifTask::encode(std::string_view sequence) const {
  BaseString x;
  x.bases.reserve(sequence.size());
  x.contexts.reserve(sequence.size());
  // The number that the bases of the context make, and how many they are.
  std::size_t word = 0;
  std::size_t known = 0;
  std::size_t words = 1;
  for (std::size_t k = 0; k < options_.order; ++k) words *= bases;
  for (const char letter : sequence) {
    const std::uint8_t code = base_code(letter);
    require(code != no_base, "a sequence of DNA with the letter " + std::string(1, letter));
    x.bases.push_back(code);
    if (code == unknown_base || !options_.background) {
      x.contexts.push_back(BaseString::no_context);
      word = known = 0;
      continue;
    }
    // Words of fewer bases stand before.
    const std::size_t begin = known == 0 ? 0 : contexts_up_to(known - 1);
    x.contexts.push_back(static_cast<std::uint16_t>(begin + bases * word + code));
    word = (bases * word + code) % words;
    known = std::min(known + 1, options_.order);
  }
  return x;
}

void MotifTask::joint_features(const BaseString& x, const MotifSite& y, FeatureVector& psi) const {
  if (!y.present) return;
  const std::size_t length = options_.length;
  require(y.place < places(x), "the place of a motif: its window goes beyond the sequence");
  for (std::size_t j = 0; j < length; ++j) {
    const std::uint8_t base = x.bases[y.place + j];
    if (base == unknown_base) continue;
    psi.add(y.reverse ? bases * (length - 1 - j) + (bases - 1 - base) : bases * j + base, 1);
  }
  for (std::size_t i = y.place; i < y.place + length; ++i) {
    if (x.contexts[i] != BaseString::no_context) psi.add(matrix_weights() + x.contexts[i], -1);
  }
}

void MotifTask::scores(const BaseString& x, std::span<const double> w, Scores& found) const {
  thread_local std::vector<double> prefix;
  const std::size_t count = places(x);
  const std::span<const double> matrix = w.first(matrix_weights());
  found.forward.assign(count, 0.0);
  if (options_.background && count > 0) {
    take_off_background(x, w.subspan(matrix_weights()), options_.length, prefix, found.forward);
  }
  found.reverse.clear();
  if (options_.strands == MotifStrands::both) {
    found.reverse = found.forward;
    add_columns(x, matrix, true, found.reverse);
  }
  add_columns(x, matrix, false, found.forward);
}

MotifTask::Best MotifTask::best(const BaseString& x,
                                std::span<const double> w,
                                const MotifSite* preferred) const {
  thread_local Scores found;
  scores(x, w, found);
  // Step 4.
  Best best{.site = {.present = true}, .score = found.forward.front()};
  for (std::size_t h = 0; h < found.forward.size(); ++h) {
    if (found.forward[h] > best.score) {
      best = {.site = {.present = true, .place = static_cast<std::uint32_t>(h)},
              .score = found.forward[h]};
    }
    if (found.reverse.empty() || found.reverse[h] <= best.score) continue;
    best = {.site = {.present = true, .reverse = true, .place = static_cast<std::uint32_t>(h)},
            .score = found.reverse[h]};
  }
  if (preferred == nullptr || !preferred->present) return best;
  const std::vector<double>& own = preferred->reverse ? found.reverse : found.forward;
  if (preferred->place < own.size() && own[preferred->place] == best.score) best.site = *preferred;
  return best;
}

MotifTask::Best MotifTask::best(const BaseString& x, std::span<const double> w) const {
  require_place(x);
  return best(x, w, nullptr);
}

MotifSite MotifTask::predict(const BaseString& x, std::span<const double> w) const {
  if (places(x) == 0) return {};
  const Best found = best(x, w, nullptr);
  return found.score > 0 ? found.site : MotifSite{};
}

MotifSite MotifTask::loss_augmented_argmax(const BaseString& x,
                                           const MotifSite& truth,
                                           std::span<const double> w) const {
  if (places(x) == 0) return {};
  const Best found = best(x, w, &truth);
  if (truth.present) return found.score < 1 ? MotifSite{} : found.site;
  return found.score + 1 > 0 ? found.site : MotifSite{};
}

void MotifTask::require_place(const BaseString& x) const {
  require(places(x) > 0,
          "a sequence of " + std::to_string(x.size()) + " bases, shorter than the motif's " +
              std::to_string(options_.length) + ", has no place for it");
}

MotifSite MotifTask::complete(const BaseString& x,
                              const MotifSite& truth,
                              std::span<const double> w) const {
  if (!truth.present) return {};
  require_place(x);
  return best(x, w, &truth).site;
}

MotifSite MotifTask::random_completion(const BaseString& x,
                                       const MotifSite& truth,
                                       Rng& rng) const {
  if (!truth.present) return {};
  require_place(x);
  const std::size_t place = rng.index(places(x));
  const bool reverse = options_.strands == MotifStrands::both && rng.bernoulli(0.5);
  return {.present = true, .reverse = reverse, .place = static_cast<std::uint32_t>(place)};
}

void MotifTask::for_each_output(const BaseString& x,
                                const std::function<void(const MotifSite&)>& visit) const {
  visit({});
  for (std::size_t h = 0; h < places(x); ++h) {
    const auto place = static_cast<std::uint32_t>(h);
    visit({.present = true, .place = place});
    if (options_.strands == MotifStrands::both) {
      visit({.present = true, .reverse = true, .place = place});
    }
  }
}

}  // namespace maxmargin
