// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/structured/sequence_tagger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "io/model/structured_file.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/rng.hpp"
#include "structural_training.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

/// Positions with one feature, which says the label with some noise; a label likes to stay.
SequenceData noisy_chains(std::size_t count, std::uint64_t seed) {
  Rng rng(seed, "noisy chains");
  SequenceData data{.label_names = {"a", "b", "c"}, .features = 3, .source = "chains"};
  for (std::size_t i = 0; i < count; ++i) {
    Sequence x;
    LabelSequence y;
    std::uint32_t label = static_cast<std::uint32_t>(rng.index(3));
    for (std::size_t t = 0; t < 3 + i % 5; ++t) {
      if (rng.uniform(0, 1) < 0.3) label = static_cast<std::uint32_t>(rng.index(3));
      y.push_back(label);
      const bool right = rng.uniform(0, 1) < 0.8;
      x.indices.push_back(right ? label : static_cast<std::uint32_t>(rng.index(3)));
      x.begins.push_back(x.indices.size());
    }
    data.inputs.push_back(std::move(x));
    data.labels.push_back(std::move(y));
  }
  return data;
}

TEST(SequenceTagger, MethodsAgreeWithinTheirGaps) {
  const SequenceData data = noisy_chains(40, 1);
  const StructuralOptions solving = {.c = 0.5, .tolerance = 1e-4};
  for (const Rescaling rescaling : {Rescaling::margin, Rescaling::slack}) {
    testing::expect_methods_agree(
        solving.tolerance,
        [&](StructuralMethod method) {
          return train_sequence_tagger(
              data, {.solving = solving, .method = method, .rescaling = rescaling});
        },
        [&](const SequenceTagger& found) {
          return sequence_objective(found, data, solving.c, rescaling);
        });
  }
}

TEST(SequenceTagger, BeatsTheMostFrequentLabelOnNewData) {
  const TrainedSequenceTagger trained = train_sequence_tagger(noisy_chains(60, 2));
  const SequenceData fresh = noisy_chains(60, 3);
  const std::vector<LabelSequence> predicted = trained.model.predict(fresh.inputs, 2);
  double right = 0;
  double all = 0;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    for (std::size_t t = 0; t < fresh.labels[i].size(); ++t) {
      right += predicted[i][t] == fresh.labels[i][t] ? 1 : 0;
      ++all;
    }
  }
  EXPECT_GT(right / all, 0.75);
  EXPECT_EQ(predicted, trained.model.predict(fresh.inputs, 1));
}

/// The same with a measurement in place of a word: feature l is a normal number around 1 at label
/// l, around 0 elsewhere.
SequenceData measured_chains(std::size_t count, std::uint64_t seed) {
  SequenceData data = noisy_chains(count, seed);
  Rng rng(seed, "measured chains");
  for (std::size_t i = 0; i < data.size(); ++i) {
    Sequence x;
    for (const std::uint32_t label : data.labels[i]) {
      for (std::uint32_t l = 0; l < 3; ++l) {
        x.indices.push_back(l);
        x.values.push_back((l == label ? 1.0 : 0.0) + 0.5 * rng.normal());
      }
      x.begins.push_back(x.indices.size());
    }
    data.inputs[i] = std::move(x);
  }
  return data;
}

// Why measurements: take one position and two labels whose errors cost p and q. Margin rescaling
// asks for score differences of p and -q where a plain machine asks for 1 and -1, so it is that
// machine shifted by (p - q) / 2 and scaled by (p + q) / 2: its border lies where the plain one
// says (q - p) / (p + q), -9/11 for 10 and 1. Errors move if inputs lie between. Words do not: the
// plain machine gives every word a score of 1 or -1. Slack rescaling multiplies losses by the
// cost, as the class weights of an SVM do, and moves both.
TEST(SequenceTagger, WeightsOfLabelsMoveErrorsElsewhere) {
  const SequenceData data = measured_chains(60, 4);
  struct Misses {
    std::size_t of_a = 0;
    std::size_t of_others = 0;
  };
  for (const Rescaling rescaling : {Rescaling::margin, Rescaling::slack}) {
    const auto misses = [&](std::vector<double> weights) {
      const TrainedSequenceTagger trained = train_sequence_tagger(
          data, {.rescaling = rescaling, .label_weights = std::move(weights)});
      const std::vector<LabelSequence> predicted = trained.model.predict(data.inputs);
      Misses found;
      for (std::size_t i = 0; i < data.size(); ++i) {
        for (std::size_t t = 0; t < data.labels[i].size(); ++t) {
          if (data.labels[i][t] == predicted[i][t]) continue;
          ++(data.labels[i][t] == 0 ? found.of_a : found.of_others);
        }
      }
      return found;
    };
    const Misses costly = misses({10, 1, 1});
    const Misses cheap = misses({1, 10, 10});
    EXPECT_LT(costly.of_a, cheap.of_a);
    EXPECT_GT(costly.of_others, cheap.of_others);
  }
}

/// 1/2 |w|^2 - C sum of log p(y | x), from all labellings and the task's own scores.
double enumerated_log_objective(const SequenceTagger& tagger, const SequenceData& data, double c) {
  double sum = 0;
  for (const double weight : tagger.weights) sum += 0.5 * weight * weight;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double own = tagger.task.score(data.inputs[i], data.labels[i], tagger.weights);
    double total = 0;
    tagger.task.for_each_output(data.inputs[i], [&](const LabelSequence& y) {
      total += std::exp(tagger.task.score(data.inputs[i], y, tagger.weights) - own);
    });
    sum += c * std::log(total);
  }
  return sum;
}

// The CRF has a layout of weights of its own: if one came to another's place, the task's scores
// would give another objective. Positions, labels and features are of different numbers.
TEST(SequenceTagger, CrfHasTheObjectiveThatEnumerationSays) {
  SequenceData data = noisy_chains(30, 8);
  data.features = 5;  // two that are never seen
  for (const double c : {0.2, 2.0}) {
    const TrainedSequenceTagger trained = train_sequence_tagger(
        data, {.criterion = SequenceCriterion::log_loss, .solving = {.c = c, .tolerance = 1e-6}});
    EXPECT_EQ(trained.report.status, Status::solved);
    EXPECT_FALSE(trained.report.dual_objective);
    const double objective = enumerated_log_objective(trained.model, data, c);
    EXPECT_NEAR(*trained.report.primal_objective, objective, 1e-10 * objective);
    EXPECT_NEAR(sequence_log_objective(trained.model, data, c), objective, 1e-10 * objective);
    EXPECT_LE(*trained.report.relative_gap(), 1e-6);
    // No other weights are below the bound; wrong places would be.
    Rng rng(9);
    SequenceTagger other = trained.model;
    for (std::size_t round = 0; round < 20; ++round) {
      for (std::size_t j = 0; j < other.weights.size(); ++j) {
        other.weights[j] = trained.model.weights[j] + 0.05 * rng.normal();
      }
      EXPECT_GE(enumerated_log_objective(other, data, c), *trained.report.lower_bound);
    }
  }
}

TEST(SequenceTagger, PerceptronEndsWithoutAMistakeWhereThereIsNone) {
  SequenceData data = noisy_chains(40, 10);
  // Words that never lie.
  for (std::size_t i = 0; i < data.size(); ++i) data.inputs[i].indices = data.labels[i];
  const TrainedSequenceTagger trained =
      train_sequence_tagger(data, {.criterion = SequenceCriterion::perceptron});
  EXPECT_EQ(trained.report.status, Status::solved);
  EXPECT_EQ(trained.report.primal_objective, 0.0);
  EXPECT_FALSE(trained.report.gap());
  EXPECT_EQ(trained.model.predict(data.inputs), data.labels);
}

TEST(SequenceTagger, BaselinesRefuseWhatTheHingeAloneKnows) {
  SequenceData data = noisy_chains(5, 11);
  const StructuralState state;
  for (const SequenceCriterion criterion :
       {SequenceCriterion::log_loss, SequenceCriterion::perceptron}) {
    EXPECT_THROW(
        (void)train_sequence_tagger(data, {.criterion = criterion, .rescaling = Rescaling::slack}),
        InvalidArgument);
    EXPECT_THROW(
        (void)train_sequence_tagger(data, {.criterion = criterion, .label_weights = {1, 2, 3}}),
        InvalidArgument);
    EXPECT_THROW((void)train_sequence_tagger(data, {.criterion = criterion}, &state),
                 InvalidArgument);
  }
  const SequenceTaggerOptions crf{.criterion = SequenceCriterion::log_loss};
  SequenceTaggerOptions wrong = crf;
  wrong.order = 2;
  EXPECT_THROW((void)train_sequence_tagger(data, wrong), InvalidArgument);
  wrong = crf;
  wrong.solving.context.memory_limit = 100;
  EXPECT_THROW((void)train_sequence_tagger(data, wrong), InvalidArgument);
  data.step_features = 1;
  EXPECT_THROW((void)train_sequence_tagger(data, crf), InvalidArgument);
  wrong = {.criterion = SequenceCriterion::perceptron, .order = 2};
  EXPECT_NO_THROW((void)train_sequence_tagger(data, wrong));
}

TEST(SequenceTagger, ComesBackFromAFileAsItWas) {
  const TrainedSequenceTagger trained =
      train_sequence_tagger(noisy_chains(20, 5), {.order = 2, .label_weights = {1, 2, 3}});
  ModelDocument document("sequence");
  add_sequence_tagger(document, trained.model);
  const SequenceTagger back = sequence_tagger_of(document);
  EXPECT_EQ(back.weights, trained.model.weights);
  EXPECT_EQ(back.label_names, trained.model.label_names);
  EXPECT_EQ(back.task.options().costs, trained.model.task.options().costs);
  EXPECT_EQ(back.task.dimension(), trained.model.task.dimension());
  ModelDocument broken("sequence");
  broken.set_strings("labels", {"a"});
  EXPECT_THROW((void)sequence_tagger_of(broken), ModelFormatError);
}

TEST(SequenceTagger, GoesOnFromAStateInAFileToTheSameBits) {
  const SequenceData data = noisy_chains(40, 6);
  for (const StructuralMethod method : {StructuralMethod::block_frank_wolfe,
                                        StructuralMethod::one_slack,
                                        StructuralMethod::n_slack,
                                        StructuralMethod::subgradient}) {
    const SequenceTaggerOptions options{.solving = {.c = 2, .tolerance = 1e-6}, .method = method};
    testing::expect_goes_on_from_a_file(
        options, 3, [&](const SequenceTaggerOptions& own, const StructuralState* start) {
          return train_sequence_tagger(data, own, start);
        });
  }
}

TEST(SequenceTagger, UglyInputIsRefused) {
  EXPECT_THROW((void)train_sequence_tagger({}), InvalidArgument);
  SequenceData data = noisy_chains(3, 7);
  data.labels.pop_back();
  EXPECT_THROW((void)train_sequence_tagger(data), InvalidArgument);
  data = noisy_chains(3, 7);
  data.labels.front().pop_back();
  EXPECT_THROW((void)train_sequence_tagger(data), InvalidArgument);
  data = noisy_chains(3, 7);
  EXPECT_THROW((void)train_sequence_tagger(data, {.label_weights = {1}}), InvalidArgument);
  EXPECT_THROW((void)train_sequence_tagger(data, {.chunks = ChunkScheme::iob2}), InvalidArgument);
  EXPECT_THROW((void)parse_name<StructuralMethod>("newton", "solver"), InvalidArgument);
}

// What argmaxes on all threads need at most is 7/8 of what two vectors of weights leave: planes
// need room, too.
TEST(SequenceTagger, TablesOfArgmaxesCountWithinTheMemoryLimit) {
  SequenceData data = noisy_chains(30, 8);
  // One long sequence, of which slack rescaling makes a table of length^2 / 2 rows.
  Sequence x;
  LabelSequence y;
  for (std::uint32_t t = 0; t < 300; ++t) {
    y.push_back(t / 7 % 3);
    x.indices.push_back(t / 7 % 3);
    x.begins.push_back(x.indices.size());
  }
  data.inputs.push_back(x);
  data.labels.push_back(y);
  const ChainTask task({.labels = 3, .features = 3});
  const std::size_t weights = 2 * 8 * task.dimension();
  const std::size_t table = task.loss_scaled_argmax_bytes(x, y);
  EXPECT_GT(table, 100 * task.argmax_bytes(x) / 2);
  SequenceTaggerOptions options{.solving = {.c = 0.5, .tolerance = 1e-2, .context = {.threads = 2}},
                                .rescaling = Rescaling::slack};
  // The other thread has a short one.
  std::size_t both = 0;
  for (std::size_t i = 0; i + 1 < data.size(); ++i) {
    both = std::max(both, table + task.loss_scaled_argmax_bytes(data.inputs[i], data.labels[i]));
  }
  EXPECT_LT(both, table + table / 100);
  const std::size_t needed = weights + (8 * both + 6) / 7;
  options.solving.context.memory_limit = needed - 1;
  const std::string said =
      problem_of<InvalidArgument>([&] { (void)train_sequence_tagger(data, options); });
  EXPECT_NE(said.find("with argmaxes on 2 threads and room for planes needs "), said.npos) << said;
  EXPECT_NE(said.find("use fewer threads, smaller inputs or margin rescaling"), said.npos) << said;
  // The room for planes does not depend on the threads, nor does the answer.
  options.solving.context.memory_limit = needed;
  const TrainedSequenceTagger two = train_sequence_tagger(data, options);
  EXPECT_EQ(two.report.status, Status::solved);
  options.solving.context.threads = 1;
  EXPECT_EQ(train_sequence_tagger(data, options).model.weights, two.model.weights);
  options.solving.context.memory_limit = table;
  EXPECT_NE(problem_of<InvalidArgument>([&] {
              (void)train_sequence_tagger(data, options);
            }).find(": use smaller inputs or margin rescaling"),
            std::string::npos);
  options.rescaling = Rescaling::margin;
  EXPECT_EQ(train_sequence_tagger(data, options).report.status, Status::solved);
}

TEST(SequenceTagger, ThePerceptronKeepsTheMemoryLimit) {
  const SequenceData data = noisy_chains(20, 9);
  SequenceTaggerOptions options{.criterion = SequenceCriterion::perceptron};
  const TrainedSequenceTagger free = train_sequence_tagger(data, options);
  const ChainTask& task = free.model.task;
  std::size_t table = 0;
  for (const Sequence& x : data.inputs) table = std::max(table, task.argmax_bytes(x));
  options.solving.context.memory_limit = 2 * 8 * task.dimension() + table;
  EXPECT_EQ(train_sequence_tagger(data, options).model.weights, free.model.weights);
  --*options.solving.context.memory_limit;
  EXPECT_NE(problem_of<InvalidArgument>([&] {
              (void)train_sequence_tagger(data, options);
            }).find("a structured perceptron of 24 weights needs "),
            std::string::npos);
}

TEST(SequenceTagger, SolverIsCriterionAndMethodInOneName) {
  SequenceTaggerOptions options;
  EXPECT_EQ(options.solver(), "bcfw");
  set_options(options, {{"solver", "crf"}, {"order", "1"}}, "a test");
  EXPECT_EQ(options.criterion, SequenceCriterion::log_loss);
  EXPECT_TRUE(options.reports_objective());
  set_options(options, {{"solver", "mira"}, {"chunks", "iobes"}}, "a test");
  EXPECT_EQ(options.criterion, SequenceCriterion::hinge);
  EXPECT_EQ(options.method, StructuralMethod::mira);
  EXPECT_FALSE(options.reports_objective());
  OptionTexts texts;
  for (const auto& [key, value] : option_values(options)) {
    std::string name = key;
    std::ranges::replace(name, '_', '-');
    texts.emplace_back(name, text_of(value));
  }
  SequenceTaggerOptions again;
  set_options(again, texts, "a test");
  EXPECT_EQ(option_values(again), option_values(options));
  EXPECT_THROW(set_options(again, {{"solver", "hinge"}}, "a test"), InvalidArgument);
  EXPECT_THROW(set_options(again, {{"order", "3"}}, "a test"), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
