// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/model/scaler_file.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/iris.hpp"
#include "written_bytes.hpp"

namespace maxmargin {
namespace {

/// The scaler after a walk through a file of the given form.
Scaler through_file(const Scaler& scaler, ModelFormat format) {
  ModelDocument model("scaler");
  store_scaler(scaler, model);
  Input input = Input::from_memory(
      "m", written_bytes([&](OutputFile& file) { write_model(model, file, format); }));
  return load_scaler(read_model(input));
}

/// The message of loading, or nothing.
std::string problem_in(const ModelDocument& model) {
  return problem_of<ModelFormatError>([&] { return load_scaler(model); });
}

TEST(ScalerFile, ReadsBackEveryKindBitForBit) {
  const Examples examples = iris().examples;
  const Examples sparse = to_sparse(examples.dense());
  for (const char* text : {"none", "range", "range:0,1", "range:-0.1,1e300", "standard"}) {
    for (const Examples* fitted : {&examples, &sparse}) {
      const Scaler scaler = fit_scaler(*fitted, parse_scaling(text));
      for (const ModelFormat format : {ModelFormat::text, ModelFormat::binary}) {
        const Scaler copy = through_file(scaler, format);
        EXPECT_EQ(to_string(copy.options), to_string(scaler.options)) << text;
        EXPECT_EQ(copy.minimum, scaler.minimum) << text;
        EXPECT_EQ(copy.maximum, scaler.maximum) << text;
        EXPECT_EQ(copy.mean, scaler.mean) << text;
        EXPECT_EQ(copy.deviation, scaler.deviation) << text;
      }
    }
  }
}

TEST(ScalerFile, AModelWithoutScalerGivesTheKindNone) {
  const Scaler scaler = load_scaler(ModelDocument("svc"));
  EXPECT_EQ(scaler.options.kind, ScalingKind::none);
  EXPECT_EQ(scaler.features(), 0u);
}

TEST(ScalerFile, WhatDoesNotFitTogetherIsRefusedWithTheFile) {
  const auto range = [](std::vector<double> minimum, std::vector<double> maximum) {
    ModelDocument model("svc", "file.mm");
    model.set_string("scaler.kind", "range");
    model.set_numbers("scaler.minimum", std::move(minimum));
    model.set_numbers("scaler.maximum", std::move(maximum));
    return model;
  };
  EXPECT_EQ(problem_in(range({0, 1}, {1, 2})), "");
  EXPECT_TRUE(problem_in(range({0, 1}, {1})).starts_with("file.mm: scaler: "));
  EXPECT_NE(problem_in(range({0, 3}, {1, 2})), "");
  EXPECT_NE(problem_in(range({0}, {std::numeric_limits<double>::infinity()})), "");

  const auto standard = [](std::vector<double> mean, std::vector<double> deviation) {
    ModelDocument model("svc", "file.mm");
    model.set_string("scaler.kind", "standard");
    model.set_numbers("scaler.mean", std::move(mean));
    model.set_numbers("scaler.deviation", std::move(deviation));
    return model;
  };
  EXPECT_EQ(problem_in(standard({}, {1, 2})), "");
  EXPECT_NE(problem_in(standard({1}, {1, 2})), "");
  EXPECT_NE(problem_in(standard({1, 1}, {1, 0})), "");
  EXPECT_NE(problem_in(standard({1, 1}, {1, -1})), "");
}

TEST(ScalerFile, UnknownKindsAndMissingPartsAreRefused) {
  ModelDocument unknown("svc", "file.mm");
  unknown.set_string("scaler.kind", "cubic");
  EXPECT_NE(problem_in(unknown).find("cubic"), std::string::npos);
  for (const char* kind : {"range", "standard"}) {
    ModelDocument bare("svc", "file.mm");
    bare.set_string("scaler.kind", kind);
    EXPECT_NE(problem_in(bare).find("scaler."), std::string::npos) << kind;
  }
}

}  // namespace
}  // namespace maxmargin
