// SPDX-License-Identifier: Apache-2.0
//
// Where help says that the steps of a solve are limited by default, they are: solves say so to the
// callback.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/learner/learner.hpp"

namespace maxmargin {
namespace {

struct LimitedLearner {
  const char* name;
  OptionTexts options;
  bool has_unlabelled_rows;
};

Dataset two_classes(bool has_unlabelled_rows) {
  Dataset data = make_builtin("gaussians,n=40,seed=3");
  for (std::size_t i = 0; has_unlabelled_rows && i < data.size(); ++i) {
    if (i % 4 != 0) data.labels.clear(i);
  }
  return data;
}

TEST(DefaultLimits, StepsAreLimitedWhereHelpSaysSo) {
  const std::vector<LimitedLearner> limited = {
      {"svc", {}, false},
      {"cs-svc", {}, false},
      {"linear-svc", {}, false},
      {"linear-ramp-svc", {}, false},
      {"tsvm", {{"kernel", "linear"}, {"solver", "features"}}, true},
      {"s3vm-cccp", {{"kernel", "linear"}, {"solver", "features"}}, true},
      {"s3vm-cccp", {{"kernel", "linear"}, {"solver", "kernel"}}, true}};
  for (const LimitedLearner& each : limited) {
    SCOPED_TRACE(each.name);
    const Learner& entry = learner(each.name);
    const std::vector<OptionDescription> options = entry.options();
    const auto limit = std::ranges::find(options, "max-iterations", &OptionDescription::name);
    ASSERT_NE(limit, options.end());
    EXPECT_EQ(limit->fallback, "10 minutes of work");
    std::size_t asked = 0;
    std::size_t limits = 0;
    const ProgressCallback count = [&](const Progress& progress) {
      // Of a solve, not of what comes before and after it.
      if (!progress.target) return Continue::yes;
      ++asked;
      limits += progress.max_iterations ? 1U : 0U;
      return Continue::yes;
    };
    TableData data;
    data.data = two_classes(each.has_unlabelled_rows);
    (void)entry.train(data,
                      {.options = each.options,
                       .context = {.threads = 1, .on_progress = count},
                       .is_part = true});
    EXPECT_GT(asked, 0U);
    EXPECT_EQ(limits, asked);
  }
}

}  // namespace
}  // namespace maxmargin
