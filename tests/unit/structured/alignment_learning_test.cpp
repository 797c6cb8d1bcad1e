// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "alignment_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "maxmargin/structured/tasks/alignment_baselines.hpp"
#include "solver/structural/methods.hpp"

namespace maxmargin {
namespace {

StructuralSolution train(const AlignmentTask& task,
                         const AlignmentData& data,
                         const StructuralOptions& options) {
  const StructuralHinge<AlignmentTask> hinge(task, data.inputs, data.references);
  const StructuralSolution solution = solve_block_frank_wolfe(hinge, options);
  EXPECT_EQ(solution.report.status, Status::solved);
  // The certificate, computed again.
  const double primal = structural_primal(hinge, options.c, solution.w);
  EXPECT_NEAR(primal, *solution.report.primal_objective, 1e-9 * primal);
  EXPECT_LE(*solution.report.dual_objective, primal * (1 + 1e-12));
  return solution;
}

double quality(const AlignmentTask& task,
               const AlignmentData& data,
               std::span<const double> w,
               const AlignmentRule& rule = {}) {
  std::vector<Alignment> predicted;
  for (const SequencePair& pair : data.inputs) predicted.push_back(task.predict(pair, w));
  return mean_alignment_quality(data.references, predicted, rule);
}

// One residue each: a match against two gaps, so a binary machine without a bias whose one example
// e_AC - 2 e_gap has squared length 5. w = a times it, a = min(1/5, n C).
TEST(AlignmentLearning, OneResidueEachIsABinaryMachine) {
  const AlignmentTask task({.normalise = false});
  AlignmentData data;
  for (int k = 0; k < 3; ++k) {
    data.inputs.push_back({{.name = "s", .residues = "A"}, {.name = "t", .residues = "C"}});
    data.references.push_back(alignment_of_rows("A", "C"));
  }
  for (const double c : {0.01, 1.0}) {
    const StructuralSolution solution = train(task, data, {.c = c, .tolerance = 1e-9});
    const double a = std::min(0.2, 3 * c);
    const double least = 2.5 * a * a + 3 * c * (1 - 5 * a);
    EXPECT_NEAR(*solution.report.primal_objective, least, 1e-9 * least);
    // The objective is strongly convex.
    const double distance = std::sqrt(2e-9 * least);
    EXPECT_NEAR(solution.w[task.residue_pair_index('A', 'C')], a, distance);
    EXPECT_NEAR(solution.w[task.constant_gap_index()], -2 * a, distance);
  }
}

// seed-yu fact 17: slacks are at least losses of predictions, so C times the sum of losses is
// below the primal.
TEST(AlignmentLearning, LossesOfPredictionsAreBelowTheRisk) {
  const AlignmentData data = generate_alignments({.pairs = 6, .length = 12, .seed = 4});
  const AlignmentTask task({.rule = q4_rule});
  const StructuralSolution solution = train(task, data, {.c = 10, .tolerance = 1e-3});
  double losses = 0;
  for (std::size_t k = 0; k < data.size(); ++k) {
    losses += task.loss(data.references[k], task.predict(data.inputs[k], solution.w));
  }
  EXPECT_LE(10 * losses, *solution.report.primal_objective);
}

// Structure and surface say more than residues where residues have changed: seed-yu 4.5.
TEST(AlignmentLearning, PlantedTracksAlignBetterThanResiduesAlone) {
  const PlantedAlignmentOptions planted = {.pairs = 30, .length = 30, .identity = 0.15, .seed = 11};
  const AlignmentData all = generate_alignments(planted);
  AlignmentData known;
  AlignmentData fresh;
  for (std::size_t k = 0; k < all.size(); ++k) {
    AlignmentData& side = k % 2 == 0 ? known : fresh;
    side.inputs.push_back(all.inputs[k]);
    side.references.push_back(all.references[k]);
  }
  const StructuralOptions options = {.c = 100, .tolerance = 0.05};
  const auto learned = [&](const AlignmentOptions& model) {
    const AlignmentTask task(model);
    const StructuralSolution solution = train(task, known, options);
    return quality(task, fresh, solution.w);
  };
  const double residues = learned({.gap_opening = true});
  for (const SubstitutionModel model : {SubstitutionModel::simple,
                                        SubstitutionModel::anova2,
                                        SubstitutionModel::combined,
                                        SubstitutionModel::window,
                                        SubstitutionModel::profile}) {
    const double annotated = learned({.substitution = model, .gap_opening = true});
    RecordProperty("quality", std::to_string(annotated));
    EXPECT_GT(annotated, residues + 0.1) << static_cast<int>(model);
  }
}

TEST(AlignmentBaselines, Blosum62IsThePublishedTable) {
  EXPECT_EQ(blosum62('W', 'W'), 11);
  EXPECT_EQ(blosum62('C', 'C'), 9);
  EXPECT_EQ(blosum62('I', 'V'), 3);
  EXPECT_EQ(blosum62('V', 'I'), 3);
  EXPECT_EQ(blosum62('D', 'L'), -4);
  EXPECT_EQ(blosum62('F', 'Y'), 3);
  EXPECT_EQ(blosum62('A', 'X'), -1);
  // The sums of the diagonal and of the whole table.
  const std::string residues = "ARNDCQEGHILKMFPSTWYV";
  int diagonal = 0;
  int sum = 0;
  for (const char a : residues) {
    diagonal += blosum62(a, a);
    for (const char b : residues) {
      sum += blosum62(a, b);
      EXPECT_EQ(blosum62(a, b), blosum62(b, a));
      EXPECT_GE(blosum62(a, b), -4);
      if (a != b) {
        EXPECT_LT(blosum62(a, b), blosum62(a, a));
      }
    }
  }
  EXPECT_EQ(diagonal, 116);
  EXPECT_EQ(sum, -426);
}

TEST(AlignmentBaselines, Blosum62AlignsRelatives) {
  const AlignmentTask task({.gap_opening = true, .normalise = false});
  const std::vector<double> w = blosum62_weights(task, -1, -10);
  const SequencePair x = {{.name = "s", .residues = "HEAGAWGHEE"},
                          {.name = "t", .residues = "HEAGAHEE"}};
  const AlignedRows rows = rows_of_alignment(x, task.predict(x, w));
  EXPECT_EQ(rows.target, "HEAGAWGHEE");
  EXPECT_EQ(rows.known, "HEAGA--HEE");
  // 8+5+4+6+4 + 8+5+5 = 45, less an opening and two gaps.
  EXPECT_DOUBLE_EQ(score_of(task, x, task.predict(x, w), w), 45 - 12);
}

TEST(AlignmentBaselines, AnOpeningNeedsATaskThatHasOne) {
  EXPECT_THROW(static_cast<void>(blosum62_weights(AlignmentTask(), -1, -10)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(blosum62_weights(
                   AlignmentTask({.substitution = SubstitutionModel::tensor}), -1)),
               InvalidArgument);
}

TEST(AlignmentBaselines, GapsAreTunedOverTheWholeGrid) {
  const AlignmentData data = generate_alignments({.pairs = 8, .length = 25, .identity = 0.6});
  const AlignmentTask task({.gap_opening = true, .free_end_gaps = true, .normalise = false});
  const std::vector<double> w = blosum62_weights(task, 0);
  const GapGrid grid = {.gaps = {-3, -1, 0.5}, .openings = {-10, -4, 0}, .rule = q4_rule};
  const TunedGaps tuned = tune_gaps(task, w, data.inputs, data.references, grid);
  double best = 0;
  for (const double opening : grid.openings) {
    for (const double gap : grid.gaps) {
      best = std::max(best, quality(task, data, blosum62_weights(task, gap, opening), q4_rule));
    }
  }
  EXPECT_EQ(tuned.quality, best);
  EXPECT_EQ(quality(task, data, tuned.weights, q4_rule), best);
  EXPECT_EQ(tuned.weights, blosum62_weights(task, tuned.gap, tuned.opening));
  EXPECT_GT(best, 0.5);
  EXPECT_EQ(tuned.tried, 9u);
  EXPECT_EQ(tuned.status, Status::solved);
  // A search that is stopped has the best of what it saw.
  GapGrid stopped = grid;
  stopped.context.on_progress = [](const Progress& progress) {
    EXPECT_EQ(progress.max_iterations, 9u);
    return progress.iteration < 3 ? Continue::yes : Continue::time_is_up;
  };
  const TunedGaps first = tune_gaps(task, w, data.inputs, data.references, stopped);
  EXPECT_EQ(first.tried, 3u);
  EXPECT_EQ(first.status, Status::time_limit);
  EXPECT_EQ(first.opening, -10);
  const TunedGaps row = tune_gaps(task,
                                  w,
                                  data.inputs,
                                  data.references,
                                  {.gaps = grid.gaps, .openings = {-10}, .rule = q4_rule});
  EXPECT_EQ(first.weights, row.weights);
  EXPECT_THROW(static_cast<void>(tune_gaps(task, w, data.inputs, data.references, {.gaps = {-1}})),
               InvalidArgument);
}

// Counts by hand: matches AA, AA, AC and a run of two gaps.
TEST(AlignmentBaselines, LogOddsOfAFewCounts) {
  const std::vector<SequencePair> x = {
      {{.name = "s", .residues = "AAWWA"}, {.name = "t", .residues = "AAC"}}};
  const std::vector<Alignment> y = {alignment_of_rows("AAWWA", "AA--C")};
  const double k = 0.5;
  const double total = 2 * 3 + k * 21 * 21;
  const double p_aa = (4 + k) / total;
  const double p_ac = (1 + k) / total;
  const double q_a = (5 + 21 * k) / total;
  const double q_c = (1 + 21 * k) / total;
  const auto matches_expectation = [&](const AlignmentTask& task, double match_step) {
    const std::vector<double> w = log_odds_weights(task, x, y, k);
    EXPECT_NEAR(
        w[task.residue_pair_index('A', 'A')], std::log(p_aa / (q_a * q_a)) + match_step, 1e-12);
    EXPECT_NEAR(
        w[task.residue_pair_index('C', 'A')], std::log(p_ac / (q_a * q_c)) + match_step, 1e-12);
    return w;
  };
  // Linear gaps: two gaps of five steps.
  const double g = (2 + k) / (5 + 2 * k);
  const AlignmentTask linear;
  const std::vector<double> w = matches_expectation(linear, std::log(1 - g));
  EXPECT_NEAR(w[linear.constant_gap_index()], std::log(g / 2), 1e-12);
  // Affine: of three steps behind a match or the begin one opens; of two steps behind a gap one
  // goes on.
  const double o = (1 + k) / (3 + 2 * k);
  const double e = (1 + k) / (2 + 2 * k);
  const AlignmentTask affine({.gap_opening = true});
  const std::vector<double> v = matches_expectation(affine, std::log(1 - o));
  EXPECT_NEAR(v[affine.constant_gap_index()], std::log(e), 1e-12);
  EXPECT_NEAR(v[affine.gap_opening_index()], std::log(o / 2 * (1 - e) / (e * (1 - o))), 1e-12);
}

TEST(AlignmentBaselines, LogOddsAlignWhatTheyWereCountedOn) {
  const AlignmentData data =
      generate_alignments({.pairs = 40, .length = 40, .identity = 0.7, .seed = 5});
  const AlignmentTask task({.gap_opening = true, .normalise = false});
  const std::vector<double> w = log_odds_weights(task, data.inputs, data.references);
  EXPECT_LT(w[task.gap_opening_index()], 0.0);
  EXPECT_LT(w[task.constant_gap_index()], 0.0);
  // No worse than a table made for other proteins, with a usual gap.
  EXPECT_GT(quality(task, data, w), quality(task, data, blosum62_weights(task, -1, -10)));
}

}  // namespace
}  // namespace maxmargin
