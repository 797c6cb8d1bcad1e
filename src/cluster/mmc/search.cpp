// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-alternating.md, steps 3 to 6
#include "cluster/mmc/search.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "relax/label_polish.hpp"

namespace maxmargin {

namespace {

/// Points x starts that are polished at every C; beyond, the best after C/100 alone.
constexpr std::size_t polishing_budget = 60000;
constexpr std::size_t least_polished = 2;
/// Labellings that are searched for exchanges.
constexpr std::size_t exchanged = 3;

/// A labelling on its way.
struct Entry {
  std::string origin = {};
  MmcFit fit = {};
  std::vector<double> trace = {};
  bool settled = false;
};

/// Adds the values that are below all before them: a training at another gap begins anew.
void append_falling(std::span<const double> values, std::vector<double>& trace) {
  for (const double value : values) {
    if (trace.empty() || value < trace.back()) trace.push_back(value);
  }
}

class Search {
 public:
  Search(const MmcMachine& machine, const SymmetricMatrix* matrix, const MmcSearchOptions& options)
      : machine_(machine),
        matrix_(matrix),
        options_(options),
        progress_(options.context.on_progress) {
    if (options.context.on_progress) callback_ = [this](const Progress&) { return question(); };
  }

  MmcSearchAnswer run(std::vector<MmcStart> starts);

 private:
  [[nodiscard]] Continue question() {
    return progress_({.phase = "relabelling", .iteration = trainings_});
  }
  [[nodiscard]] bool stopped() { return question() != Continue::yes; }
  [[nodiscard]] MmcTraining training(double c, double tolerance) const {
    return {.c = c, .tolerance = tolerance, .context = options_.context.with_progress(callback_)};
  }
  /// Trains on the labels from the machine of `now`, which is kept where it is better on them.
  [[nodiscard]] MmcFit step(std::vector<std::int32_t> labels,
                            const MmcTraining& training,
                            const MmcFit& now);
  /// Trains and relabels until the labels stay. `now` holds a machine for this C.
  void settle(const MmcTraining& training, Entry& entry);
  /// The entry's labels trained at another C, and settled.
  void settle_at(double c, double tolerance, Entry& entry);
  [[nodiscard]] Entry polish(const Entry& start);
  void for_all(std::vector<Entry>& entries, const std::function<void(Entry&)>& work);
  static void order(std::vector<Entry>& entries);
  void exchange(Entry& entry);
  std::vector<Entry> fit_starts(std::vector<MmcStart> starts);

  const MmcMachine& machine_;
  const SymmetricMatrix* matrix_;
  const MmcSearchOptions& options_;
  SharedProgress progress_;
  ProgressCallback callback_;
  std::atomic<std::uint64_t> trainings_ = 0;
};

MmcFit Search::step(std::vector<std::int32_t> labels,
                    const MmcTraining& training,
                    const MmcFit& now) {
  const double kept = now.half_norm + training.c * label_loss(now.values.view(), labels);
  MmcFit next = machine_.train(std::move(labels), training, &now);
  ++trainings_;
  if (next.objective <= kept) return next;
  next.objective = kept;
  next.half_norm = now.half_norm;
  next.values = now.values;
  next.weights = now.weights;
  next.offsets = now.offsets;
  // A Gram machine is its coefficients: they must be those of the values.
  if (next.weights.rows() == 0) next.coefficients = now.coefficients;
  return next;
}

void Search::settle(const MmcTraining& training, Entry& entry) {
  entry.trace.assign(1, entry.fit.objective);
  entry.settled = false;
  for (std::size_t round = 0; round < options_.max_rounds; ++round) {
    std::vector<std::int32_t> labels =
        relabel(entry.fit.values.view(), options_.least, options_.most);
    if (labels == entry.fit.labels) {
      entry.settled = true;
      return;
    }
    if (stopped()) return;
    MmcFit next = step(std::move(labels), training, entry.fit);
    // Equal values (rounding, ties) may go round in circles.
    if (!(next.objective < entry.fit.objective)) {
      entry.settled = true;
      return;
    }
    entry.fit = std::move(next);
    entry.trace.push_back(entry.fit.objective);
  }
}

void Search::settle_at(double c, double tolerance, Entry& entry) {
  const MmcTraining at = training(c, tolerance);
  entry.fit = step(entry.fit.labels, at, entry.fit);
  settle(at, entry);
}

Entry Search::polish(const Entry& start) {
  Entry direct = start;
  settle(training(options_.c, options_.rough), direct);
  if (!options_.anneal) return direct;
  Entry smoothed = start;
  for (const double share : {0.01, 0.1, 1.0}) {
    if (stopped()) return direct;
    settle_at(share * options_.c, options_.rough, smoothed);
  }
  if (stopped()) return direct;
  return smoothed.fit.objective < direct.fit.objective ? smoothed : direct;
}

void Search::for_all(std::vector<Entry>& entries, const std::function<void(Entry&)>& work) {
  parallel_chunks(thread_count(options_.context.threads),
                  entries.size(),
                  1,
                  [&](std::size_t k, std::size_t, std::size_t) { work(entries[k]); });
}

void Search::order(std::vector<Entry>& entries) {
  std::ranges::stable_sort(
      entries, [](const Entry& a, const Entry& b) { return a.fit.objective < b.fit.objective; });
}

std::vector<Entry> Search::fit_starts(std::vector<MmcStart> starts) {
  std::vector<Entry> entries(starts.size());
  const std::size_t n = machine_.size();
  const bool many = starts.size() > std::max(least_polished, polishing_budget / n);
  for (std::size_t k = 0; k < starts.size(); ++k) {
    entries[k].origin = std::move(starts[k].origin);
    if (starts[k].machine) entries[k].fit = std::move(*starts[k].machine);
    entries[k].fit.labels = std::move(starts[k].labels);
  }
  // With many points the first training is at C/100, too.
  const double c = many ? 0.01 * options_.c : options_.c;
  for_all(entries, [&](Entry& entry) {
    MmcTraining at = training(c, options_.rough);
    const bool begun = entry.fit.values.rows() > 0;
    if (begun) {
      entry.fit.objective =
          entry.fit.half_norm + c * label_loss(entry.fit.values.view(), entry.fit.labels);
    }
    // There must be an answer: without a machine the first training is always finished.
    const bool first = &entry == entries.data() && !begun;
    if (first) at.context.on_progress = {};
    if (!first && stopped()) return;
    if (begun) {
      entry.fit = step(entry.fit.labels, at, entry.fit);
    } else {
      entry.fit = machine_.train(std::move(entry.fit.labels), at, nullptr);
      ++trainings_;
    }
    if (many && !stopped()) settle(at, entry);
  });
  std::erase_if(entries, [](const Entry& entry) { return entry.fit.values.rows() == 0; });
  order(entries);
  if (!many) return entries;
  entries.resize(std::min(entries.size(), std::max(least_polished, polishing_budget / n)));
  for_all(entries, [&](Entry& entry) {
    for (const double share : {0.1, 1.0}) {
      if (stopped()) break;
      settle_at(share * options_.c, options_.rough, entry);
    }
    // The machine may be one for a smaller C.
    entry.fit.objective =
        entry.fit.half_norm + options_.c * label_loss(entry.fit.values.view(), entry.fit.labels);
  });
  order(entries);
  return entries;
}

void Search::exchange(Entry& entry) {
  if (matrix_ == nullptr) return;
  FittedLabels labels{.signs = signs_of(entry.fit.labels)};
  const LabelPolishOptions polishing{.c = options_.c,
                                     .least = options_.least,
                                     .tolerance = options_.fine,
                                     .exchanges = options_.exchanges,
                                     .context = options_.context.with_progress(callback_)};
  labels =
      fit_labels(*matrix_, std::move(labels.signs), polishing, entry.fit.coefficients.values());
  ++trainings_;
  if (was_stopped(labels.status) || !exchange_labels(*matrix_, labels, polishing)) return;
  Entry better = entry;
  better.fit.labels = labels_of(labels.signs);
  better.fit =
      machine_.train(std::move(better.fit.labels), training(options_.c, options_.fine), &entry.fit);
  ++trainings_;
  settle(training(options_.c, options_.fine), better);
  if (!(better.fit.objective < entry.fit.objective)) return;
  append_falling(better.trace, entry.trace);
  better.trace = std::move(entry.trace);
  entry = std::move(better);
}

MmcSearchAnswer Search::run(std::vector<MmcStart> starts) {
  require(!starts.empty(), "mmc: there must be a labelling to start from");
  // The first of equal labellings.
  std::set<std::vector<std::int32_t>> known;
  std::erase_if(starts, [&](const MmcStart& start) { return !known.insert(start.labels).second; });
  MmcSearchAnswer answer;
  answer.starts = starts.size();
  const bool many = starts.size() > std::max(least_polished, polishing_budget / machine_.size());
  std::vector<Entry> entries = fit_starts(std::move(starts));
  if (!many) {
    for_all(entries, [&](Entry& entry) {
      if (!stopped()) entry = polish(entry);
    });
    order(entries);
  }
  if (entries.size() > exchanged) entries.resize(exchanged);
  for_all(entries, [&](Entry& entry) {
    if (!stopped()) exchange(entry);
  });
  order(entries);
  Entry& best = entries.front();
  std::vector<double> trace = best.trace;
  if (!stopped()) {
    settle_at(options_.c, options_.final_tolerance, best);
    append_falling(best.trace, trace);
  }
  answer.fit = std::move(best.fit);
  answer.winner = std::move(best.origin);
  answer.trace = std::move(trace);
  answer.settled = best.settled;
  answer.trainings = trainings_;
  answer.answer = progress_.answer();
  return answer;
}

}  // namespace

MmcSearchAnswer search_labels(const MmcMachine& machine,
                              std::vector<MmcStart> starts,
                              const SymmetricMatrix* matrix,
                              const MmcSearchOptions& options) {
  return Search(machine, matrix, options).run(std::move(starts));
}

}  // namespace maxmargin
