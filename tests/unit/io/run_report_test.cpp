// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/run_report.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "maxmargin/core/version.hpp"

namespace maxmargin {
namespace {

RunReport sample() {
  return {.kind = "method",
          .name = "kmeans",
          .n = 150,
          .d = 4,
          .solve = {.iterations = 7,
                    .primal_objective = 78.5,
                    .lower_bound = 60.0,
                    .seconds = {{"read", 0.25}},
                    .warnings = {"a \"quoted\" warning"}},
          .metrics = {{"inertia", 78.5}, {"undefined", std::nullopt}},
          .options = {{"k", std::int64_t{3}}, {"label", std::monostate{}}, {"quiet", false}}};
}

TEST(RunReport, WritesEveryKeyOfTheContractInOrder) {
  const std::string expected = std::string(R"({
  "status": "solved",
  "method": "kmeans",
  "n": 150,
  "d": 4,
  "primal_objective": 78.5,
  "dual_objective": null,
  "lower_bound": 60.0,
  "bound": "certified",
  "gap": 18.5,
  "relative_gap": 0.2356687898089172,
  "iterations": 7,
  "seconds": {
    "read": 0.25
  },
  "metrics": {
    "inertia": 78.5,
    "undefined": null
  },
  "warnings": [
    "a \"quoted\" warning"
  ],
  "options": {
    "k": 3,
    "label": null,
    "quiet": false
  },
  "version": ")") + MAXMARGIN_VERSION +
                               "\"\n}\n";
  EXPECT_EQ(to_json(sample()), expected);
}

TEST(RunReport, TurnsNumbersJsonCannotHoldIntoNull) {
  RunReport report = sample();
  report.solve.primal_objective = std::numeric_limits<double>::infinity();
  report.metrics = {{"nan", std::numeric_limits<double>::quiet_NaN()}};
  const std::string json = to_json(report);
  EXPECT_NE(json.find("\"primal_objective\": null"), std::string::npos);
  EXPECT_NE(json.find("\"nan\": null"), std::string::npos);
}

TEST(RunReport, SurvivesBytesThatAreNotUtf8) {
  RunReport report = sample();
  report.name = "caf\xe9";
  EXPECT_NO_THROW(static_cast<void>(to_json(report)));
}

TEST(RunReport, SaysVerifiedOnlyWhenAsked) {
  RunReport report = sample();
  EXPECT_EQ(to_json(report).find("verified"), std::string::npos);
  report.verified = true;
  EXPECT_NE(to_json(report).find("\"verified\": true"), std::string::npos);
  EXPECT_EQ(to_json(report).find("verify_reason"), std::string::npos);
  report.verify_reason = "why";
  EXPECT_NE(to_json(report).find("\"verify_reason\": \"why\""), std::string::npos);
  report.verified = std::nullopt;
  EXPECT_NE(to_json(report).find("\"verified\": null"), std::string::npos);
}

// Behind the gap, which it is about.
TEST(RunReport, SaysHowExactTheOracleWasOnlyOfStructuredLearners) {
  RunReport report = sample();
  EXPECT_EQ(to_json(report).find("oracle"), std::string::npos);
  report.oracle = "inexact";
  EXPECT_NE(to_json(report).find("0.2356687898089172,\n  \"oracle\": \"inexact\",\n  \"iter"),
            std::string::npos);
}

TEST(RunReport, FindsAMetricByName) {
  EXPECT_EQ(sample().metric("inertia"), 78.5);
  EXPECT_EQ(sample().metric("undefined"), std::nullopt);
  EXPECT_EQ(sample().metric("absent"), std::nullopt);
}

}  // namespace
}  // namespace maxmargin
