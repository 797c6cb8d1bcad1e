// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/structured/motif.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "io/model/structured_file.hpp"
#include "io/structured/meme_text.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/data/generators.hpp"

namespace maxmargin {
namespace {

DnaData planted(std::uint64_t seed, std::size_t n = 60) {
  return generate_motifs({.n = n, .length = 60, .noise = 0.05, .seed = seed});
}

MotifOptions options(double c = 0.1, std::size_t length = 10) {
  MotifOptions all;
  all.latent.solving.c = c;
  all.latent.solving.tolerance = 0.01;
  all.latent.restarts = 10;
  all.motif.length = length;
  return all;
}

/// How many of the positives have their site where the motif was planted, up to a shift that all of
/// them share.
double share_at_one_shift(const MotifFinder& finder, const DnaData& data) {
  const std::string motif = MotifsOptions{}.motif;
  const std::vector<MotifFinding> findings = finder.find(data.sequences);
  double best = 0;
  for (int shift = -5; shift <= 5; ++shift) {
    for (const bool turned : {false, true}) {
      double right = 0;
      double known = 0;
      for (std::size_t i = 0; i < data.size(); ++i) {
        if (data.labels[i] < 0) continue;
        const std::size_t forward = data.sequences[i].find(motif);
        const std::size_t backward = data.sequences[i].find(reverse_complement(motif));
        const bool is_forward = forward != std::string::npos;
        // A base was drawn anew: where it stands is not looked for.
        if (!is_forward && backward == std::string::npos) continue;
        known += 1;
        const bool reads_on = is_forward != turned;
        const int place =
            static_cast<int>(is_forward ? forward : backward) + (reads_on ? shift : -shift);
        right += static_cast<int>(findings[i].site.place) == place &&
                         findings[i].site.reverse != reads_on
                     ? 1
                     : 0;
      }
      best = std::max(best, right / known);
    }
  }
  return best;
}

// Fact 44 of Yu, second half.
TEST(Motif, PlantedMotifsAreFoundInTenOfTenSeeds) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const DnaData data = planted(seed);
    MotifOptions own = options();
    own.latent.solving.context.seed = seed;
    const TrainedMotif trained = train_motif(data, own);
    EXPECT_GE(share_at_one_shift(trained.model, data), 0.9) << seed;
    const DnaData fresh = planted(seed + 100, 200);
    std::size_t right = 0;
    const std::vector<MotifFinding> findings = trained.model.find(fresh.sequences);
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      if (findings[i].is_positive == (fresh.labels[i] > 0)) ++right;
    }
    EXPECT_GE(right, 170U) << seed;
  }
}

TEST(Motif, TheGibbsSamplerFindsThemToo) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const DnaData data = planted(seed);
    MotifOptions own = options();
    own.search = MotifSearch::gibbs;
    own.latent.solving.context.seed = seed;
    const TrainedMotif trained = train_motif(data, own);
    EXPECT_GE(share_at_one_shift(trained.model, data), 0.9) << seed;
    EXPECT_EQ(trained.log_ratios.size(), 10U);
    EXPECT_FALSE(trained.search.report.primal_objective);
    // Without negatives as well, and the same on any number of threads.
    own.latent.solving.context.threads = 1;
    const TrainedMotif again = train_motif(data, own);
    EXPECT_EQ(again.model.weights, trained.model.weights);
    EXPECT_EQ(again.model.threshold, trained.model.threshold);
  }
}

// They are negative whatever the threshold is, and say nothing about it.
TEST(Motif, TheGibbsThresholdLeavesOutSequencesWithoutAPlace) {
  DnaData data = planted(2, 20);
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data.labels[i] < 0) data.sequences[i] = "ACGT";
  }
  MotifOptions own = options();
  own.search = MotifSearch::gibbs;
  const TrainedMotif trained = train_motif(data, own);
  const std::vector<MotifFinding> findings = trained.model.find(data.sequences);
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_EQ(findings[i].is_positive, data.labels[i] > 0) << i;
  }
}

TEST(Motif, TheObjectiveIsThatOfTheLettersAndNeverRises) {
  for (const MotifStrands strands : {MotifStrands::both, MotifStrands::one}) {
    DnaData data = planted(4, 30);
    data.sequences[3].replace(5, 3, "NNN");
    data.sequences[2].replace(9, 2, "NN");
    Rng rng(8);
    for (std::size_t i = 0; i < data.size(); ++i) data.weights.push_back(rng.uniform(0, 2));
    MotifOptions own = options(0.5, 6);
    own.motif.strands = strands;
    own.shuffles = 2;
    own.latent.restarts = 3;
    own.latent.solving.context.seed = 5;
    const TrainedMotif trained = train_motif(data, own);
    EXPECT_EQ(trained.shuffled, 30U);
    const double found = *trained.search.report.primal_objective;
    EXPECT_NEAR(motif_objective(trained.model, data, own), found, 1e-9 * found);
    MotifOptions others = own;
    others.shuffles = 1;
    EXPECT_GT(std::abs(motif_objective(trained.model, data, others) - found), 1e-3 * found);
    others.shuffles = 2;
    others.shuffle_words = 3;
    EXPECT_GT(std::abs(motif_objective(trained.model, data, others) - found), 1e-3 * found);
    ASSERT_TRUE(trained.search.report.lower_bound);
    EXPECT_LE(*trained.search.report.lower_bound, found);
    double before = std::numeric_limits<double>::infinity();
    for (const LatentStep& step : trained.search.trace) {
      EXPECT_LE(step.objective, before);
      before = step.objective;
    }
    // No other weights nearby are better by more than the stationary gap.
    MotifFinder other = trained.model;
    for (std::size_t k = 0; k < other.weights.size(); k += 5) {
      other.weights[k] += 1e-2;
      EXPECT_GE(motif_objective(other, data, own), found - *trained.search.stationary_gap);
      other.weights[k] -= 1e-2;
    }
  }
}

TEST(Motif, EqualBitsForAnyNumberOfThreadsAndAfterAResume) {
  const DnaData data = planted(2);
  MotifOptions own = options();
  own.latent.restarts = 3;
  own.latent.solving.context.threads = 1;
  const TrainedMotif plain = train_motif(data, own);
  own.latent.solving.context.threads = 3;
  EXPECT_EQ(train_motif(data, own).model.weights, plain.model.weights);
  std::vector<StructuralState> states;
  own.latent.solving.on_checkpoint = [&](const std::function<StructuralState()>& state) {
    states.push_back(state());
  };
  (void)train_motif(data, own);
  ASSERT_GT(states.size(), 3U);
  own.latent.solving.on_checkpoint = {};
  for (const std::size_t k : {std::size_t{0}, states.size() / 2, states.size() - 1}) {
    const TrainedMotif resumed = train_motif(data, own, &states[k]);
    EXPECT_EQ(resumed.model.weights, plain.model.weights) << k;
    EXPECT_EQ(resumed.search.report.primal_objective, plain.search.report.primal_objective);
  }
}

TEST(Motif, WeightsAreCopiesAndSequencesWithoutWeightAreAbsent) {
  DnaData data = planted(6, 20);
  MotifOptions own = options(0.3, 6);
  own.latent.restarts = 1;
  data.weights.assign(20, 1.0);
  data.weights[1] = 2;
  data.weights[3] = 0;
  const TrainedMotif weighted = train_motif(data, own);
  DnaData copies;
  for (std::size_t i = 0; i < 20; ++i) {
    for (int k = 0; k < static_cast<int>(data.weights[i]); ++k) {
      copies.sequences.push_back(data.sequences[i]);
      copies.labels.push_back(data.labels[i]);
    }
  }
  const double objective = *weighted.search.report.primal_objective;
  EXPECT_NEAR(motif_objective(weighted.model, copies, own), objective, 1e-9 * objective);
}

TEST(Motif, WrongDataIsRefusedInWords) {
  const auto message = [](const DnaData& data, const MotifOptions& own) {
    try {
      (void)train_motif(data, own);
    } catch (const InvalidArgument& wrong) {
      return std::string(wrong.what());
    }
    return std::string("taken");
  };
  MotifOptions own = options();
  EXPECT_EQ(message({}, own), "the data: there is no sequence to learn from");
  DnaData data = planted(1, 8);
  data.source = "f.fa";
  DnaData one = data;
  one.labels.assign(8, -1);
  EXPECT_EQ(message(one, own),
            "f.fa: no sequence (of weight > 0) is a positive, so there is no motif to find");
  one.labels.assign(8, 1);
  const std::string negatives =
      "f.fa: no sequence (of weight > 0) is a negative; more come by --negatives FILE, or are made "
      "by --shuffles 1";
  EXPECT_EQ(message(one, own), negatives);
  one.labels.clear();
  EXPECT_EQ(message(one, own), negatives);
  own.shuffles = 1;
  EXPECT_EQ(message(one, own), "taken");
  own.shuffles = 0;
  own.search = MotifSearch::gibbs;
  EXPECT_EQ(message(one, own), "taken");
  own = options(1, 70);
  EXPECT_EQ(message(data, own),
            "f.fa: sequence 1 (m0) is a positive of 60 bases, shorter than --motif-length 70");
  // A short negative is right as it is.
  own = options();
  data.sequences[1] = "ACG";
  EXPECT_EQ(message(data, own), "taken");
}

TEST(Motif, AModelFileHoldsTheFinderBitForBit) {
  for (const bool background : {true, false}) {
    MotifOptions own = options(0.1, 7);
    own.latent.restarts = 1;
    own.motif.background = background;
    own.motif.order = 2;
    own.latent.solving.context.seed = 0xffffffffffffffffu;
    const MotifFinder finder = train_motif(planted(3, 20), own).model;
    ModelDocument document("motif");
    add_motif_finder(document, finder);
    const MotifFinder again = motif_finder_of(document);
    EXPECT_EQ(again.weights, finder.weights);
    EXPECT_EQ(again.threshold, finder.threshold);
    EXPECT_EQ(again.sites, finder.sites);
    EXPECT_EQ(again.seed, finder.seed);
    EXPECT_EQ(again.base_shares, finder.base_shares);
    EXPECT_TRUE(std::ranges::equal(again.site_counts.values(), finder.site_counts.values()));
    EXPECT_EQ(again.task.dimension(), finder.task.dimension());
    MotifFinder forged = finder;
    forged.site_counts = DenseMatrix(8, 4);
    ModelDocument broken("motif");
    add_motif_finder(broken, forged);
    EXPECT_THROW((void)motif_finder_of(broken), ModelFormatError);
  }
}

TEST(Motif, SitesBecomeProbabilitiesConsensusAndMemeText) {
  DenseMatrix counts(4, 4);
  counts(0, 0) = 9;  // A
  counts(1, 1) = 5;  // C or T
  counts(1, 3) = 4;
  counts(2, 2) = 9;  // G
  for (std::size_t b = 0; b < 4; ++b) counts(3, b) = 2;
  const std::vector<double> shares = {0.25, 0.25, 0.25, 0.25};
  const DenseMatrix probabilities = site_probabilities(counts, shares);
  EXPECT_DOUBLE_EQ(probabilities(0, 0), 0.925);
  EXPECT_DOUBLE_EQ(probabilities(0, 1), 0.025);
  EXPECT_EQ(consensus_of(probabilities), "AYGN");
  MotifFinder finder{.task = MotifTask({.length = 4})};
  finder.weights.assign(finder.task.dimension(), -0.5);
  finder.weights[2] = 1e-9;
  const std::string text = to_meme(finder, {.counts = counts, .sites = 9});
  EXPECT_EQ(text,
            "MEME version 4\n\nALPHABET= ACGT\n\nstrands: + -\n\nBackground letter frequencies\n"
            "A 0.250000 C 0.250000 G 0.250000 T 0.250000\n\nMOTIF AYGN motif\n\n"
            "log-odds matrix: alength= 4 w= 4\n"
            " -0.500000 -0.500000 0.000000 -0.500000\n"
            " -0.500000 -0.500000 -0.500000 -0.500000\n"
            " -0.500000 -0.500000 -0.500000 -0.500000\n"
            " -0.500000 -0.500000 -0.500000 -0.500000\n\n"
            "letter-probability matrix: alength= 4 w= 4 nsites= 9 E= 0\n"
            " 0.925000 0.025000 0.025000 0.025000\n"
            " 0.025000 0.525000 0.025000 0.425000\n"
            " 0.025000 0.025000 0.925000 0.025000\n"
            " 0.250000 0.250000 0.250000 0.250000\n");
}

}  // namespace
}  // namespace maxmargin
