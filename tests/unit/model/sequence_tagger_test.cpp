// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/sequence_tagger.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/io/sequence_tagger_file.hpp"
#include "maxmargin/io/structural_state_file.hpp"

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
  for (const Rescaling rescaling : {Rescaling::margin, Rescaling::slack}) {
    double least = std::numeric_limits<double>::infinity();
    double largest_bound = 0;
    for (const StructuralMethod method : {StructuralMethod::block_frank_wolfe,
                                          StructuralMethod::one_slack,
                                          StructuralMethod::n_slack}) {
      const TrainedSequenceTagger trained = train_sequence_tagger(
          data,
          {.solving = {.c = 0.5, .tolerance = 1e-4}, .method = method, .rescaling = rescaling});
      EXPECT_EQ(trained.report.status, Status::solved) << to_string(method);
      const double objective = sequence_objective(trained.model, data, 0.5, rescaling);
      EXPECT_NEAR(objective, *trained.report.primal_objective, 1e-9 * objective);
      least = std::min(least, objective);
      largest_bound = std::max(largest_bound, *trained.report.dual_objective);
    }
    EXPECT_LE(largest_bound, least * (1 + 1e-12));
    EXPECT_LE(least - largest_bound, 1.1e-4 * least);
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

TEST(SequenceTagger, WeightsOfLabelsMoveErrorsElsewhere) {
  const SequenceData data = noisy_chains(60, 4);
  const auto misses_of_a = [&](std::vector<double> weights) {
    const TrainedSequenceTagger trained =
        train_sequence_tagger(data, {.label_weights = std::move(weights)});
    const std::vector<LabelSequence> predicted = trained.model.predict(data.inputs);
    std::size_t misses = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      for (std::size_t t = 0; t < data.labels[i].size(); ++t) {
        misses += data.labels[i][t] == 0 && predicted[i][t] != 0 ? 1U : 0U;
      }
    }
    return misses;
  };
  EXPECT_LT(misses_of_a({10, 1, 1}), misses_of_a({1, 10, 10}));
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
    SequenceTaggerOptions options{.solving = {.c = 2, .tolerance = 1e-6}, .method = method};
    const TrainedSequenceTagger whole = train_sequence_tagger(data, options);
    std::optional<ModelDocument> kept;
    std::size_t asked = 0;
    options.solving.on_checkpoint = [&](const std::function<StructuralState()>& state) {
      if (++asked == 3) kept = state_document(state(), "a run");
    };
    (void)train_sequence_tagger(data, options);
    ASSERT_TRUE(kept) << to_string(method);
    EXPECT_THROW((void)state_of(*kept, "another run"), ModelFormatError);
    const StructuralState state = state_of(*kept, "a run");
    options.solving.on_checkpoint = {};
    const TrainedSequenceTagger resumed = train_sequence_tagger(data, options, &state);
    EXPECT_EQ(resumed.model.weights, whole.model.weights) << to_string(method);
    EXPECT_EQ(resumed.report.primal_objective, whole.report.primal_objective);
    EXPECT_EQ(resumed.report.iterations, whole.report.iterations);
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
  EXPECT_THROW((void)parse_structural_method("newton"), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
