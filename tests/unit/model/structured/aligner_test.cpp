// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/structured/aligner.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "io/model/structured_file.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/data/generators.hpp"
#include "structural_training.hpp"

namespace maxmargin {
namespace {

AlignmentData planted(std::size_t pairs, std::uint64_t seed) {
  return generate_alignments({.pairs = pairs, .length = 15, .identity = 0.6, .seed = seed});
}

TEST(Aligner, MethodsAgreeWithinTheirGaps) {
  const AlignmentData data = planted(8, 1);
  for (const AlignmentKind kind : {AlignmentKind::global, AlignmentKind::local}) {
    const AlignmentOptions model = {.gap_opening = true, .kind = kind, .rule = q4_rule};
    const StructuralOptions solving = {.c = 20, .tolerance = 1e-3};
    testing::expect_methods_agree(
        solving.tolerance,
        [&](StructuralMethod method) {
          return train_aligner(data, {.solving = solving, .method = method, .alignment = model});
        },
        [&](const Aligner& found) { return aligner_objective(found, data, solving.c); });
  }
}

TEST(Aligner, PredictionsDoNotDependOnThreads) {
  const AlignmentData data = planted(10, 2);
  const TrainedAligner trained = train_aligner(data, {.solving = {.c = 100, .tolerance = 0.05}});
  const std::vector<Alignment> found = trained.model.predict(data.inputs, 1);
  EXPECT_EQ(found, trained.model.predict(data.inputs, 3));
  EXPECT_GT(mean_alignment_quality(data.references, found), 0.7);
}

// A pair without a match has no loss: the rest must be learned as if it were not there.
TEST(Aligner, PairsWithoutAMatchAreLeftOutWithAWarning) {
  const AlignmentData data = planted(6, 3);
  AlignmentData more = data;
  more.inputs.insert(more.inputs.begin() + 2, SequencePair{{"s", "AC"}, {"t", "D"}});
  more.references.insert(more.references.begin() + 2, alignment_of_rows("AC-", "--D"));
  const AlignerOptions options = {.solving = {.c = 10}};
  const TrainedAligner plain = train_aligner(data, options);
  const TrainedAligner other = train_aligner(more, options);
  EXPECT_EQ(plain.model.weights, other.model.weights);
  EXPECT_TRUE(plain.report.warnings.empty());
  EXPECT_EQ(other.report.warnings.size(), 1u);
  EXPECT_EQ(table_aligner(data).gap, table_aligner(more).gap);
}

TEST(Aligner, ComesBackFromAFileAsItWas) {
  const AlignmentData data = planted(4, 4);
  for (const AlignmentOptions& model :
       {AlignmentOptions{.substitution = SubstitutionModel::window,
       .gaps = GapModel::context,
       .gap_opening = true,
       .kind = AlignmentKind::local,
       .normalise = false,
       .rule = {.shift = 2, .side = AlignmentSide::known}},
        AlignmentOptions{.substitution = SubstitutionModel::residue_windows,
        .symmetric = true,
        .gaps = GapModel::residues,
        .free_end_gaps = true}}) {
    const TrainedAligner trained =
        train_aligner(data, {.solving = {.c = 10, .tolerance = 0.1}, .alignment = model});
    ModelDocument document("align");
    add_aligner(document, trained.model);
    const Aligner back = aligner_of(document);
    EXPECT_EQ(back.weights, trained.model.weights);
    const AlignmentOptions& options = back.task.options();
    EXPECT_EQ(options.substitution, model.substitution);
    EXPECT_EQ(options.symmetric, model.symmetric);
    EXPECT_EQ(options.gaps, model.gaps);
    EXPECT_EQ(options.gap_opening, model.gap_opening);
    EXPECT_EQ(options.kind, model.kind);
    EXPECT_EQ(options.free_end_gaps, model.free_end_gaps);
    EXPECT_EQ(options.normalise, model.normalise);
    EXPECT_EQ(options.rule.shift, model.rule.shift);
    EXPECT_EQ(options.rule.side, model.rule.side);
    EXPECT_EQ(back.predict(data.inputs), trained.model.predict(data.inputs));
  }
}

/// A small model whose field `name` is what `change` makes of it.
template <class Change>
ModelDocument broken_document(const Change& change) {
  ModelDocument document("align");
  add_aligner(document, table_aligner(planted(2, 5)).model);
  ModelDocument broken("align");
  for (const ModelDocument::Field& field : document.fields()) {
    std::visit([&](const auto& value) { change(broken, field.name, value); }, field.value);
  }
  broken.set_sparse("weights", document.sparse("weights"));
  return broken;
}

void set(ModelDocument& to, const std::string& name, const std::string& value) {
  to.set_string(name, value);
}
void set(ModelDocument& to, const std::string& name, std::int64_t value) {
  to.set_integer(name, value);
}
void set(ModelDocument& to, const std::string& name, double value) { to.set_number(name, value); }
void set(ModelDocument& to, const std::string& name, bool value) { to.set_boolean(name, value); }

TEST(Aligner, BrokenFilesAreRefused) {
  const auto whole = broken_document(
      [](ModelDocument& to, const std::string& name, const auto& value) { set(to, name, value); });
  EXPECT_NO_THROW((void)aligner_of(whole));
  // Another model has another number of weights; names and missing fields.
  for (const std::string wrong : {"simple", "nonsense", ""}) {
    const auto broken =
        broken_document([&](ModelDocument& to, const std::string& name, const auto& value) {
          if (name != "substitution") {
            set(to, name, value);
          } else if (!wrong.empty()) {
            to.set_string(name, wrong);
          }
        });
    EXPECT_THROW((void)aligner_of(broken), ModelFormatError) << wrong;
  }
}

TEST(Aligner, GoesOnFromAStateInAFileToTheSameBits) {
  const AlignmentData data = planted(8, 6);
  for (const StructuralMethod method :
       {StructuralMethod::block_frank_wolfe, StructuralMethod::one_slack}) {
    const AlignerOptions options{.solving = {.c = 50, .tolerance = 1e-4}, .method = method};
    testing::expect_goes_on_from_a_file(
        options, 2, [&](const AlignerOptions& own, const StructuralState* start) {
          return train_aligner(data, own, start);
        });
  }
}

TEST(Aligner, TablesHaveTheirGaps) {
  const AlignmentData data = planted(10, 7);
  const AlignmentOptions affine = {.gap_opening = true, .free_end_gaps = true};
  const TabledAligner tuned = table_aligner(data, {.alignment = affine});
  EXPECT_EQ(tuned.tried, 24u);
  EXPECT_EQ(tuned.model.weights, blosum62_weights(tuned.model.task, tuned.gap, tuned.opening));
  const auto quality = [&](const TabledAligner& aligner) {
    return mean_alignment_quality(data.references, aligner.model.predict(data.inputs));
  };
  const TabledAligner given =
      table_aligner(data, {.alignment = affine, .gaps = GapGrid{.gaps = {-1}, .openings = {-10}}});
  EXPECT_EQ(given.gap, -1);
  EXPECT_EQ(given.opening, -10);
  // The tuned grid has this point.
  EXPECT_GE(quality(tuned), quality(given));
  const TabledAligner counted =
      table_aligner(data, {.table = SubstitutionTable::log_odds, .alignment = affine});
  EXPECT_EQ(counted.model.weights,
            log_odds_weights(counted.model.task, data.inputs, data.references));
  EXPECT_EQ(counted.tried, 0u);
  EXPECT_LT(counted.opening, 0);
  EXPECT_EQ(table_aligner(data, {}, 1).model.weights, table_aligner(data, {}, 3).model.weights);
}

TEST(Aligner, UglyInputIsRefused) {
  EXPECT_THROW((void)train_aligner({}), InvalidArgument);
  AlignmentData data = planted(3, 8);
  data.references.pop_back();
  EXPECT_THROW((void)train_aligner(data), InvalidArgument);
  EXPECT_THROW((void)table_aligner(data), InvalidArgument);
  data.references.clear();
  EXPECT_THROW((void)train_aligner(data), InvalidArgument);
  // No match anywhere.
  data = {.inputs = {{{"s", "AC"}, {"t", "D"}}}, .references = {alignment_of_rows("AC-", "--D")}};
  EXPECT_THROW((void)train_aligner(data), InvalidArgument);
  // No tracks for a model that needs them.
  data.references = {alignment_of_rows("AC", "D-")};
  EXPECT_NO_THROW((void)train_aligner(data));
  EXPECT_THROW(
      (void)train_aligner(data, {.alignment = {.substitution = SubstitutionModel::simple}}),
      InvalidArgument);
  EXPECT_THROW((void)table_aligner(data, {.alignment = {.gaps = GapModel::residues}}),
               InvalidArgument);
  EXPECT_FALSE(value_named<SubstitutionModel>("anova3"));
  EXPECT_FALSE(value_named<GapModel>("affine"));
  EXPECT_FALSE(value_named<AlignmentKind>("glocal"));
}

TEST(Aligner, NamesOfModelsReadBack) {
  for (int k = 0; k < 8; ++k) {
    const auto model = static_cast<SubstitutionModel>(k);
    EXPECT_EQ(value_named<SubstitutionModel>(to_string(model)), model);
  }
  EXPECT_EQ(to_string(SubstitutionModel::profile), "profile");
  EXPECT_EQ(to_string(SubstitutionModel::residue_windows), "residue-windows");
  EXPECT_EQ(value_named<GapModel>("context"), GapModel::context);
  EXPECT_EQ(value_named<AlignmentKind>("local"), AlignmentKind::local);
}

TEST(Aligner, TablesOfLongSequencesCountWithinTheMemoryLimit) {
  AlignmentData data = planted(4, 7);
  const std::string residues(2000, 'A');
  data.inputs.push_back({{.name = "s", .residues = residues}, {.name = "t", .residues = residues}});
  data.references.push_back(alignment_of_rows(residues, residues));
  AlignerOptions options{
      .solving = {.c = 10, .max_passes = 1, .context = {.memory_limit = 4'500'000}}};
  options.solving.context.threads = 1;
  try {
    (void)train_aligner(data, options);
    FAIL();
  } catch (const InvalidArgument& refused) {
    EXPECT_NE(std::string(refused.what())
                  .find("with argmaxes on 1 thread and room for planes needs 5 MiB, more than the "
                        "memory limit of 4 MiB: use smaller inputs"),
              std::string::npos)
        << refused.what();
  }
  // One long pair is not counted once for every thread.
  options.solving.context.memory_limit = 5'000'000;
  for (const std::size_t threads : {1U, 2U, 5U}) {
    options.solving.context.threads = threads;
    EXPECT_NO_THROW((void)train_aligner(data, options));
  }
}

TEST(Aligner, OptionsReadBackFromTheirValues) {
  AlignerOptions options;
  set_options(options,
              {{"substitution", "residue-windows"},
               {"symmetric", "true"},
               {"gaps", "affine"},
               {"end-gaps", "free"},
               {"normalise", "none"},
               {"mode", "local"},
               {"loss", "q4"},
               {"loss-side", "known"}},
              "a test");
  EXPECT_TRUE(options.alignment.gap_opening && options.alignment.free_end_gaps);
  EXPECT_FALSE(options.alignment.normalise);
  EXPECT_EQ(options.alignment.rule.shift, 4u);
  OptionTexts texts;
  for (const auto& [key, value] : option_values(options)) {
    std::string name = key;
    std::ranges::replace(name, '_', '-');
    texts.emplace_back(name, text_of(value));
  }
  AlignerOptions again;
  set_options(again, texts, "a test");
  EXPECT_EQ(option_values(again), option_values(options));
  EXPECT_THROW(set_options(again, {{"gaps", "none"}}, "a test"), InvalidArgument);
  EXPECT_THROW(set_options(again, {{"loss", "p4"}}, "a test"), InvalidArgument);
  again.alignment.substitution = SubstitutionModel::tensor;
  EXPECT_THROW(validate(again), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
