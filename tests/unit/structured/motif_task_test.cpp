// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/structured/tasks/motif.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <tuple>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/structured/check_task.hpp"
#include "structured/tasks/motif_risk.hpp"

namespace maxmargin {
namespace {

std::string random_sequence(std::size_t length, Rng& rng) {
  // Unknown bases among them.
  std::string text;
  while (text.size() < length) {
    text += rng.bernoulli(0.15) ? 'N' : base_letter(static_cast<std::uint8_t>(rng.index(4)));
  }
  return text;
}

std::vector<double> random_weights(const MotifTask& task, Rng& rng) {
  std::vector<double> w(task.dimension());
  for (double& weight : w) weight = rng.normal();
  return w;
}

/// d(h) by the definition of the page, from the letters alone.
double score_by_letters(const MotifTaskOptions& options,
                        const std::string& sequence,
                        std::size_t place,
                        bool reverse,
                        std::span<const double> w) {
  const std::size_t l = options.length;
  std::string window = sequence.substr(place, l);
  if (reverse) window = reverse_complement(window);
  double score = 0;
  for (std::size_t j = 0; j < l; ++j) {
    const std::size_t base = dna_letters.find(window[j]);
    if (base != std::string::npos) score += w[4 * j + base];
  }
  if (!options.background) return score;
  for (std::size_t i = place; i < place + l; ++i) {
    if (sequence[i] == 'N') continue;
    std::string word(1, sequence[i]);
    for (std::size_t back = 1; back <= options.order && back <= i; ++back) {
      if (sequence[i - back] == 'N') break;
      word.insert(word.begin(), sequence[i - back]);
    }
    std::size_t index = 4 * l;
    for (std::size_t k = 1, block = 4; k < word.size(); ++k, block *= 4) index += block;
    std::size_t number = 0;
    for (const char c : word) number = 4 * number + dna_letters.find(c);
    score -= w[index + number];
  }
  return score;
}

class MotifTasks : public ::testing::TestWithParam<std::tuple<MotifStrands, std::size_t, bool>> {
 protected:
  [[nodiscard]] static MotifTaskOptions options(std::size_t length) {
    const auto& [strands, order, background] = GetParam();
    return {.length = length, .strands = strands, .order = order, .background = background};
  }
};

TEST_P(MotifTasks, ScoresAreThoseOfThePage) {
  Rng rng(2);
  for (const std::size_t length : {1U, 3U, 5U}) {
    const MotifTask task(options(length));
    for (std::size_t round = 0; round < 20; ++round) {
      const std::string sequence = random_sequence(rng.index(14), rng);
      const BaseString x = task.encode(sequence);
      const std::vector<double> w = random_weights(task, rng);
      MotifTask::Scores found;
      task.scores(x, w, found);
      const bool both = task.options().strands == MotifStrands::both;
      ASSERT_EQ(found.forward.size(), sequence.size() < length ? 0 : sequence.size() - length + 1);
      ASSERT_EQ(found.reverse.size(), both ? found.forward.size() : 0);
      for (std::size_t h = 0; h < found.forward.size(); ++h) {
        for (const bool reverse : {false, true}) {
          if (reverse && !both) continue;
          const double wanted = score_by_letters(task.options(), sequence, h, reverse, w);
          EXPECT_NEAR((reverse ? found.reverse : found.forward)[h], wanted, 1e-11);
          FeatureVector psi;
          task.joint_features(
              x,
              {.present = true, .reverse = reverse, .place = static_cast<std::uint32_t>(h)},
              psi);
          psi.settle();
          EXPECT_NEAR(psi.dot(w), wanted, 1e-11);
        }
      }
    }
  }
}

// Fact 44 of Yu, first half.
TEST_P(MotifTasks, EveryArgmaxEqualsBruteForce) {
  Rng rng(5);
  for (const std::size_t length : {1U, 4U}) {
    const MotifTask task(options(length));
    std::vector<std::pair<BaseString, MotifSite>> samples;
    for (std::size_t k = 0; k < 30; ++k) {
      const BaseString x = task.encode(random_sequence(rng.index(12), rng));
      const bool present = task.places(x) > 0 && rng.bernoulli(0.5);
      samples.emplace_back(x, task.random_completion(x, {.present = present}, rng));
    }
    const TaskCheck check = check_task<MotifTask>(task, samples, rng);
    EXPECT_EQ(check.missed, 0U);
    EXPECT_TRUE(check.faults.empty()) << check.faults.front();
    EXPECT_EQ(check.compared, 30 * 5 * 3);
    for (const auto& [x, truth] : samples) {
      const std::vector<double> w = random_weights(task, rng);
      const MotifSite found = task.complete(x, truth, w);
      EXPECT_EQ(found.present, truth.present);
      EXPECT_EQ(task.loss(truth, found), 0);
      if (!truth.present) continue;
      FeatureVector own;
      task.joint_features(x, found, own);
      double best = -std::numeric_limits<double>::infinity();
      task.for_each_output(x, [&, &input = x](const MotifSite& y) {
        if (!y.present) return;
        FeatureVector psi;
        task.joint_features(input, y, psi);
        best = std::max(best, psi.dot(w));
      });
      EXPECT_NEAR(own.dot(w), best, 1e-11);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All,
                         MotifTasks,
                         ::testing::Combine(::testing::Values(MotifStrands::both,
                                                              MotifStrands::one),
                                            ::testing::Values(0, 1, 3, 5),
                                            ::testing::Values(true, false)));

TEST(MotifTask, WithoutBackgroundASequenceAndItsReverseComplementScoreAlike) {
  Rng rng(9);
  const MotifTask task({.length = 6, .background = false});
  for (std::size_t round = 0; round < 20; ++round) {
    const std::string sequence = random_sequence(6 + rng.index(20), rng);
    const std::vector<double> w = random_weights(task, rng);
    const MotifTask::Best one = task.best(task.encode(sequence), w);
    const MotifTask::Best other = task.best(task.encode(reverse_complement(sequence)), w);
    EXPECT_NEAR(one.score, other.score, 1e-12);
    EXPECT_NE(one.site.reverse, other.site.reverse);
    EXPECT_EQ(one.site.place, sequence.size() - 6 - other.site.place);
  }
}

TEST(MotifTask, TiesGoToTheTruthAndThenToTheFirst) {
  const MotifTask task({.length = 2});
  const BaseString x = task.encode("ACGTACGT");
  const std::vector<double> zero(task.dimension(), 0.0);
  const MotifSite truth{.present = true, .reverse = true, .place = 3};
  EXPECT_EQ(task.complete(x, truth, zero), truth);
  EXPECT_EQ(task.predict(x, zero), MotifSite{});
  EXPECT_EQ(task.loss_augmented_argmax(x, truth, zero), MotifSite{});
  EXPECT_EQ(task.best(x, zero).site, (MotifSite{.present = true}));
  // Scores of 1 everywhere: a positive's margin is just met; of -1: a negative's.
  std::vector<double> one(task.dimension(), 0.0);
  std::fill_n(one.begin(), 8, 0.5);
  EXPECT_EQ(task.loss_augmented_argmax(x, truth, one), truth);
  for (double& weight : one) weight = -weight;
  EXPECT_EQ(task.loss_augmented_argmax(x, MotifSite{}, one), MotifSite{});
  EXPECT_EQ(task.loss_augmented_argmax(x, MotifSite{}, zero), (MotifSite{.present = true}));
}

TEST(MotifTask, RandomCompletionsReachEveryPlaceAndStrand) {
  const MotifTask task({.length = 3});
  const BaseString x = task.encode("ACGTAC");
  Rng rng(1);
  std::set<std::pair<std::uint32_t, bool>> seen;
  for (std::size_t k = 0; k < 200; ++k) {
    const MotifSite site = task.random_completion(x, {.present = true}, rng);
    EXPECT_TRUE(site.present);
    seen.emplace(site.place, site.reverse);
  }
  EXPECT_EQ(seen.size(), 8U);
  EXPECT_EQ(task.random_completion(x, {}, rng), MotifSite{});
}

TEST(MotifTask, ShortSequencesHaveNoPlace) {
  const MotifTask task({.length = 5});
  const BaseString x = task.encode("ACGT");
  const std::vector<double> w(task.dimension(), 1.0);
  Rng rng(1);
  EXPECT_EQ(task.predict(x, w), MotifSite{});
  EXPECT_EQ(task.loss_augmented_argmax(x, {}, w), MotifSite{});
  EXPECT_EQ(task.complete(x, {}, w), MotifSite{});
  EXPECT_THROW((void)task.complete(x, {.present = true}, w), InvalidArgument);
  EXPECT_THROW((void)task.random_completion(x, {.present = true}, rng), InvalidArgument);
  EXPECT_THROW((void)task.encode("AC-T"), InvalidArgument);
  EXPECT_THROW((void)MotifTask({.length = 0}), InvalidArgument);
  EXPECT_THROW((void)MotifTask({.order = 6}), InvalidArgument);
}

// Words that share as much with every sequence of a class tell the classes apart for certain, or
// not at all.
TEST(MotifStart, TakesAWordThatTellsForCertain) {
  const MotifTask task({.length = 4, .strands = MotifStrands::one});
  std::vector<BaseString> inputs;
  std::vector<MotifSite> truths;
  for (std::size_t i = 0; i < 10; ++i) {
    inputs.push_back(task.encode(i < 5 ? "ACGTCCCC" : "TTTTCCCC"));
    truths.push_back({.present = i < 5});
  }
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    const Context context{.threads = 1};
    MotifRisk risk(task, inputs, truths, {}, true, context);
    EXPECT_EQ(risk.begin(&rng), Continue::yes);
    // TCCC and CCCC stand in both.
    for (std::size_t i = 0; i < 5; ++i) EXPECT_LT(truths[i].place, 3U) << seed;
  }
}

TEST(MotifStart, IsAskedBeforeEveryWord) {
  const MotifTask task({.length = 4, .strands = MotifStrands::one});
  const std::vector<BaseString> inputs = {task.encode("ACGTCCCC"), task.encode("TTTTCCCC")};
  for (const std::size_t threads : {1U, 2U}) {
    std::vector<MotifSite> truths = {{.present = true, .place = 2}, {}};
    const std::vector<MotifSite> before = truths;
    std::size_t asked = 0;
    const Context context{.threads = threads, .on_progress = [&](const Progress&) {
                            return ++asked == 3 ? Continue::time_is_up : Continue::yes;
                          }};
    MotifRisk risk(task, inputs, truths, {}, true, context);
    Rng rng(1);
    EXPECT_EQ(risk.begin(&rng), Continue::time_is_up);
    // It is not asked again, and nothing was chosen.
    EXPECT_EQ(asked, 3U);
    EXPECT_EQ(truths, before);
  }
}

// The search ends where the choice of its start was ended.
TEST(MotifStart, EndsTheSearchWhereItIsStopped) {
  const MotifTask task({.length = 4, .strands = MotifStrands::one});
  const std::vector<BaseString> inputs = {task.encode("ACGTCCCC"), task.encode("TTTTCCCC")};
  std::vector<MotifSite> truths = {{.present = true}, {}};
  std::size_t asked = 0;
  LatentOptions options{.start = LatentStart::random};
  options.solving.context.on_progress = [&](const Progress&) {
    return ++asked == 3 ? Continue::stop : Continue::yes;
  };
  MotifRisk risk(task, inputs, truths, {}, true, options.solving.context);
  const LatentSolution found = solve_latent(risk, options);
  EXPECT_EQ(found.report.status, Status::stopped_by_callback);
  EXPECT_FALSE(found.report.primal_objective.has_value());
  EXPECT_EQ(asked, 3U);
}

}  // namespace
}  // namespace maxmargin
