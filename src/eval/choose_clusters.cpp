// SPDX-License-Identifier: Apache-2.0
//
// choosing-k.md; the numbers of the steps are that page's.
#include "eval/choose_clusters.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "eval/fold_evaluator.hpp"
#include "eval/resampling.hpp"
#include "eval/task_runner.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"
#include "maxmargin/model/projection/pca.hpp"

namespace maxmargin {

namespace {

/// Points without clusters that fill the same room as the data: uniform in the box around the data
/// along its principal axes (choosing-k.md step 4).
class ReferenceBox {
 public:
  /// Wider data has no reference: its principal axes cost more than the clusterings.
  static constexpr std::size_t most_features = 1000;

  /// Requires 1 row at least and no more than most_features columns.
  ReferenceBox(const Examples& examples, std::size_t threads);

  /// Reference set number `index`, as many points as the data has.
  [[nodiscard]] Dataset draw(std::uint64_t seed, std::size_t index) const;

 private:
  PcaModel pca_;
  std::size_t rows_ = 0;
  std::vector<double> low_;
  std::vector<double> high_;
};

struct GapValue {
  double gap = 0;
  double error = 0;
};

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

ReferenceBox::ReferenceBox(const Examples& examples, std::size_t threads)
    : pca_(train_pca(examples, {.context = {.threads = threads}})), rows_(examples.rows()) {
  const DenseMatrix scores = pca_.transform(examples, threads);
  low_.assign(scores.cols(), std::numeric_limits<double>::infinity());
  high_.assign(scores.cols(), -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    for (std::size_t j = 0; j < scores.cols(); ++j) {
      low_[j] = std::min(low_[j], scores(i, j));
      high_[j] = std::max(high_[j], scores(i, j));
    }
  }
}

Dataset ReferenceBox::draw(std::uint64_t seed, std::size_t index) const {
  Rng rng(seed, "gap reference", index);
  DenseMatrix scores(rows_, low_.size());
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t j = 0; j < low_.size(); ++j) scores(i, j) = rng.uniform(low_[j], high_[j]);
  }
  return {.examples = pca_.inverse_transform(scores.view()), .source = "a reference set"};
}

/// log of the sum of squares around the clusters' means; NaN when it is 0.
[[nodiscard]] double log_within(const Examples& examples, std::span<const std::int32_t> clusters) {
  const double within = sum_of_squares(examples, clusters).total;
  return within > 0 ? std::log(within) : nan;
}

/// From log W of the data and of its references; NaN unless all are defined.
[[nodiscard]] GapValue gap_value(double log_w, std::span<const double> log_w_of_references) {
  const auto count = static_cast<double>(log_w_of_references.size());
  double sum = 0;
  for (const double value : log_w_of_references) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (const double value : log_w_of_references) squares += (value - mean) * (value - mean);
  // Tibshirani, Walther and Hastie's s_k: the deviation, widened as the mean itself is uncertain.
  return {.gap = mean - log_w, .error = std::sqrt(squares / count * (1 + 1 / count))};
}

constexpr double tie = 1e-9;

/// Step 5: mean, its standard error and median of the agreements, NaN unless all are defined.
void score_stability(std::vector<double> agreements, ClusterCountScore& score) {
  const bool all_defined =
      std::ranges::none_of(agreements, [](double agreement) { return std::isnan(agreement); });
  score.stability = score.stability_error = score.median_stability = nan;
  if (!all_defined) return;
  const FoldSummary summary = summarise_folds(agreements);
  score.stability = summary.mean;
  score.stability_error = agreements.size() > 1 ? summary.standard_error : 0;
  std::ranges::sort(agreements);
  const std::size_t half = agreements.size() / 2;
  score.median_stability = agreements.size() % 2 == 1
                               ? agreements[half]
                               : std::midpoint(agreements[half - 1], agreements[half]);
}

/// Step 6: the first difference in median, mean and silhouette that is more than rounding decides.
bool is_better(const ClusterCountScore& a, const ClusterCountScore& b) {
  for (const auto measure : {&ClusterCountScore::median_stability,
                             &ClusterCountScore::stability,
                             &ClusterCountScore::silhouette}) {
    if (std::abs(a.*measure - b.*measure) > tie) return a.*measure > b.*measure;
  }
  return false;
}

class Chooser {
 public:
  Chooser(const Dataset& data,
          std::span<const ClusterCandidate> candidates,
          const ClusterFunction& cluster,
          const ChooseClustersOptions& options)
      : data_(data),
        candidates_(candidates),
        cluster_(cluster),
        options_(options),
        threads_(thread_count(options.context.threads)),
        distinct_(data),
        agreements_(candidates.size(), std::vector<double>(options.pairs, nan)),
        log_w_(candidates.size(), std::vector<double>(options.references, nan)) {}

  ClusterChoice choose() {
    make_reference();
    run();
    score();
    pick();
    pick_by_gap();
    return std::move(choice_);
  }

 private:
  void make_reference() {
    if (options_.references == 0) return;
    if (data_.features() > ReferenceBox::most_features) {
      choice_.warnings.push_back("the gap statistic is left out: more than " +
                                 std::to_string(ReferenceBox::most_features) + " features");
      return;
    }
    box_.emplace(data_.examples, threads_);
  }

  /// Steps 3 and 4: all runs as one list of tasks, by rising k, so that a run that is stopped knows
  /// the smaller numbers in full.
  void run() {
    const std::size_t references = box_ ? options_.references : 0;
    const std::size_t tasks_of_k = options_.pairs + references;
    TaskRunner runner(
        threads_, "choosing k", candidates_.size() * tasks_of_k, options_.context.on_progress);
    runner.run(candidates_.size() * tasks_of_k, [&](std::size_t task) -> std::size_t {
      const std::size_t c = task / tasks_of_k;
      const std::size_t part = task % tasks_of_k;
      const bool is_pair = part < options_.pairs;
      const SampleValue found = is_pair
                                    ? agreement_of_pair(candidates_[c].k, part)
                                    : log_within_reference(candidates_[c].k, part - options_.pairs);
      if (found.stopped) return 0;
      (is_pair ? refused_subsamples_ : refused_references_).add(found.refusal);
      (is_pair ? agreements_[c][part] : log_w_[c][part - options_.pairs]) = found.value;
      return 1;
    });
    choice_.status = runner.status();
    refused_subsamples_.warn(
        "numbers of clusters with a subsample that the method refused are left out",
        choice_.warnings);
    refused_references_.warn("the gap statistic is undefined", choice_.warnings);
  }

  SampleValue agreement_of_pair(std::size_t k, std::size_t pair) const {
    return pair_agreement(
        {data_, distinct_, cluster_}, k, pair, options_.share, options_.context.seed);
  }

  SampleValue log_within_reference(std::size_t k, std::size_t index) const {
    const Dataset reference = box_->draw(options_.context.seed, index);
    SampleClusters found =
        try_clusters(cluster_, reference, k, derive_seed(options_.context.seed, "gap run", index));
    if (!found.known()) return SampleValue::undefined(std::move(found));
    return SampleValue::of(log_within(reference.examples, found.labels));
  }

  /// Steps 2 and 5.
  void score() {
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      const ClusterCandidate& candidate = candidates_[c];
      ClusterCountScore score{.k = candidate.k};
      score_stability(agreements_[c], score);
      score.silhouette = silhouette_of(candidate.labels);
      const GapValue gap = box_ ? gap_value(log_within(data_.examples, candidate.labels), log_w_[c])
                                : GapValue{nan, nan};
      score.gap = gap.gap;
      score.gap_error = gap.error;
      choice_.scores.push_back(score);
    }
  }

  double silhouette_of(std::span<const std::int32_t> labels) const {
    const auto of = [&](const Examples& examples, std::span<const std::int32_t> clusters) {
      return options_.kernel
                 ? kernel_silhouette(*options_.kernel, examples, clusters, options_.context.threads)
                       .mean
                 : silhouette(examples, clusters, options_.context.threads).mean;
    };
    if (data_.size() <= options_.silhouette_rows) return of(data_.examples, labels);
    const std::vector<std::size_t> rows = Rng(options_.context.seed, "silhouette rows")
                                              .sample(data_.size(), options_.silhouette_rows);
    std::vector<std::int32_t> clusters;
    clusters.reserve(rows.size());
    for (const std::size_t row : rows) clusters.push_back(labels[row]);
    return of(data_.examples.select(rows), clusters);
  }

  /// Step 6.
  void pick() {
    const ClusterCountScore* largest = nullptr;
    for (const ClusterCountScore& score : choice_.scores) {
      if (std::isnan(score.stability)) continue;
      if (largest == nullptr || score.stability > largest->stability) largest = &score;
    }
    const ClusterCountScore* best = nullptr;
    for (const ClusterCountScore& score : choice_.scores) {
      if (std::isnan(score.stability)) continue;
      const double doubt = score.stability_error + largest->stability_error + tie;
      const bool contends = largest->stability - score.stability <= doubt;
      if (contends && (best == nullptr || is_better(score, *best))) best = &score;
    }
    choice_.k = best == nullptr ? candidates_.front().k : best->k;
    if (best == nullptr && choice_.status == Status::solved) {
      choice_.warnings.push_back(
          "no number of clusters has a stability (too few different points in the subsamples, or "
          "refused): the smallest is taken");
    }
  }

  /// Step 7, with gap(1) beside those of the candidates.
  void pick_by_gap() {
    if (!box_ || choice_.status != Status::solved) return;
    const std::vector<std::int32_t> one(data_.size(), 0);
    std::vector<double> log_w(options_.references, nan);
    for (std::size_t r = 0; r < log_w.size(); ++r) {
      log_w[r] = log_within(box_->draw(options_.context.seed, r).examples, one);
    }
    double gap = gap_value(log_within(data_.examples, one), log_w).gap;
    std::size_t k = 1;
    for (const ClusterCountScore& next : choice_.scores) {
      if (next.k != k + 1 || std::isnan(gap) || std::isnan(next.gap)) return;
      if (gap >= next.gap - next.gap_error) {
        choice_.gap_k = k;
        return;
      }
      gap = next.gap;
      k = next.k;
    }
  }

  const Dataset& data_;
  std::span<const ClusterCandidate> candidates_;
  const ClusterFunction& cluster_;
  const ChooseClustersOptions& options_;
  std::size_t threads_;
  DistinctRows distinct_;
  std::optional<ReferenceBox> box_;
  /// By candidate, then pair or reference.
  std::vector<std::vector<double>> agreements_;
  std::vector<std::vector<double>> log_w_;
  Refusals refused_subsamples_;
  Refusals refused_references_;
  ClusterChoice choice_;
};

}  // namespace

void ChooseClustersOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "least", .help = "the least number of clusters tried"}, least, {.least = 2});
  visit.whole({.name = "most", .help = "the largest number of clusters tried"}, most, {.least = 2});
  visit.rule(
      most >= least,
      "--most " + std::to_string(most) + ": must be at least --least " + std::to_string(least));
  visit.whole({.name = "pairs", .help = "pairs of subsamples a number; more vary less"},
              pairs,
              {.least = 1});
  visit.number({.name = "share", .help = "share of the rows in a subsample"},
               share,
               NumberRule{"a number in (0.5, 1]", {.least = 0.5, .most = 1, .has_most = true}});
  visit.whole({.name = "references", .help = "reference sets of the gap statistic; 0: none"},
              references);
  visit.whole({.name = "silhouette-rows", .help = "rows of which silhouettes are taken at most"},
              silhouette_rows,
              {.least = 2});
  visit.check([this] {
    if (kernel) validate(*kernel);
  });
}

std::vector<std::size_t> cluster_counts_to_try(const Dataset& data,
                                               std::size_t least,
                                               std::size_t most) {
  const std::size_t limit = std::min(most, DistinctRows(data).count());
  std::vector<std::size_t> counts;
  for (std::size_t k = least; k <= limit; ++k) counts.push_back(k);
  return counts;
}

ClusterChoice choose_clusters(const Dataset& data,
                              std::span<const ClusterCandidate> candidates,
                              const ClusterFunction& cluster,
                              const ChooseClustersOptions& options) {
  validate(options);
  require(static_cast<bool>(cluster), "the method is empty");
  require(!candidates.empty(), "there must be at least one candidate");
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    require(c == 0 || candidates[c - 1].k < candidates[c].k, "the candidates must rise in k");
    require(candidates[c].labels.size() == data.size(),
            "the candidate of k = " + std::to_string(candidates[c].k) + " has " +
                std::to_string(candidates[c].labels.size()) + " labels for " +
                std::to_string(data.size()) + " rows");
  }
  return Chooser(data, candidates, cluster, options).choose();
}

ClusterChoice choose_clusters(const Dataset& data,
                              const ClusterFunction& cluster,
                              const ChooseClustersOptions& options) {
  validate(options);
  require(static_cast<bool>(cluster), "the method is empty");
  const std::vector<std::size_t> counts = cluster_counts_to_try(data, options.least, options.most);
  require(!counts.empty(),
          "the data has fewer than " + std::to_string(options.least) + " different points");
  // Step 1.
  std::vector<ClusterCandidate> candidates;
  std::vector<std::string> warnings;
  Status status = Status::solved;
  for (const std::size_t k : counts) {
    SampleClusters found = try_clusters(cluster, data, k, options.context.seed);
    if (found.stopped) {
      status = Status::stopped_by_callback;
      break;
    }
    if (found.known()) {
      candidates.push_back({.k = k, .labels = std::move(found.labels)});
    } else {
      warnings.push_back("k = " + std::to_string(k) + " is left out: " + found.refusal);
    }
  }
  if (candidates.empty()) {
    if (status == Status::solved) {
      throw InvalidArgument("the method refuses every k; " + warnings.front());
    }
    return {.k = counts.front(), .warnings = std::move(warnings), .status = status};
  }
  ClusterChoice choice = choose_clusters(data, candidates, cluster, options);
  choice.warnings.insert(choice.warnings.begin(), warnings.begin(), warnings.end());
  choice.status = worse(choice.status, status);
  return choice;
}

}  // namespace maxmargin
