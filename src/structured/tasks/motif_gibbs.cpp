// SPDX-License-Identifier: Apache-2.0
#include "structured/tasks/motif_gibbs.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>

#include "core/parallel.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t bases = dna_letters.size();
/// Sites that the pseudo-counts of a column stand for.
constexpr double pseudo_sites = 1;
/// A chain finds a motif when chance puts a few sites right, which many other sites hide: it begins
/// with so few sequences, and takes more sweeps over them.
constexpr std::size_t first_sequences = 24;
constexpr std::size_t first_sweeps = 5;
/// Sweeps between two attempts to move all sites together, and how far.
constexpr std::size_t sweeps_between_shifts = 5;
constexpr int farthest_shift = 3;

/// Logarithms of the chances of the background, which counts shorter words with the longer ones.
std::vector<double> log_background(const MotifTask& task, std::span<const BaseString> sequences) {
  std::vector<double> counts(task.dimension() - task.matrix_weights(), 0.0);
  for (const BaseString& x : sequences) {
    for (const std::uint16_t context : x.contexts) {
      if (context != BaseString::no_context) counts[context] += 1;
    }
  }
  // Words of c + 1 letters stand at begin; without their first letter they are words of c.
  for (std::size_t c = task.options().order; c > 0 && !counts.empty(); --c) {
    std::size_t begin = 0;
    std::size_t shorter = 1;
    for (std::size_t k = 0; k < c; ++k) begin += shorter *= bases;
    for (std::size_t word = 0; word < bases * shorter; ++word) {
      counts[begin - shorter + word % shorter] += counts[begin + word];
    }
  }
  std::vector<double> logs(counts.size());
  for (std::size_t word = 0; word < counts.size(); word += bases) {
    double sum = pseudo_sites;
    for (std::size_t b = 0; b < bases; ++b) sum += counts[word + b];
    for (std::size_t b = 0; b < bases; ++b) {
      logs[word + b] = std::log((counts[word + b] + pseudo_sites / bases) / sum);
    }
  }
  return logs;
}

/// One restart.
class Chain {
 public:
  Chain(const MotifTask& task,
        std::span<const BaseString> sequences,
        std::span<const double> background,
        Rng& rng)
      : task_(task), sequences_(sequences), rng_(rng), w_(task.dimension()) {
    counts_.assign(task.matrix_weights(), 0.0);
    std::ranges::copy(background, w_.begin() + static_cast<std::ptrdiff_t>(task.matrix_weights()));
    for (const BaseString& x : sequences) {
      sites_.push_back(task.random_completion(x, {.present = true}, rng_));
      count(x, sites_.back(), 1);
    }
    keep_if_better();
  }

  /// Draws all sites anew by the matrix of another chain.
  void begin_with(std::span<const double> w) {
    std::ranges::copy(w, w_.begin());
    std::vector<MotifSite> drawn;
    for (const BaseString& x : sequences_) drawn.push_back(draw_site(x));
    place_all(drawn);
    keep_if_better();
  }

  void sweep(std::size_t number) {
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
      count(sequences_[i], sites_[i], -1);
      take_matrix(w_);
      sites_[i] = draw_site(sequences_[i]);
      count(sequences_[i], sites_[i], 1);
    }
    if (number % sweeps_between_shifts == 0) shift();
    keep_if_better();
  }

  std::vector<MotifSite> best_sites = {};
  std::vector<double> best_w = {};
  double best = -std::numeric_limits<double>::infinity();

 private:
  void count(const BaseString& x, const MotifSite& site, double sign) {
    scratch_.clear();
    task_.joint_features(x, site, scratch_);
    for (const FeatureVector::Entry& entry : scratch_.entries()) {
      if (entry.index < counts_.size()) counts_[entry.index] += sign;
    }
  }

  /// The matrix of the present counts: logarithms, against 1/4 where there is no background.
  void take_matrix(std::vector<double>& w) const {
    const double otherwise = task_.options().background ? 0.0 : std::log(1.0 / bases);
    for (std::size_t column = 0; column < counts_.size(); column += bases) {
      double sum = pseudo_sites;
      for (std::size_t b = 0; b < bases; ++b) sum += counts_[column + b];
      for (std::size_t b = 0; b < bases; ++b) {
        w[column + b] = std::log((counts_[column + b] + pseudo_sites / bases) / sum) - otherwise;
      }
    }
  }

  MotifSite draw_site(const BaseString& x) {
    task_.scores(x, w_, scores_);
    chances_ = scores_.forward;
    chances_.insert(chances_.end(), scores_.reverse.begin(), scores_.reverse.end());
    const double largest = *std::ranges::max_element(chances_);
    for (double& chance : chances_) chance = std::exp(chance - largest);
    const std::size_t drawn = rng_.discrete(chances_);
    const std::size_t places = scores_.forward.size();
    return {.present = true,
            .reverse = drawn >= places,
            .place = static_cast<std::uint32_t>(drawn % places)};
  }

  /// The sum of the scores of all sites under the matrix of all sites.
  double log_ratio(std::vector<double>& w) {
    take_matrix(w);
    double sum = 0;
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      scratch_.clear();
      task_.joint_features(sequences_[i], sites_[i], scratch_);
      sum += scratch_.dot(w);
    }
    return sum;
  }

  [[nodiscard]] MotifSite shifted(std::size_t i, int by) const {
    MotifSite site = sites_[i];
    const auto last = static_cast<std::int64_t>(task_.places(sequences_[i])) - 1;
    const std::int64_t moved = static_cast<std::int64_t>(site.place) + (site.reverse ? -by : by);
    site.place = static_cast<std::uint32_t>(std::clamp<std::int64_t>(moved, 0, last));
    return site;
  }

  void place_all(std::span<const MotifSite> sites) {
    std::ranges::fill(counts_, 0.0);
    sites_.assign(sites.begin(), sites.end());
    for (std::size_t i = 0; i < sites_.size(); ++i) count(sequences_[i], sites_[i], 1);
  }

  /// A chain that sits some columns beside the motif seldom gets there site by site.
  void shift() {
    const std::vector<MotifSite> present = sites_;
    std::vector<MotifSite> chosen = present;
    std::vector<double> w = w_;
    double largest = log_ratio(w);
    for (int by = -farthest_shift; by <= farthest_shift; ++by) {
      if (by == 0) continue;
      sites_ = present;
      std::vector<MotifSite> moved;
      for (std::size_t i = 0; i < present.size(); ++i) moved.push_back(shifted(i, by));
      place_all(moved);
      const double here = log_ratio(w);
      if (here <= largest) continue;
      largest = here;
      chosen = std::move(moved);
    }
    place_all(chosen);
  }

  void keep_if_better() {
    const double here = log_ratio(w_);
    if (here <= best) return;
    best = here;
    best_sites = sites_;
    best_w = w_;
  }

  const MotifTask& task_;
  std::span<const BaseString> sequences_;
  Rng& rng_;
  std::vector<double> w_;
  std::vector<double> counts_;
  std::vector<MotifSite> sites_ = {};
  FeatureVector scratch_ = {};
  MotifTask::Scores scores_ = {};
  std::vector<double> chances_ = {};
};

}  // namespace

GibbsAnswer sample_motif(const MotifTask& task,
                         std::span<const BaseString> sequences,
                         const GibbsOptions& options) {
  const std::vector<double> background = log_background(task, sequences);
  const std::size_t threads = thread_count(options.context.threads);
  GibbsAnswer answer;
  double largest = -std::numeric_limits<double>::infinity();
  // A stopped run takes of every restart what it came to.
  SharedProgress progress(options.context.on_progress);
  std::atomic<std::uint64_t> sweeps = 0;
  const auto goes_on = [&] {
    return progress({.phase = "sample", .iteration = ++sweeps}) == Continue::yes;
  };
  std::vector<std::unique_ptr<Chain>> chains(options.restarts);
  std::vector<Rng> streams;
  for (std::size_t r = 0; r < options.restarts; ++r) {
    streams.emplace_back(options.context.seed, "gibbs restart", r);
  }
  parallel_chunks(threads, options.restarts, 1, [&](std::size_t r, std::size_t, std::size_t) {
    if (progress.answer() != Continue::yes && r > 0) return;
    Rng& rng = streams[r];
    const std::size_t few = std::min(first_sequences, sequences.size());
    std::vector<BaseString> first;
    for (const std::size_t i : rng.sample(sequences.size(), few)) first.push_back(sequences[i]);
    Chain beginning(task, first, background, rng);
    for (std::size_t s = 1; s <= first_sweeps * options.sweeps && goes_on(); ++s) {
      beginning.sweep(s);
    }
    chains[r] = std::make_unique<Chain>(task, sequences, background, rng);
    chains[r]->begin_with(beginning.best_w);
    for (std::size_t s = 1; s <= options.sweeps && goes_on(); ++s) chains[r]->sweep(s);
  });
  for (const auto& chain : chains) {
    if (chain == nullptr) continue;
    answer.of_restarts.push_back(chain->best);
    if (chain->best <= largest) continue;
    largest = chain->best;
    answer.log_ratio = chain->best;
    answer.w = std::move(chain->best_w);
    answer.sites = std::move(chain->best_sites);
  }
  if (progress.answer() != Continue::yes) answer.status = status_of(progress.answer());
  return answer;
}

}  // namespace maxmargin
