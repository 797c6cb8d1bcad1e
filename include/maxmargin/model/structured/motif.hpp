// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/dna.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/solver/structural/latent.hpp"
#include "maxmargin/structured/tasks/motif.hpp"

/// Machines that find a motif: docs/guide/find-a-motif.md.
namespace maxmargin {

/// How the motif is found.
enum class MotifSearch {
  margin,  ///< by the latent structural machine
  gibbs    ///< by sampling places in the positives, the baseline
};
template <>
inline constexpr auto names_of<MotifSearch> =
    name_table<MotifSearch>({{"margin", MotifSearch::margin}, {"gibbs", MotifSearch::gibbs}});

/// Where a run of the margin search begins.
enum class MotifStart {
  words,   ///< at the places most like a word of the positives that tells them from the negatives
  random,  ///< at places drawn evenly
  weights  ///< the first run: at the places that are best for given weights; others as `words`
};
template <>
inline constexpr auto names_of<MotifStart> = name_table<MotifStart>({{"words", MotifStart::words},
                                                                     {"random", MotifStart::random},
                                                                     {"weights",
                                                                      MotifStart::weights}});

struct MAXMARGIN_EXPORT MotifOptions {
  static constexpr std::size_t most_shuffled_word = 8;

  /// What is minimised and until when; C multiplies the weighted sum of losses. Its `start` has no
  /// effect, `start` below has; `start_weights` are those of MotifStart::weights.
  LatentOptions latent = {.start = LatentStart::random, .restarts = 10};
  MotifTaskOptions motif = {};
  MotifSearch search = MotifSearch::margin;
  MotifStart start = MotifStart::words;
  /// Negatives made of every positive by shuffle_words; together they weigh as much as it does.
  std::size_t shuffles = 0;
  /// Letters of the words whose counts they keep; 1 to most_shuffled_word.
  std::size_t shuffle_words = 2;
  /// Of the Gibbs sampler: passes over the positives; at least 1.
  std::size_t sweeps = 100;

  void describe(OptionVisitor& visit);
};

/// What a finder says of a sequence.
struct MotifFinding {
  /// Is there a motif?
  bool is_positive = false;
  /// Of the best place; minus infinity for a sequence without any.
  double score = 0;
  /// The best place, of negatives as well; not present where there is none.
  MotifSite site = {};
};

/// A trained one.
struct MAXMARGIN_EXPORT MotifFinder {
  MotifTask task;
  std::vector<double> weights = {};
  /// A sequence whose best place scores more holds the motif; 0 by margins.
  double threshold = 0;
  /// How often each base (A, C, G, T) stands at each column of the places found in the training's
  /// positives, one column a row.
  DenseMatrix site_counts = {};
  /// Places that were counted.
  std::size_t sites = 0;
  /// Shares of A, C, G, T in the training data.
  std::array<double, 4> base_shares = {0.25, 0.25, 0.25, 0.25};
  /// The seed that shuffled negatives are made with.
  std::uint64_t seed = 0;

  /// Of every sequence. The result does not depend on the number of threads.
  [[nodiscard]] std::vector<MotifFinding> find(
      std::span<const std::string> sequences,
      std::optional<std::size_t> threads = std::nullopt) const;
  /// The bases of a finding's place, read on its strand; empty where there is none.
  [[nodiscard]] std::string site_text(const std::string& sequence, const MotifSite& site) const;
};

/// Counts of the bases at the places found in the positive ones of these sequences.
struct MotifSites {
  DenseMatrix counts = {};
  std::size_t sites = 0;
};
[[nodiscard]] MAXMARGIN_EXPORT MotifSites count_sites(const MotifFinder& finder,
                                                      std::span<const std::string> sequences,
                                                      std::span<const MotifFinding> findings);
/// The counts as probabilities, with one pseudo-count a column spread by `base_shares`.
[[nodiscard]] MAXMARGIN_EXPORT DenseMatrix site_probabilities(const DenseMatrix& counts,
                                                              std::span<const double> base_shares);
/// A letter a column, in the codes of IUPAC: a base of at least 60 %, else two bases of at least
/// 80 % together, else N.
[[nodiscard]] MAXMARGIN_EXPORT std::string consensus_of(const DenseMatrix& probabilities);

struct TrainedMotif {
  MotifFinder model;
  /// Without its weights, which are the model's. Of a Gibbs sampler the report alone, which has no
  /// objective.
  LatentSolution search = {};
  /// Of a Gibbs sampler: the largest log-likelihood ratio of each restart.
  std::vector<double> log_ratios = {};
  /// Negatives that were made.
  std::size_t shuffled = 0;
};

/// Trains on sequences with labels; where none has one, all are positives. Those of an unknown
/// label are left out, with a warning. `start`: a state that `latent.solving.on_checkpoint` was
/// given in an earlier run with the same data and options. Throws InvalidArgument for unsound data,
/// one class alone, a positive that is shorter than the motif and wrong options.
[[nodiscard]] MAXMARGIN_EXPORT TrainedMotif train_motif(const DnaData& data,
                                                        const MotifOptions& options = {},
                                                        const StructuralState* start = nullptr);

/// The objective that training with these options minimises, at given weights, by a loop of its own
/// over letters. Negatives are shuffled by the finder's seed. Throws Stopped when told to stop.
[[nodiscard]] MAXMARGIN_EXPORT double motif_objective(const MotifFinder& finder,
                                                      const DnaData& data,
                                                      const MotifOptions& options,
                                                      const Context& context = {});

}  // namespace maxmargin
