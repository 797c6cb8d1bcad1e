// SPDX-License-Identifier: Apache-2.0
//
// Models that say of their certificate, options or kernel what is not so are not verified.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "changed_model.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/learner/cluster.hpp"
#include "maxmargin/learner/learner.hpp"
#include "small_texts.hpp"

namespace maxmargin {
namespace {

using test::changed;
using test::verified;

Dataset two_classes() { return make_builtin("gaussians,n=30,seed=2"); }

ModelDocument honest_model(const std::string& learner,
                           const std::vector<OptionSetting>& options = {}) {
  return train(learner, two_classes(), options, {.threads = 1}).model->document();
}

void nothing(ModelDocument& /*made*/) {}

TEST(ForgedCertificates, SolvedWithoutADualIsNotSolved) {
  for (const char* const name : {"svc", "linear-svc", "svr", "ramp-svc", "robust-svc"}) {
    SCOPED_TRACE(name);
    const ModelDocument honest = honest_model(name);
    const std::string figure =
        honest.has("training.dual_objective") ? "dual_objective" : "lower_bound";
    // Searches do not say so by themselves.
    const ModelDocument claiming = changed(honest, "training.status", [](ModelDocument& made) {
      made.set_string("training.status", "solved");
    });
    const ModelDocument in_header = changed(claiming, "training." + figure, nothing);
    EXPECT_EQ(verified(in_header, two_classes()).complaint,
              "the model's header says solved, and neither a dual objective nor a lower bound");
    const ModelDocument in_both = changed(in_header, "machines", [&](ModelDocument& made) {
      DenseMatrix table = honest.dense("machines");
      for (std::size_t m = 0; m < table.rows(); ++m) {
        table(m, 5) = table(m, 6) = std::numeric_limits<double>::quiet_NaN();
      }
      made.set_dense("machines", std::move(table));
    });
    const Verification found = verified(in_both, two_classes());
    EXPECT_EQ(found.agrees, false);
    EXPECT_EQ(found.complaint,
              "the model says solved, and neither a dual objective nor a lower bound");
  }
}

TEST(ForgedCertificates, TheGapOfSolvedIsTheOneFound) {
  // Stopped far from the solution, and said to be solved.
  const ModelDocument honest = honest_model("svc", {{"max-iterations", 3}, {"C", 100}});
  ASSERT_EQ(honest.string("training.status"), "iteration_limit");
  const ModelDocument forged = changed(honest, "training.status", [](ModelDocument& made) {
    made.set_string("training.status", "solved");
  });
  EXPECT_TRUE(verified(forged, two_classes()).complaint.starts_with("the relative gap is "));
}

TEST(ForgedCertificates, AViolationIsAnExcuseOfOlderModelsAlone) {
  // Ended at a violation, far from the gap: new models say solved_inaccurate then.
  const ModelDocument honest = honest_model("svc", {{"kkt-tolerance", 0.9}, {"C", 100}});
  ASSERT_EQ(honest.string("training.status"), "solved_inaccurate");
  EXPECT_EQ(verified(honest, two_classes()).agrees, true);
  const ModelDocument forged = changed(honest, "training.status", [](ModelDocument& made) {
    made.set_string("training.status", "solved");
  });
  EXPECT_TRUE(verified(forged, two_classes()).complaint.starts_with("the relative gap is "));
  for (const char* const version : {"0.1.0", "0.1.9"}) {
    const ModelDocument older = changed(
        forged, "library", [&](ModelDocument& made) { made.set_string("library", version); });
    EXPECT_EQ(verified(older, two_classes()).agrees, true) << version;
  }
  for (const char* const version : {"0.2.0", "0.10.0", "1.0.0", "0.x"}) {
    const ModelDocument newer = changed(
        forged, "library", [&](ModelDocument& made) { made.set_string("library", version); });
    EXPECT_EQ(verified(newer, two_classes()).agrees, false) << version;
  }
}

void expect_complaint(const ModelDocument& honest,
                      const std::string& option,
                      const test::Change& change,
                      const std::string& start) {
  SCOPED_TRACE(honest.learner() + " " + option);
  EXPECT_EQ(verified(honest, two_classes()).agrees, true);
  const Verification found = verified(changed(honest, option, change), two_classes());
  EXPECT_EQ(found.agrees, false);
  EXPECT_TRUE(found.complaint.starts_with(start)) << found.complaint;
}

TEST(ForgedOptions, TheHeaderSaysWhatTheBodyIs) {
  const auto number = [](const char* name, double value) {
    return [=](ModelDocument& made) { made.set_number(name, value); };
  };
  const auto text = [](const char* name, const char* value) {
    return [=](ModelDocument& made) { made.set_string(name, value); };
  };
  for (const char* const name : {"svc", "svr", "lp-svc", "kernel-kmeans", "spectral", "mmc"}) {
    std::vector<OptionSetting> options = {{"gamma", 0.1}};
    if (learner(name).info().task == Task::cluster) options.emplace_back("k", 2);
    expect_complaint(honest_model(name, options),
                     "option.gamma",
                     number("option.gamma", 5),
                     "the header's gamma is 5, the kernel's is 0.1");
  }
  const ModelDocument poly = honest_model("svc", {{"kernel", "poly"}, {"degree", 2}});
  expect_complaint(
      poly,
      "option.degree",
      [](ModelDocument& made) { made.set_integer("option.degree", 7); },
      "the header's degree is 7, the kernel's is 2");
  expect_complaint(poly,
                   "option.coef0",
                   number("option.coef0", 1),
                   "the header's coef0 is 1, the kernel's is 0");
  expect_complaint(honest_model("svc", {{"kernel", "rbf(gamma=0.2) + linear"}}),
                   "option.kernel",
                   text("option.kernel", "rbf(gamma=0.3) + linear"),
                   "the header's kernel is rbf(gamma=0.3) + linear, the kernel's is rbf(");
  for (const char* const name : {"mmc", "mmc-alternating", "mmc-cutting-plane"}) {
    const ModelDocument honest = honest_model(name, {{"k", 2}});
    expect_complaint(
        honest, "option.C", number("option.C", 3), "the header's C is 3, the model's is 100");
    expect_complaint(honest,
                     "option.bias",
                     text("option.bias", "none"),
                     "the header's bias is none, the model's is center");
  }
}

/// The section with another first number.
test::Change with_first(const ModelDocument& honest, const std::string& section) {
  return [&honest, section](ModelDocument& made) {
    std::vector<double> numbers = honest.numbers(section);
    numbers.front() += 0.01;
    made.set_numbers(section, std::move(numbers));
  };
}

TEST(ForgedKernels, MeansAndRowsAreThoseOfTheTraining) {
  const std::vector<OptionSetting> scaled = {{"kernel", "center(rbf(gamma=0.2))"},
                                             {"scale", "standard"}};
  for (const char* const name : {"svc", "kernel-kmeans"}) {
    std::vector<OptionSetting> options = scaled;
    if (learner(name).info().task == Task::cluster) options.emplace_back("k", 2);
    const ModelDocument honest = honest_model(name, options);
    expect_complaint(honest,
                     "kernel.row_means",
                     with_first(honest, "kernel.row_means"),
                     "the kernel's mean over row 0 (from 0) is ");
  }
  const ModelDocument honest = honest_model("svc", {{"kernel", "iterate(rbf(gamma=0.2))"}});
  expect_complaint(
      honest,
      "kernel.rows",
      [&](ModelDocument& made) {
        DenseMatrix rows = honest.dense("kernel.rows");
        rows(3, 0) += 0.01;
        made.set_dense("kernel.rows", std::move(rows));
      },
      "row 3 (from 0) of the kernel is not that of the data");
}

/// Two classes at 1,000 times their spread from 0.
Dataset far_classes() {
  Dataset data = two_classes();
  DenseMatrix x = data.examples.to_dense();
  for (double& value : x.values()) value += 4096;
  data.examples = std::move(x);
  return data;
}

constexpr const char* moved_complaint =
    "the kernel's examples are moved, which without a free offset is another problem";

TEST(ForgedKernels, ExamplesAreMovedOnlyWhereTheOffsetIsFree) {
  const Dataset data = far_classes();
  const auto says = [&](const ModelDocument& document) {
    return verified(document, data).complaint;
  };
  // What the machine with an offset may be is said to be one without.
  const auto svc = train("svc", data, {{"kernel", "linear"}, {"C", 0.1}}, {.threads = 1});
  const ModelDocument with_offset = svc.model->document();
  ASSERT_TRUE(with_offset.has("kernel.origin"));
  EXPECT_EQ(verified(with_offset, data).agrees, true);
  EXPECT_EQ(says(changed(with_offset,
                         "option.bias",
                         [](ModelDocument& made) { made.set_boolean("option.bias", false); })),
            moved_complaint);
  const auto robust =
      train("robust-svc", data, {{"kernel", "linear"}, {"bias", "center"}}, {.threads = 1});
  const ModelDocument centred = robust.model->document();
  ASSERT_TRUE(centred.has("kernel.origin"));
  EXPECT_NE(verified(centred, data).agrees, false);
  for (const char* const bias : {"none", "constant"}) {
    EXPECT_EQ(says(changed(centred,
                           "option.bias",
                           [&](ModelDocument& made) { made.set_string("option.bias", bias); })),
              moved_complaint);
  }
}

TEST(ForgedKernels, AnOriginIsNotAddedToAMachineWithoutOffset) {
  const ModelDocument honest =
      honest_model("svc", {{"kernel", "linear"}, {"no-bias", true}, {"C", 0.1}});
  ASSERT_FALSE(honest.has("kernel.origin"));
  EXPECT_EQ(verified(honest, two_classes()).agrees, true);
  const ModelDocument forged = changed(honest, "kernel", [](ModelDocument& made) {
    made.set_string("kernel", "scaled-inputs");
    made.set_string("kernel.of", "linear");
    made.set_numbers("kernel.weights", {1, 1});
    made.set_numbers("kernel.origin", {0.5, -0.5});
  });
  EXPECT_EQ(verified(forged, two_classes()).complaint, moved_complaint);
}

/// Four positions, each of one feature of value 1 or of two others.
LearnerData positions(bool are_symbols) {
  SequenceData numbers{.labels = {{0, 1, 0, 1}}, .label_names = {"a", "b"}, .features = 2};
  Sequence x;
  x.begins = {0};
  for (const double value : {1.0, 2.0, 1.5, 3.0}) {
    for (std::uint32_t feature = 0; feature < 2; ++feature) {
      if (are_symbols && feature != x.size() % 2) continue;
      x.indices.push_back(feature);
      x.values.push_back(are_symbols ? 1 : value + feature * value * value);
    }
    x.begins.push_back(x.indices.size());
  }
  numbers.inputs.push_back(std::move(x));
  return SequenceCollection{.format = SequenceFormat::svmhmm, .numbers = std::move(numbers)};
}

void expect_refusal(const ModelDocument& forged, const LearnerData& data, const char* problem) {
  SCOPED_TRACE(problem);
  const Model model(forged);
  for (const bool verifies : {false, true}) {
    try {
      if (verifies) {
        (void)model.learner().verify(model, data, {});
      } else {
        (void)model.learner().predict(model, data, {}, {});
      }
      ADD_FAILURE() << verifies;
    } catch (const ModelFormatError& error) {
      EXPECT_NE(std::string(error.what()).find(problem), std::string::npos) << error.what();
    }
  }
}

// What the names say and what the tables have are one thing.
TEST(ForgedHmms, NamesFitTheTables) {
  for (const bool are_symbols : {true, false}) {
    const LearnerData data = positions(are_symbols);
    const ModelDocument honest =
        learner("hmm").train(data, {.context = {.threads = 1}}).model->document();
    ASSERT_EQ(honest.string("emission_kind"), are_symbols ? "discrete" : "gaussian");
    const Model model(honest);
    EXPECT_EQ(model.learner().verify(model, data, {}).agrees, true);
    expect_refusal(changed(honest,
                           "labels",
                           [](ModelDocument& made) {
                             made.set_strings("labels", {"a", "b", "c"});
                           }),
                   data,
                   "'labels' are not as many as the states");
    ModelDocument one_label =
        changed(honest, "labels", [](ModelDocument& made) { made.set_strings("labels", {"a"}); });
    expect_refusal(changed(one_label,
                           "known_labels",
                           [](ModelDocument& made) { made.set_integer("known_labels", 1); }),
                   data,
                   "'labels' are not as many as the states");
    expect_refusal(changed(honest,
                           "emission_kind",
                           [&](ModelDocument& made) {
                             made.set_string("emission_kind",
                                             are_symbols ? "gaussian" : "discrete");
                           }),
                   data,
                   "'emission_kind' is not that of the tables");
    for (const std::int64_t features : {-1, 0, 1, 3}) {
      const ModelDocument forged = changed(
          honest, "features", [&](ModelDocument& made) { made.set_integer("features", features); });
      const Model made(forged);
      EXPECT_THROW((void)made.learner().predict(made, data, {}, {}), ModelFormatError) << features;
    }
  }
}

TEST(ForgedHmms, TextHasSymbolsInAColumn) {
  const LearnerData data = SequenceCollection{.text = tagged_text("a/X b/Y a/X\nb/Y b/X")};
  const ModelDocument honest =
      learner("hmm").train(data, {.context = {.threads = 1}}).model->document();
  const Model model(honest);
  EXPECT_EQ(model.learner().verify(model, data, {}).agrees, true);
  expect_refusal(changed(honest,
                         "text.symbol_column",
                         [](ModelDocument& made) { made.set_integer("text.symbol_column", 0); }),
                 data,
                 "'text.symbol_column' is not a column");
  expect_refusal(changed(honest,
                         "emission_kind",
                         [](ModelDocument& made) { made.set_string("emission_kind", "gaussian"); }),
                 data,
                 "'is_text' is not what has vectors");
  // Nor does the objective read a symbol that the tables have not.
  const LearnerData other = SequenceCollection{.text = tagged_text("a/X zzz/Y a/X\nb/Y b/X")};
  try {
    (void)model.learner().verify(model, other, {});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "the data has symbols that the model's training data has not, at 1 of 5 "
                 "positions");
  }
}

}  // namespace
}  // namespace maxmargin
