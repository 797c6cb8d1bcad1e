// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/motif.md
#include "maxmargin/model/structured/motif.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/parallel.hpp"
#include "core/recomputation.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "structured/tasks/motif_gibbs.hpp"
#include "structured/tasks/motif_risk.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t sequences_a_chunk = 64;

std::string source_of(const DnaData& data) {
  return data.source.empty() ? "the data" : data.source;
}

/// What is learned from: labelled sequences, then those that were shuffled.
struct Examples {
  std::vector<std::string> sequences = {};
  std::vector<bool> positive = {};
  std::vector<double> weights = {};
  /// Of which so many are shuffled.
  std::size_t shuffled = 0;
  std::size_t left_out = 0;
};

Examples examples_of(const DnaData& data, const MotifOptions& options, std::uint64_t seed) {
  const std::size_t length = options.motif.length;
  const std::size_t shuffles = options.shuffles;
  validate(data);
  require(data.size() > 0, source_of(data) + ": there is no sequence to learn from");
  const bool all_positive =
      data.labels.empty() || std::ranges::all_of(data.labels, [](int label) { return label == 0; });
  Examples found;
  const auto add = [&](std::string sequence, bool is_positive, double weight) {
    found.sequences.push_back(std::move(sequence));
    found.positive.push_back(is_positive);
    found.weights.push_back(weight);
  };
  const auto weight_of = [&](std::size_t i) {
    return data.weights.empty() ? 1.0 : data.weights[i];
  };
  const auto is_positive = [&](std::size_t i) { return all_positive || data.labels[i] > 0; };
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!all_positive && data.labels[i] == 0) {
      ++found.left_out;
      continue;
    }
    const bool fits = !is_positive(i) || data.sequences[i].size() >= length;
    require(fits,
            source_of(data) + ": " + data.name_of_sequence(i) + " is a positive of " +
                std::to_string(data.sequences[i].size()) + " bases, shorter than --motif-length " +
                std::to_string(length));
    add(data.sequences[i], is_positive(i), weight_of(i));
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!is_positive(i)) continue;
    // A stream for every sequence: what others are does not matter.
    Rng rng(seed, "shuffled words", i);
    for (std::size_t k = 0; k < shuffles; ++k) {
      add(shuffle_words(data.sequences[i], options.shuffle_words, rng),
          false,
          weight_of(i) / static_cast<double>(shuffles));
      ++found.shuffled;
    }
  }
  return found;
}

void require_two_classes(const DnaData& data, const Examples& examples, MotifSearch search) {
  const auto weighs = [&](bool positive) {
    for (std::size_t i = 0; i < examples.positive.size(); ++i) {
      if (examples.positive[i] == positive && examples.weights[i] > 0) return true;
    }
    return false;
  };
  require(weighs(true),
          source_of(data) +
              ": no sequence (of weight > 0) is a positive, so there is no motif to find");
  require(search == MotifSearch::gibbs || weighs(false),
          source_of(data) +
              ": no sequence (of weight > 0) is a negative; more come by --negatives FILE, or are "
              "made by --shuffles 1");
}

std::array<double, 4> shares_of(std::span<const std::string> sequences) {
  // A pseudo-count of each.
  std::array<double, 4> counts = {1, 1, 1, 1};
  double sum = 4;
  for (const std::string& sequence : sequences) {
    for (const char c : sequence) {
      const std::uint8_t code = base_code(c);
      if (code >= unknown_base) continue;
      counts.at(code) += 1;
      sum += 1;
    }
  }
  for (double& count : counts) count /= sum;
  return counts;
}

std::vector<BaseString> encode_all(const MotifTask& task, std::span<const std::string> sequences) {
  std::vector<BaseString> inputs;
  inputs.reserve(sequences.size());
  for (const std::string& sequence : sequences) inputs.push_back(task.encode(sequence));
  return inputs;
}

void count_own_sites(MotifFinder& finder,
                     const Examples& examples,
                     std::optional<std::size_t> threads) {
  std::vector<std::string> positives;
  for (std::size_t i = 0; i < examples.sequences.size(); ++i) {
    if (examples.positive[i]) positives.push_back(examples.sequences[i]);
  }
  MotifSites found = count_sites(finder, positives, finder.find(positives, threads));
  finder.site_counts = std::move(found.counts);
  finder.sites = found.sites;
}

/// The threshold between two scores that errs least on the examples, by weight. Sequences without a
/// place are negative at any threshold.
double best_threshold(std::span<const MotifFinding> findings, const Examples& examples) {
  std::vector<std::pair<double, double>> scores;
  // At a threshold below all scores everything with a place is positive. Raising it beyond an
  // example takes a negative's error away and adds a positive's.
  double error = 0;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (!std::isfinite(findings[i].score)) continue;
    const double weight = examples.weights[i];
    if (!examples.positive[i]) error += weight;
    scores.emplace_back(findings[i].score, examples.positive[i] ? weight : -weight);
  }
  if (scores.empty()) return 0.0;
  std::ranges::sort(scores);
  double least = error;
  double threshold = scores.front().first - 1;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    error += scores[k].second;
    const bool is_last = k + 1 == scores.size();
    if (!is_last && scores[k + 1].first == scores[k].first) continue;
    if (error >= least) continue;
    least = error;
    threshold =
        is_last ? scores[k].first : scores[k].first + (scores[k + 1].first - scores[k].first) / 2;
  }
  return threshold;
}

TrainedMotif train_gibbs(const Examples& examples, const MotifOptions& options) {
  const Context& context = options.latent.solving.context;
  TrainedMotif trained{.model = {.task = MotifTask(options.motif)}};
  MotifFinder& finder = trained.model;
  std::vector<std::string> positives;
  for (std::size_t i = 0; i < examples.sequences.size(); ++i) {
    if (examples.positive[i] && examples.weights[i] > 0) positives.push_back(examples.sequences[i]);
  }
  const std::vector<BaseString> inputs = encode_all(finder.task, positives);
  GibbsAnswer answer = sample_motif(
      finder.task,
      inputs,
      {.restarts = options.latent.restarts, .sweeps = options.sweeps, .context = context});
  finder.weights = std::move(answer.w);
  finder.threshold = best_threshold(finder.find(examples.sequences, context.threads), examples);
  trained.search.report.status = answer.status;
  trained.search.report.iterations = answer.of_restarts.size();
  trained.log_ratios = std::move(answer.of_restarts);
  return trained;
}

TrainedMotif train_margin(const Examples& examples,
                          const MotifOptions& options,
                          const StructuralState* start) {
  TrainedMotif trained{.model = {.task = MotifTask(options.motif)}};
  MotifFinder& finder = trained.model;
  const std::vector<BaseString> inputs = encode_all(finder.task, examples.sequences);
  std::vector<MotifSite> truths;
  for (const bool positive : examples.positive) truths.push_back({.present = positive});
  LatentOptions latent = options.latent;
  const bool has_weights = options.start == MotifStart::weights;
  latent.start = has_weights ? LatentStart::weights : LatentStart::random;
  require(!has_weights || latent.start_weights.size() == finder.task.dimension(),
          "the weights to start from must be one for each weight of the motif and its background");
  if (!latent.measure) {
    latent.measure = [&](std::span<const double> w) {
      std::size_t right = 0;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (finder.task.predict(inputs[i], w).present == truths[i].present) ++right;
      }
      return std::optional(static_cast<double>(right) / static_cast<double>(inputs.size()));
    };
  }
  MotifRisk risk(finder.task,
                 inputs,
                 truths,
                 examples.weights,
                 options.start != MotifStart::random,
                 latent.solving.context);
  trained.search = solve_latent(risk, latent, start);
  finder.weights = std::exchange(trained.search.w, {});
  return trained;
}

/// d(h) by the definition, base by base: shares nothing with the task's sums.
double score_of_window(const MotifFinder& finder,
                       const BaseString& x,
                       std::size_t place,
                       bool reverse) {
  const std::size_t length = finder.task.options().length;
  double score = 0;
  for (std::size_t i = place; i < place + length; ++i) {
    const std::size_t column = reverse ? place + length - 1 - i : i - place;
    const std::size_t base = x.bases[i];
    if (base < unknown_base) {
      score += finder.weights[dna_letters.size() * column + (reverse ? 3 - base : base)];
    }
    if (x.contexts[i] != BaseString::no_context) {
      score -= finder.weights[finder.task.matrix_weights() + x.contexts[i]];
    }
  }
  return score;
}

}  // namespace

void MotifOptions::describe(OptionVisitor& visit) {
  motif.describe(visit);
  visit.name({.name = "search",
              .help = "how the motif is found: by margins, or by a Gibbs sampler (the baseline)"},
             search);
  visit.name({.name = "start",
              .help = "where a run begins: at places like a telling word, anywhere, or best for a "
                      "model's weights"},
             start);
  visit.rule(start != MotifStart::weights || search == MotifSearch::margin,
             "--start weights: belongs to --search margin");
  visit.whole({.name = "shuffles",
               .help = "negatives made of each positive with the same counts of words of bases",
               .value = "N"},
              shuffles,
              {.least = 0, .most = 1000});
  visit.whole({.name = "shuffle-words",
               .help = "bases of the words whose counts they keep: longer ones keep repeats",
               .value = "K"},
              shuffle_words,
              {.least = 1, .most = most_shuffled_word});
  visit.whole({.name = "sweeps", .help = "of the Gibbs sampler: passes over the positives"},
              sweeps,
              {.least = 1});
  latent.describe(visit, {});
}

std::vector<MotifFinding> MotifFinder::find(std::span<const std::string> sequences,
                                            std::optional<std::size_t> threads) const {
  std::vector<MotifFinding> findings(sequences.size());
  parallel_chunks(
      thread_count(threads),
      sequences.size(),
      sequences_a_chunk,
      [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const BaseString x = task.encode(sequences[i]);
          MotifFinding& found = findings[i];
          found.score = -std::numeric_limits<double>::infinity();
          if (task.places(x) == 0) continue;
          const MotifTask::Best best = task.best(x, weights);
          found = {.is_positive = best.score > threshold, .score = best.score, .site = best.site};
        }
      });
  return findings;
}

std::string MotifFinder::site_text(const std::string& sequence, const MotifSite& site) const {
  if (!site.present) return {};
  const std::string window = sequence.substr(site.place, task.options().length);
  return site.reverse ? reverse_complement(window) : window;
}

MotifSites count_sites(const MotifFinder& finder,
                       std::span<const std::string> sequences,
                       std::span<const MotifFinding> findings) {
  MotifSites found{.counts = DenseMatrix(finder.task.options().length, dna_letters.size())};
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    if (!findings[i].is_positive) continue;
    const std::string site = finder.site_text(sequences[i], findings[i].site);
    for (std::size_t j = 0; j < site.size(); ++j) {
      const std::uint8_t base = base_code(site[j]);
      if (base < unknown_base) found.counts(j, base) += 1;
    }
    ++found.sites;
  }
  return found;
}

DenseMatrix site_probabilities(const DenseMatrix& counts, std::span<const double> base_shares) {
  DenseMatrix shares(counts.rows(), counts.cols());
  for (std::size_t j = 0; j < counts.rows(); ++j) {
    double sum = 1;
    for (const double count : counts.row(j)) sum += count;
    for (std::size_t b = 0; b < counts.cols(); ++b) {
      shares(j, b) = (counts(j, b) + base_shares[b]) / sum;
    }
  }
  return shares;
}

std::string consensus_of(const DenseMatrix& probabilities) {
  // Of the bases of a set, as bits: A 1, C 2, G 4, T 8.
  constexpr std::string_view codes = "-ACMGRSVTWYHKDBN";
  constexpr double one_base = 0.6;
  constexpr double two_bases = 0.8;
  std::string text;
  for (std::size_t j = 0; j < probabilities.rows(); ++j) {
    std::array<std::size_t, 4> order = {0, 1, 2, 3};
    std::ranges::stable_sort(
        order, std::greater(), [&](std::size_t b) { return probabilities(j, b); });
    const double first = probabilities(j, order[0]);
    std::size_t set = 15;
    if (first >= one_base) {
      set = std::size_t{1} << order[0];
    } else if (first + probabilities(j, order[1]) >= two_bases) {
      set = std::size_t{1} << order[0] | std::size_t{1} << order[1];
    }
    text += codes[set];
  }
  return text;
}

TrainedMotif train_motif(const DnaData& data,
                         const MotifOptions& options,
                         const StructuralState* start) {
  validate(options);
  const Context& context = options.latent.solving.context;
  const Examples examples = examples_of(data, options, context.seed);
  require_two_classes(data, examples, options.search);
  TrainedMotif trained = options.search == MotifSearch::gibbs
                             ? train_gibbs(examples, options)
                             : train_margin(examples, options, start);
  trained.model.seed = context.seed;
  trained.model.base_shares = shares_of(examples.sequences);
  trained.shuffled = examples.shuffled;
  count_own_sites(trained.model, examples, context.threads);
  if (examples.left_out > 0) {
    trained.search.report.warnings.push_back(std::to_string(examples.left_out) +
                                             " sequences without a label are left out");
  }
  return trained;
}

double motif_objective(const MotifFinder& finder,
                       const DnaData& data,
                       const MotifOptions& options,
                       const Context& context) {
  const MotifTask& task = finder.task;
  const Examples examples = examples_of(data, options, finder.seed);
  double norm = 0;
  for (const double weight : finder.weights) norm += weight * weight;
  double losses = 0;
  for (std::size_t i = 0; i < examples.sequences.size(); ++i) {
    ask_in_verify(context);
    const BaseString x = task.encode(examples.sequences[i]);
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t h = 0; h < task.places(x); ++h) {
      best = std::max(best, score_of_window(finder, x, h, false));
      if (task.options().strands == MotifStrands::one) continue;
      best = std::max(best, score_of_window(finder, x, h, true));
    }
    losses += examples.weights[i] * std::max(0.0, 1 + (examples.positive[i] ? -best : best));
  }
  return 0.5 * norm + options.latent.solving.c * losses;
}

}  // namespace maxmargin
