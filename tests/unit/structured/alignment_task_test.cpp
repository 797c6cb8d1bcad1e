// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/structured/tasks/alignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "alignment_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/structured/check_task.hpp"

namespace maxmargin {
namespace {

using enum AlignmentStep;

constexpr SubstitutionModel all_models[] = {SubstitutionModel::residues,
                                            SubstitutionModel::residue_windows,
                                            SubstitutionModel::simple,
                                            SubstitutionModel::anova2,
                                            SubstitutionModel::tensor,
                                            SubstitutionModel::combined,
                                            SubstitutionModel::window,
                                            SubstitutionModel::profile};
constexpr AlignmentRule q4_known_rule = {.shift = 4, .side = AlignmentSide::known};

using Samples = std::vector<std::pair<SequencePair, Alignment>>;

Samples random_samples(std::size_t count, std::size_t longest, Rng& rng) {
  Samples samples;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t m = 1 + rng.index(longest);
    const std::size_t n = 1 + rng.index(longest);
    samples.push_back(
        {{random_sequence(m, rng), random_sequence(n, rng)}, random_alignment(m, n, rng)});
  }
  return samples;
}

void expect_brute_force(const AlignmentOptions& options,
                        const Samples& samples,
                        std::size_t rounds,
                        Rng& rng) {
  const AlignmentTask task(options);
  const TaskCheck check = check_task(task, std::span(samples), rng, {.rounds = rounds});
  EXPECT_EQ(check.compared, 2 * rounds * samples.size());
  EXPECT_TRUE(check.faults.empty()) << check.faults.front();
}

// seed-yu facts 31 and 38, for all models of matches and gaps.
TEST(AlignmentTask, EveryModelReachesBruteForce) {
  Rng rng(1);
  const Samples samples = random_samples(3, 3, rng);
  for (const SubstitutionModel model : all_models) {
    for (const GapModel gaps : {GapModel::constant, GapModel::residues, GapModel::context}) {
      SCOPED_TRACE(testing::Message()
                   << "model " << static_cast<int>(model) << ", gaps " << static_cast<int>(gaps));
      expect_brute_force(
          {.substitution = model, .gaps = gaps, .gap_opening = true}, samples, 1, rng);
    }
  }
}

// seed-yu fact 31, for all kinds, ends, openings and losses. Weights are normal, so that half of
// all gap scores are positive.
TEST(AlignmentTask, EveryKindAndLossReachesBruteForce) {
  Rng rng(2);
  const Samples samples = random_samples(4, 4, rng);
  for (const AlignmentKind kind : {AlignmentKind::global, AlignmentKind::local}) {
    for (const bool opening : {false, true}) {
      for (const bool free_ends : {false, true}) {
        for (const AlignmentRule& rule : {q_rule,
                                          q4_rule,
                                          AlignmentRule{.shift = 1},
                                          q4_known_rule,
                                          AlignmentRule{1, AlignmentSide::known}}) {
          SCOPED_TRACE(testing::Message()
                       << "kind " << static_cast<int>(kind) << ", opening " << opening
                       << ", free ends " << free_ends << ", shift " << rule.shift << ", side "
                       << static_cast<int>(rule.side));
          for (const GapModel gaps : {GapModel::constant, GapModel::context}) {
            expect_brute_force({.substitution = SubstitutionModel::simple,
                                .gaps = gaps,
                                .gap_opening = opening,
                                .kind = kind,
                                .free_end_gaps = free_ends,
                                .rule = rule},
                               samples,
                               2,
                               rng);
          }
        }
      }
    }
  }
}

TEST(AlignmentTask, SymmetricAndPlainScalesReachBruteForce) {
  Rng rng(3);
  const Samples samples = random_samples(5, 4, rng);
  for (const SubstitutionModel model :
       {SubstitutionModel::residues, SubstitutionModel::residue_windows}) {
    expect_brute_force({.substitution = model, .symmetric = true}, samples, 3, rng);
    // Losses of the same size as scores, and smaller ones.
    expect_brute_force({.substitution = model, .normalise = false}, samples, 3, rng);
  }
}

TEST(AlignmentTask, AWrongArgmaxWouldBeFound) {
  // The checker's own test: an argmax that forgets the loss misses somewhere.
  struct Forgetful : AlignmentTask {
    using AlignmentTask::AlignmentTask;
    [[nodiscard]] Alignment loss_augmented_argmax(const SequencePair& x,
                                                  const Alignment&,
                                                  std::span<const double> w) const {
      return predict(x, w);
    }
  };
  Rng rng(4);
  const Samples samples = random_samples(5, 4, rng);
  EXPECT_GT(check_task(Forgetful(), std::span<const Samples::value_type>(samples), rng).missed, 0u);
}

// seed-yu facts 36 and table 4.1. The formula's 986 stands for the table's 1020 of Simple.
TEST(AlignmentTask, FeatureCountsAreThoseOfTheTable) {
  const auto count = [](SubstitutionModel model) {
    return AlignmentTask({.substitution = model}).match_features();
  };
  EXPECT_EQ(count(SubstitutionModel::residues), 22u * 22u);
  EXPECT_EQ(count(SubstitutionModel::simple), 986u);
  EXPECT_EQ(count(SubstitutionModel::anova2), 49'634u);
  EXPECT_EQ(count(SubstitutionModel::tensor), 203'280u);
  EXPECT_EQ(count(SubstitutionModel::combined), 986u + 49'634u + 203'280u);
  EXPECT_EQ(count(SubstitutionModel::combined), 253'934u - 34u);
  EXPECT_EQ(count(SubstitutionModel::window) - count(SubstitutionModel::combined), 193'082u);
  EXPECT_EQ(count(SubstitutionModel::residue_windows) - count(SubstitutionModel::residues),
            117'649u);
  EXPECT_EQ(count(SubstitutionModel::profile), 448'642u);
}

TEST(AlignmentTask, GapFeatureCountsAreThoseOfTheSpecification) {
  const auto count = [](GapModel gaps, bool opening) {
    return AlignmentTask({.gaps = gaps, .gap_opening = opening}).gap_features();
  };
  EXPECT_EQ(count(GapModel::constant, false), 1u);
  EXPECT_EQ(count(GapModel::constant, true), 2u);
  EXPECT_EQ(count(GapModel::residues, false), 44u);
  EXPECT_EQ(count(GapModel::context, false), 201u + 1259u);
}

// seed-yu fact 37.
TEST(AlignmentTask, OnesOfAMatchAndOfAGap) {
  Rng rng(5);
  const SequencePair x = {random_sequence(5, rng), random_sequence(6, rng)};
  const auto ones = [&](const AlignmentOptions& options, AlignmentStep step) {
    FeatureVector psi;
    AlignmentTask(options).joint_features(x, {2, 3, {step}}, psi);
    double sum = 0;
    for (const FeatureVector::Entry& entry : psi.entries()) sum += entry.value;
    EXPECT_EQ(static_cast<double>(psi.entries().size()), sum);
    return psi.entries().size();
  };
  const auto of_match = [&](SubstitutionModel model) {
    return ones({.substitution = model, .normalise = false}, match);
  };
  EXPECT_EQ(of_match(SubstitutionModel::residues), 1u);
  EXPECT_EQ(of_match(SubstitutionModel::residue_windows), 2u);
  EXPECT_EQ(of_match(SubstitutionModel::simple), 9u);
  EXPECT_EQ(of_match(SubstitutionModel::anova2), 9u);
  EXPECT_EQ(of_match(SubstitutionModel::tensor), 1u);
  EXPECT_EQ(of_match(SubstitutionModel::combined), 19u);
  EXPECT_EQ(of_match(SubstitutionModel::window), 22u);
  for (const AlignmentStep gap : {gap_in_known, gap_in_target}) {
    EXPECT_EQ(ones({.gaps = GapModel::context, .normalise = false}, gap), 3u);
    EXPECT_EQ(ones({.gaps = GapModel::context, .gap_opening = true, .normalise = false}, gap), 4u);
    EXPECT_EQ(ones({.gaps = GapModel::residues, .normalise = false}, gap), 1u);
    EXPECT_EQ(ones({.normalise = false}, gap), 1u);
  }
}

// Different matches have different features: all 22 x 22 x 3 x 4 x 5 x 7 pairs of the tensor model
// would collide if an index were wrong. A sample of them, over all letters.
TEST(AlignmentTask, CodesDoNotCollide) {
  const AlignmentTask task({.substitution = SubstitutionModel::tensor});
  std::set<std::uint64_t> seen;
  const std::string residues = "ACDEFGHIKLMNPQRSTVWYX";
  std::size_t count = 0;
  for (const char a : residues) {
    for (const char s : std::string("HEC")) {
      for (const char u : std::string("0135")) {
        for (const char t : std::string("HEGTC")) {
          for (const char v : std::string("01234?6")) {
            const SequencePair x = {
                {.name = "s", .residues = {a}, .structure = {s}, .surface = {u}},
                {.name = "t",
                 .residues = {residues[count % residues.size()]},
                 .structure = {t},
                 .surface = {v}}};
            FeatureVector psi;
            task.joint_features(x, {0, 0, {match}}, psi);
            ASSERT_EQ(psi.entries().size(), 1u);
            EXPECT_LT(psi.entries()[0].index, task.match_features());
            EXPECT_TRUE(seen.insert(psi.entries()[0].index).second);
            ++count;
          }
        }
      }
    }
  }
}

// A hand count: matches A-A and D-G, gaps C and F behind it, an opening each.
TEST(AlignmentTask, FeaturesOfAnAlignmentByHand) {
  const SequencePair x = {{.name = "s", .residues = "ACD"}, {.name = "t", .residues = "AFG"}};
  const Alignment y = alignment_of_rows("AC-D", "A-FG");
  const AlignmentTask task({.gap_opening = true});
  FeatureVector psi;
  task.joint_features(x, y, psi);
  std::vector<double> dense(task.dimension());
  psi.add_to(1, dense);
  EXPECT_DOUBLE_EQ(dense[task.residue_pair_index('A', 'A')], 1.0 / 6);
  EXPECT_DOUBLE_EQ(dense[task.residue_pair_index('D', 'G')], 1.0 / 6);
  EXPECT_DOUBLE_EQ(dense[task.constant_gap_index()], 2.0 / 6);
  EXPECT_DOUBLE_EQ(dense[task.gap_opening_index()], 2.0 / 6);
  EXPECT_EQ(dense[task.residue_pair_index('G', 'D')], 0.0);
  EXPECT_DOUBLE_EQ(psi.dot(std::vector<double>(task.dimension(), 1.0)), 1.0);
}

TEST(AlignmentTask, FreeEndGapsHaveNoFeaturesAndInnerOnesDo) {
  const SequencePair x = {{.name = "s", .residues = "ACDE"}, {.name = "t", .residues = "CFD"}};
  const AlignmentTask task({.gap_opening = true, .free_end_gaps = true, .normalise = false});
  FeatureVector psi;
  task.joint_features(x, alignment_of_rows("AC-DE", "-CFD-"), psi);
  std::vector<double> dense(task.dimension());
  psi.add_to(1, dense);
  EXPECT_EQ(dense[task.constant_gap_index()], 1.0);
  EXPECT_EQ(dense[task.gap_opening_index()], 1.0);
  // Behind a free gap on one side a gap on the other is not at a border.
  psi.clear();
  task.joint_features(x, alignment_of_rows("AC-DE", "--CFD"), psi);
  std::ranges::fill(dense, 0.0);
  psi.add_to(1, dense);
  EXPECT_EQ(dense[task.constant_gap_index()], 1.0);
}

// seed-yu fact 32.
TEST(AlignmentTask, LocalScoresAreAtLeastThoseOfAllParts) {
  Rng rng(6);
  const AlignmentTask local(
      {.gap_opening = true, .kind = AlignmentKind::local, .normalise = false});
  const AlignmentTask global({.gap_opening = true, .normalise = false});
  for (int round = 0; round < 5; ++round) {
    const SequencePair x = {random_sequence(6, rng), random_sequence(5, rng)};
    std::vector<double> w = random_weights(local, rng);
    // Scores that make the best part an inner one.
    w[local.constant_gap_index()] = -0.5;
    w[local.gap_opening_index()] = -1;
    const double value = score_of(local, x, local.predict(x, w), w);
    EXPECT_GE(value, 0.0);
    double best = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        for (std::size_t p = 1; i + p <= 6; ++p) {
          for (std::size_t q = 1; j + q <= 5; ++q) {
            const SequencePair part = {{.residues = x.target.residues.substr(i, p)},
                                       {.residues = x.known.residues.substr(j, q)}};
            best = std::max(best, score_of(global, part, global.predict(part, w), w));
          }
        }
      }
    }
    EXPECT_NEAR(value, best, 1e-12);
  }
}

TEST(AlignmentTask, NothingIsTheBestLocalAlignmentAtNegativeScores) {
  Rng rng(7);
  const AlignmentTask task({.kind = AlignmentKind::local});
  const SequencePair x = {random_sequence(4, rng), random_sequence(5, rng)};
  EXPECT_EQ(task.predict(x, std::vector<double>(task.dimension(), -1.0)), Alignment{});
  // A tie is broken towards nothing.
  EXPECT_EQ(task.predict(x, std::vector<double>(task.dimension(), 0.0)), Alignment{});
}

TEST(AlignmentTask, TiesOfGlobalAlignmentsGoToMatches) {
  Rng rng(8);
  const SequencePair x = {random_sequence(3, rng), random_sequence(3, rng)};
  for (const bool opening : {false, true}) {
    const AlignmentTask task({.gap_opening = opening});
    EXPECT_EQ(task.predict(x, std::vector<double>(task.dimension(), 0.0)),
              (Alignment{0, 0, {match, match, match}}));
  }
}

SequencePair reversed(SequencePair x) {
  std::ranges::reverse(x.target.residues);
  std::ranges::reverse(x.known.residues);
  return x;
}

// Metamorphic, at sizes that no brute force reaches: scores of reversed and of exchanged sequences.
TEST(AlignmentTask, ReversedAndExchangedSequencesHaveTheSameBestScore) {
  Rng rng(9);
  for (const bool opening : {false, true}) {
    for (const bool free_ends : {false, true}) {
      for (const AlignmentKind kind : {AlignmentKind::global, AlignmentKind::local}) {
        const AlignmentTask task(
            {.symmetric = true, .gap_opening = opening, .kind = kind, .free_end_gaps = free_ends});
        const SequencePair x = {random_sequence(83, rng), random_sequence(67, rng)};
        std::vector<double> w = random_weights(task, rng);
        w[task.constant_gap_index()] = -0.3;
        if (opening) w[task.gap_opening_index()] = -1;
        const auto best = [&](const SequencePair& pair) {
          return score_of(task, pair, task.predict(pair, w), w);
        };
        EXPECT_NEAR(best(x), best(reversed(x)), 1e-12);
        EXPECT_NEAR(best(x), best({x.known, x.target}), 1e-12);
        EXPECT_GT(best(x), 0.1);
      }
    }
  }
}

TEST(AlignmentTask, EmptySequencesAlignToGaps) {
  const AlignmentTask task({.gap_opening = true});
  const std::vector<double> w(task.dimension(), -1.0);
  const SequencePair x = {{.name = "s", .residues = "AC"}, {.name = "t"}};
  EXPECT_EQ(task.predict(x, w), (Alignment{0, 0, {gap_in_known, gap_in_known}}));
  EXPECT_EQ(task.predict({}, w), Alignment{});
  EXPECT_EQ(AlignmentTask().predict({x.known, x.target}, w),
            (Alignment{0, 0, {gap_in_target, gap_in_target}}));
}

TEST(AlignmentTask, MissingTracksAreNamed) {
  const SequencePair x = {{.name = "first", .residues = "AC", .structure = "HH", .surface = "0"},
                          {.name = "second", .residues = "AC"}};
  const AlignmentTask task({.substitution = SubstitutionModel::simple});
  const std::vector<double> w(task.dimension());
  try {
    static_cast<void>(task.predict(x, w));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("first"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("surface"), std::string::npos) << error.what();
  }
}

TEST(AlignmentTask, WrongCallsAreRefused) {
  EXPECT_THROW(AlignmentTask({.substitution = SubstitutionModel::simple, .symmetric = true}),
               InvalidArgument);
  const AlignmentTask task;
  const SequencePair x = {{.name = "s", .residues = "A"}, {.name = "t", .residues = "C"}};
  const std::vector<double> w(task.dimension());
  const Alignment no_match = alignment_of_rows("A-", "-C");
  EXPECT_THROW(static_cast<void>(task.loss(no_match, no_match)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(task.loss_augmented_argmax(x, no_match, w)), InvalidArgument);
  FeatureVector psi;
  EXPECT_THROW(task.joint_features(x, {0, 0, {match, match}}, psi), InvalidArgument);
  EXPECT_THROW(static_cast<void>(task.predict(x, std::vector<double>(3))), InvalidArgument);
  EXPECT_THROW(static_cast<void>(task.gap_opening_index()), InvalidArgument);
  EXPECT_THROW(static_cast<void>(AlignmentTask({.gaps = GapModel::residues}).constant_gap_index()),
               InvalidArgument);
  EXPECT_THROW(
      static_cast<void>(
          AlignmentTask({.substitution = SubstitutionModel::tensor}).residue_pair_index('A', 'C')),
      InvalidArgument);
}

TEST(AlignmentTask, TablesBeyondTheMachineAreRefused) {
  const AlignmentTask task;
  const std::vector<double> w(task.dimension());
  const auto length = static_cast<std::size_t>(std::sqrt(machine_memory() / 2)) + 1;
  const SequencePair x = {{.name = "s", .residues = std::string(length, 'A')},
                          {.name = "t", .residues = std::string(length, 'C')}};
  EXPECT_EQ(task.argmax_bytes(x), (length + 1) * (length + 1));
  try {
    (void)task.predict(x, w);
    FAIL();
  } catch (const InvalidArgument& refused) {
    const std::string text = std::to_string(length);
    EXPECT_TRUE(
        std::string(refused.what())
            .starts_with("an argmax of sequences of " + text + " and " + text + " residues needs "))
        << refused.what();
  }
}

}  // namespace
}  // namespace maxmargin
