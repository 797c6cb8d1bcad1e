// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-multiclass.md, step 9.
#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "relax/class_polish.hpp"

namespace maxmargin {

namespace {

/// Beyond so many points x candidates only the best ones are polished, but never fewer than some.
constexpr std::size_t polishing_budget = 20000;
constexpr std::size_t least_polished = 6;
/// Polished labellings that are searched for exchanges.
constexpr std::size_t exchanged = 3;
/// Relative gap of the trainings of candidates, of exchanges, and of the answer.
constexpr double rough = 1e-3;
constexpr double fine = 1e-5;
constexpr double exact = 1e-8;
/// Steps a point of a rough training, of a finer one: labels that need more are no good.
constexpr std::uint64_t few_steps = 300;
constexpr std::uint64_t many_steps = 20000;

/// A labelling on its way through training and polishing.
struct Entry {
  std::string origin = {};
  FittedClasses fit = {};
};

class Search {
 public:
  Search(DenseView gram, const ClassRules& rules, const ClassSearchOptions& options)
      : gram_(gram),
        rules_(rules),
        options_(options),
        threads_(thread_count(options.context.threads)),
        progress_(options.context.on_progress) {
    named_ = std::ranges::any_of(rules.known, [](std::int32_t label) { return label >= 0; });
    if (options.context.on_progress) callback_ = [this](const Progress&) { return question(); };
  }

  ClassSearch run(std::vector<ClassCandidate> candidates) {
    candidates = distinct(std::move(candidates));
    ClassSearch found{.tried = candidates.size()};
    train(std::move(candidates));
    polish();
    exchange();
    for (Entry& entry : entries_) {
      if (stopped()) break;
      retrain(entry, exact);
    }
    order();
    found.best = std::move(entries_.front().fit);
    found.winner = std::move(entries_.front().origin);
    found.answer = progress_.answer();
    return found;
  }

 private:
  [[nodiscard]] ClassPolishOptions polishing(double tolerance) const {
    return {.c = options_.c,
            .tolerance = tolerance,
            .steps_a_point = tolerance >= rough ? few_steps : many_steps,
            .context = options_.context.with_progress(callback_)};
  }
  [[nodiscard]] Continue question() { return progress_({.phase = "rounding"}); }
  [[nodiscard]] bool stopped() { return question() != Continue::yes; }
  /// Labels by which two labellings are the same: names count only where classes are known.
  [[nodiscard]] ClassLabels key(const ClassLabels& labels) const {
    return named_ ? labels : canonical_labels(labels);
  }
  void order() {
    std::ranges::stable_sort(
        entries_, [](const Entry& a, const Entry& b) { return a.fit.objective < b.fit.objective; });
  }

  [[nodiscard]] std::vector<ClassCandidate> distinct(std::vector<ClassCandidate> candidates) const {
    std::vector<ClassCandidate> kept;
    std::vector<ClassLabels> keys;
    for (ClassCandidate& candidate : candidates) {
      require(candidate.labels.size() == gram_.rows && rules_.allow(candidate.labels),
              "search_classes: the candidate \"" + candidate.origin +
                  "\" must have a label for every point that the rules allow");
      ClassLabels name = key(candidate.labels);
      if (std::ranges::find(keys, name) != keys.end()) continue;
      keys.push_back(std::move(name));
      kept.push_back(std::move(candidate));
    }
    require(!kept.empty(), "search_classes: there is no candidate");
    return kept;
  }

  void train(std::vector<ClassCandidate> candidates) {
    entries_.resize(candidates.size());
    parallel_chunks(threads_, candidates.size(), 1, [&](std::size_t k, std::size_t, std::size_t) {
      // There must be an answer: the first training is always finished.
      ClassPolishOptions training = polishing(rough);
      if (k == 0) training.context.on_progress = {};
      if (k > 0 && stopped()) return;
      entries_[k] = {
          std::move(candidates[k].origin),
          fit_classes(gram_, rules_.classes(), std::move(candidates[k].labels), training)};
    });
    std::erase_if(entries_, [](const Entry& entry) { return entry.fit.labels.empty(); });
    order();
  }

  void polish() {
    const std::size_t count =
        std::min(entries_.size(), std::max(least_polished, polishing_budget / gram_.rows));
    std::vector<Entry> polished(count);
    parallel_chunks(threads_, count, 1, [&](std::size_t k, std::size_t, std::size_t) {
      if (stopped()) return;
      polished[k] = {entries_[k].origin,
                     polish_classes(gram_, rules_, entries_[k].fit.labels, polishing(rough))};
    });
    for (Entry& entry : polished) {
      if (!entry.fit.labels.empty()) entries_.push_back(std::move(entry));
    }
    order();
  }

  void exchange() {
    std::vector<Entry> best;
    std::vector<ClassLabels> keys;
    for (Entry& entry : entries_) {
      ClassLabels name = key(entry.fit.labels);
      if (std::ranges::find(keys, name) != keys.end()) continue;
      keys.push_back(std::move(name));
      best.push_back(std::move(entry));
      if (best.size() >= exchanged) break;
    }
    entries_ = std::move(best);
    parallel_chunks(threads_, entries_.size(), 1, [&](std::size_t k, std::size_t, std::size_t) {
      if (stopped()) return;
      retrain(entries_[k], fine);
      (void)exchange_classes(gram_, rules_, entries_[k].fit, polishing(fine));
    });
    order();
  }

  /// Trains the entry's labels again, from its machine.
  void retrain(Entry& entry, double tolerance) {
    FittedClasses fit =
        fit_classes(gram_, rules_.classes(), entry.fit.labels, polishing(tolerance), &entry.fit);
    // One that was ended early may be worse than the one it began with.
    if (fit.status == Status::solved || fit.objective < entry.fit.objective) {
      entry.fit = std::move(fit);
    }
  }

  DenseView gram_;
  const ClassRules& rules_;
  const ClassSearchOptions& options_;
  std::size_t threads_;
  bool named_ = false;
  SharedProgress progress_;
  ProgressCallback callback_ = {};
  std::vector<Entry> entries_ = {};
};

}  // namespace

ClassSearch search_classes(DenseView gram,
                           const ClassRules& rules,
                           std::vector<ClassCandidate> candidates,
                           const ClassSearchOptions& options) {
  rules.validate(gram.rows);
  return Search(gram, rules, options).run(std::move(candidates));
}

}  // namespace maxmargin
