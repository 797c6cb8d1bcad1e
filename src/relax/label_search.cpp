// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc.md, steps 6 to 8.
#include "relax/label_search.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/parallel.hpp"
#include "core/settle.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "problem/borrowed_matrix.hpp"

namespace maxmargin {

namespace {

/// Multiples of gamma at which spectral clustering proposes labels.
constexpr std::array spectral_widths = {1.0, 4.0, 16.0, 64.0};
/// Principal components whose signs are tried.
constexpr std::size_t components = 10;
/// Labellings that are polished at least.
constexpr std::size_t least_polished = 6;
/// Polished labellings that are searched for exchanges.
constexpr std::size_t exchanged = 3;
/// A bound below the objective by more than this share is called weak.
constexpr double weak_bound = 0.1;
/// Steps a point that the first training may take after a stop, so that there is an answer: O(n)
/// operations each, less than the relaxation's factorisation.
constexpr std::size_t answer_steps = 20;
/// Relative gap of the trainings of candidates, of exchanges, and of the answer.
constexpr double rough = 1e-3;
constexpr double fine = 1e-5;
constexpr double exact = 1e-8;

/// Steps a point of a rough training and of a finer one: labels that need more are no good. The
/// answer may take as many as it needs.
constexpr std::uint64_t few_steps = 300;
constexpr std::uint64_t many_steps = 20000;

std::optional<std::uint64_t> steps_of(double tolerance) {
  if (tolerance <= exact) return std::nullopt;
  return tolerance >= rough ? few_steps : many_steps;
}

/// A labelling on its way through training and polishing.
struct Entry {
  std::string origin = {};
  FittedLabels fit = {};
};

/// Shortens w to where its objective is least. A training that was ended early may have a w far too
/// long, with an objective above that of w = 0.
void shorten(FittedLabels& fit, double c) {
  const double square = dot(fit.coefficients, fit.values);
  const auto slope = [&](double t) {
    double sum = t * square;
    for (std::size_t i = 0; i < fit.signs.size(); ++i) {
      const double margin = fit.signs[i] * fit.values[i];
      if (t * margin < 1) sum -= c * margin;
    }
    return sum;
  };
  if (slope(1) <= 0) return;
  double low = 0;
  double high = 1;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (slope(middle) > 0 ? high : low) = middle;
  }
  double hinges = 0;
  for (std::size_t i = 0; i < fit.signs.size(); ++i) {
    fit.coefficients[i] *= low;
    fit.values[i] *= low;
    hinges += std::max(0.0, 1 - fit.signs[i] * fit.values[i]);
  }
  fit.objective = 0.5 * low * low * square + c * hinges;
}

/// Steps 6 to 8.
class Search {
 public:
  Search(const DenseMatrix& gram, const LabelSearchOptions& options)
      : gram_(gram),
        matrix_(gram.view()),
        options_(options),
        progress_(options.context.on_progress) {
    if (options.context.on_progress) callback_ = [this](const Progress&) { return question(); };
  }

  LabelSearchAnswer run(DenseView v, std::span<const LabelCandidate> given);

 private:
  [[nodiscard]] LabelPolishOptions polish_options(double tolerance) const {
    return {.c = options_.c,
            .rule = options_.rule,
            .tolerance = tolerance,
            .steps_a_point = steps_of(tolerance),
            .context = options_.context.with_progress(callback_)};
  }
  [[nodiscard]] Continue question() { return progress_({.phase = "rounding"}); }
  /// Of the first training, which goes on for some steps whatever the caller says.
  [[nodiscard]] ProgressCallback first_callback() {
    if (!callback_) return {};
    return [this](const Progress& progress) {
      const Continue answer = question();
      return progress.iteration < answer_steps * gram_.rows() ? Continue::yes : answer;
    };
  }
  [[nodiscard]] bool stopped() { return question() != Continue::yes; }
  [[nodiscard]] std::vector<LabelCandidate> collect(DenseView v,
                                                    std::span<const LabelCandidate> given);
  void fit_all(std::vector<LabelCandidate> candidates);
  void polish_best();
  void order();
  /// The labelling, or what stands for it and its opposite.
  [[nodiscard]] Signs key(const Signs& signs) const {
    return options_.either_sign ? first_positive(signs) : signs;
  }
  /// Trains the entry's labels again, from its machine.
  void retrain(Entry& entry, double tolerance);

  const DenseMatrix& gram_;
  BorrowedMatrix matrix_;
  const LabelSearchOptions& options_;
  std::size_t tried_ = 0;
  SharedProgress progress_;
  ProgressCallback callback_;
  std::vector<Entry> entries_;
};

std::vector<LabelCandidate> Search::collect(DenseView v, std::span<const LabelCandidate> given) {
  LabelRoundingOptions rounding{.least = options_.rule.least_positive,
                                .restarts = options_.restarts,
                                .context = options_.context};
  if (!options_.either_sign) rounding.rule = options_.rule;
  std::vector<LabelCandidate> all = round_label_matrix(v, rounding);
  for (LabelCandidate& candidate : round_principal_components(gram_.view(), components, rounding)) {
    all.push_back(std::move(candidate));
  }
  for (const LabelCandidate& candidate : given) {
    require(candidate.signs.size() == gram_.rows() && is_allowed(candidate.signs, options_.rule),
            "search_roundings: the candidate \"" + candidate.origin +
                "\" must have a label for every point, as many of each as allowed and those given");
    all.push_back({candidate.origin, key(candidate.signs)});
  }
  // The first of equal ones.
  std::vector<LabelCandidate> distinct;
  for (LabelCandidate& candidate : all) {
    const bool known = std::ranges::any_of(
        distinct, [&](const LabelCandidate& other) { return other.signs == candidate.signs; });
    if (!known) distinct.push_back(std::move(candidate));
  }
  tried_ = distinct.size();
  return distinct;
}

void Search::order() {
  std::ranges::stable_sort(
      entries_, [](const Entry& a, const Entry& b) { return a.fit.objective < b.fit.objective; });
}

void Search::fit_all(std::vector<LabelCandidate> candidates) {
  entries_.resize(candidates.size());
  parallel_chunks(thread_count(options_.context.threads),
                  candidates.size(),
                  1,
                  [&](std::size_t k, std::size_t, std::size_t) {
                    LabelPolishOptions training = polish_options(rough);
                    if (k == 0) training.context.on_progress = first_callback();
                    if (k > 0 && stopped()) return;
                    entries_[k].origin = std::move(candidates[k].origin);
                    entries_[k].fit = fit_labels(matrix_, std::move(candidates[k].signs), training);
                    if (entries_[k].fit.status != Status::solved) {
                      shorten(entries_[k].fit, options_.c);
                    }
                  });
  std::erase_if(entries_, [](const Entry& entry) { return entry.fit.signs.empty(); });
  order();
}

void Search::polish_best() {
  const std::size_t n = gram_.rows();
  const std::size_t count =
      std::min(entries_.size(), std::max(least_polished, options_.polishing / n));
  std::vector<Entry> polished(count);
  parallel_chunks(thread_count(options_.context.threads),
                  count,
                  1,
                  [&](std::size_t k, std::size_t, std::size_t) {
                    if (stopped()) return;
                    polished[k] = {
                        entries_[k].origin,
                        polish_labels(matrix_, entries_[k].fit.signs, polish_options(rough))};
                  });
  for (Entry& entry : polished) {
    if (!entry.fit.signs.empty()) entries_.push_back(std::move(entry));
  }
  order();
  // Equal labellings count once.
  std::vector<Entry> distinct;
  for (Entry& entry : entries_) {
    const Signs own = key(entry.fit.signs);
    const bool known = std::ranges::any_of(
        distinct, [&](const Entry& other) { return key(other.fit.signs) == own; });
    if (!known) distinct.push_back(std::move(entry));
    if (distinct.size() >= exchanged) break;
  }
  entries_ = std::move(distinct);
  parallel_chunks(thread_count(options_.context.threads),
                  entries_.size(),
                  1,
                  [&](std::size_t k, std::size_t, std::size_t) {
                    if (stopped()) return;
                    retrain(entries_[k], fine);
                    (void)exchange_labels(matrix_, entries_[k].fit, polish_options(fine));
                  });
  order();
}

void Search::retrain(Entry& entry, double tolerance) {
  FittedLabels fit =
      fit_labels(matrix_, entry.fit.signs, polish_options(tolerance), entry.fit.coefficients);
  // One that was ended early may be worse than the one it began with.
  if (fit.status == Status::solved || fit.objective < entry.fit.objective) {
    entry.fit = std::move(fit);
  }
}

LabelSearchAnswer Search::run(DenseView v, std::span<const LabelCandidate> given) {
  fit_all(collect(v, given));
  polish_best();
  // The trainings above are rough: the best few once more, exactly.
  for (Entry& entry : entries_) {
    if (stopped()) break;
    retrain(entry, exact);
  }
  order();
  Entry& best = entries_.front();
  return {.best = std::move(best.fit),
          .origin = std::move(best.origin),
          .tried = tried_,
          .answer = progress_.answer()};
}

}  // namespace

LabelSearchAnswer search_roundings(const DenseMatrix& gram,
                                   DenseView v,
                                   std::span<const LabelCandidate> candidates,
                                   const LabelSearchOptions& options) {
  return Search(gram, options).run(v, candidates);
}

void note_search(const LabelSearchAnswer& found, double lower_bound, SolveReport& report) {
  const double objective = found.best.objective;
  report.primal_objective = objective;
  report.lower_bound = lower_bound;
  settle(report);
  note_search_end(found.answer, found.best.status, report);
  warn_of_weak_bound(objective, lower_bound, report.warnings);
}

void note_search_end(Continue answer, Status last_training, SolveReport& report) {
  if (answer != Continue::yes) {
    if (!was_stopped(report.status)) report.status = status_of(answer);
    report.warnings.push_back("stopped while rounding: not all labellings were tried and polished");
  } else if (last_training != Status::solved) {
    report.warnings.push_back("the last training ended as " +
                              std::string(to_string(last_training)) +
                              ": its objective may be above the least for these labels");
  }
}

void warn_of_weak_bound(double objective,
                        double lower_bound,
                        std::vector<std::string>& warnings,
                        std::string_view advice) {
  if (relative_gap(objective, lower_bound) <= weak_bound) return;
  std::string warning = "the bound is weak: it proves that no labelling has an objective below " +
                        format_number(lower_bound) + ", this one has " + format_number(objective);
  if (!advice.empty()) warning.append("; ").append(advice);
  warnings.push_back(std::move(warning));
}

std::vector<LabelCandidate> round_spectral_widths(const Examples& examples,
                                                  const Kernel& kernel,
                                                  const LabelRoundingOptions& options,
                                                  const ProgressCallback& on_progress) {
  std::vector<LabelCandidate> candidates;
  const auto* rbf = std::get_if<Rbf>(&kernel);
  if (rbf == nullptr) return candidates;
  for (const double width : spectral_widths) {
    if (ask(on_progress, {.phase = "spectral"}) != Continue::yes) break;
    candidates.push_back(round_spectral(
        gram(Rbf{.gamma = width * rbf->gamma}, examples, {.context = options.context}),
        "spectral, gamma x " + format_number(width),
        options));
  }
  return candidates;
}

}  // namespace maxmargin
