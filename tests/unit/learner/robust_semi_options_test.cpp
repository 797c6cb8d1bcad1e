// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "learner/supervised/semi_options.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/model/robust/centroid_svc.hpp"
#include "maxmargin/model/robust/loo_svc.hpp"
#include "maxmargin/model/robust/ramp_svc.hpp"
#include "maxmargin/model/robust/robust_svc.hpp"
#include "maxmargin/model/semi/s3vm_cccp.hpp"
#include "maxmargin/model/semi/tsvm.hpp"

namespace maxmargin::learning {
namespace {

using SafeTsvm = SafeOptions<TsvmOptions>;
using SafeCccp = SafeOptions<S3vmCccpOptions>;

/// The default of an option as help shows it.
template <class Options>
std::string fallback(const std::string& name) {
  for (const OptionDescription& each : describe_options(Options{})) {
    if (each.name == name) return each.fallback;
  }
  return "no such option";
}

/// What is said of these texts; empty: they are taken.
template <class Options>
std::string said_of(const OptionTexts& given) {
  try {
    Options options;
    set_options(options, given, "the learner");
    validate(options);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

/// Options read back from their own values are the same.
template <class Options>
void expect_round_trip(const OptionTexts& given) {
  Options options;
  set_options(options, given, "the learner");
  validate(options);
  OptionTexts kept;
  for (const OptionDescription& each : describe_options(options)) {
    for (const auto& [key, value] : option_values(options)) {
      if (key != key_of(each.name)) continue;
      std::string text = text_of(value);
      if (each.name.starts_with("no-")) text = text == "true" ? "false" : "true";
      kept.emplace_back(each.name, text);
    }
  }
  Options again;
  set_options(again, kept, "the learner");
  EXPECT_EQ(option_values(again), option_values(options));
}

TEST(RobustOptions, DefaultsAreThoseOfTheTool) {
  EXPECT_EQ(fallback<RampSvcOptions>("C"), "1");
  EXPECT_EQ(fallback<RampSvcOptions>("kernel"), "rbf");
  EXPECT_EQ(fallback<RampSvcOptions>("ramp"), "0");
  EXPECT_EQ(fallback<RampSvcOptions>("multiclass"), "ovo");
  EXPECT_EQ(fallback<RampSvcOptions>("bound-rounds"), "5 up to 2000 rows, else 0");
  EXPECT_EQ(fallback<LinearRampSvcOptions>("multiclass"), "ovr");
  EXPECT_EQ(fallback<TrimmedSvcOptions>("rho"), "0.9");
  EXPECT_EQ(fallback<OutlierSvcOptions>("rho"), "0.9");
  EXPECT_EQ(fallback<RobustSvcOptions>("restarts"), "20");
  EXPECT_EQ(fallback<OutlierSvcOptions>("restarts"), "20");
  EXPECT_EQ(fallback<RobustSvcOptions>("bias"), "constant");
  EXPECT_EQ(fallback<CentroidSvcOptions>("lambda"), "0.5 / median distance");
  EXPECT_EQ(fallback<LooSvcOptions>("lambda"), "1");
}

TEST(SemiOptions, DefaultsAreThoseOfTheTool) {
  for (const std::string& cost : {fallback<S3vmLearnerOptions>("C"),
                                  fallback<SafeTsvm>("C"),
                                  fallback<SafeCccp>("C"),
                                  fallback<S3vmOptions>("C"),
                                  fallback<MulticlassS3vmOptions>("C")}) {
    EXPECT_EQ(cost, "100");
  }
  for (const std::string& kernel : {fallback<S3vmLearnerOptions>("kernel"),
                                    fallback<SafeTsvm>("kernel"),
                                    fallback<SafeCccp>("kernel")}) {
    EXPECT_EQ(kernel, "linear");
  }
  EXPECT_EQ(fallback<S3vmLearnerOptions>("restarts"), "20");
  EXPECT_EQ(fallback<S3vmLearnerOptions>("bias"), "center");
  EXPECT_EQ(fallback<S3vmLearnerOptions>("multiclass"), "ovr");
  EXPECT_EQ(fallback<S3vmLearnerOptions>("balance"), "0.1");
  EXPECT_EQ(fallback<SafeTsvm>("balance"), "0.1");
  EXPECT_EQ(fallback<SafeTsvm>("unlabeled-cost"), "as -C");
  EXPECT_EQ(fallback<SafeTsvm>("solver"), "automatic");
  EXPECT_EQ(fallback<SafeCccp>("balance"), "mean");
  EXPECT_EQ(fallback<SafeCccp>("ramp"), "-0.3");
  // The learner's own options are those of its two forms.
  EXPECT_EQ(S3vmLearnerOptions{}.one_vs_rest().balance_form, S3vmOptions{}.balance_form);
  EXPECT_EQ(S3vmLearnerOptions{}.direct().restarts, MulticlassS3vmOptions{}.restarts);
}

TEST(RobustOptions, IllegalValuesAreNamed) {
  EXPECT_EQ(said_of<RampSvcOptions>({{"C", "inf"}}), "-C inf: must be a finite number > 0");
  EXPECT_EQ(said_of<RampSvcOptions>({{"ramp", "1"}}), "--ramp 1: must be a finite number < 1");
  EXPECT_EQ(said_of<RampSvcOptions>({{"restarts", "0"}}),
            "--restarts 0: must be a whole number >= 1");
  EXPECT_EQ(said_of<RampSvcOptions>({{"bound-rounds", "0"}}), "");
  EXPECT_EQ(said_of<TrimmedSvcOptions>({{"rho", "auto"}}),
            "--rho auto: must be a number in (0, 1]");
  EXPECT_EQ(said_of<OutlierSvcOptions>({{"rho", "0"}}),
            "--rho 0: must be a number in (0, 1], or auto");
  EXPECT_EQ(said_of<OutlierSvcOptions>({{"rho", "auto"}}), "");
  EXPECT_EQ(said_of<LooSvcOptions>({{"C", "inf"}}), "");
  EXPECT_EQ(said_of<LooSvcOptions>({{"C", "2e15"}}),
            "-C 2e15: must be a number > 0 and at most 1e15, or inf");
  EXPECT_NE(said_of<LooSvcOptions>({{"multiclass", "direct"}}), "");
  EXPECT_NE(said_of<RobustSvcOptions>({{"class-weight", "balanced"}}), "");
}

TEST(RobustOptions, IndefiniteKernelsAreTakenWhereTheyMayBe) {
  const OptionTexts sigmoid = {{"kernel", "sigmoid"}};
  const OptionTexts allowed = {{"kernel", "sigmoid"}, {"allow-indefinite", "true"}};
  EXPECT_EQ(
      said_of<RampSvcOptions>(sigmoid),
      "--kernel sigmoid: not positive semidefinite; --allow-indefinite takes it all the same");
  EXPECT_EQ(said_of<RampSvcOptions>(allowed), "");
  EXPECT_EQ(said_of<LooSvcOptions>(sigmoid), "");
  EXPECT_EQ(said_of<OutlierSvcOptions>(sigmoid),
            "--kernel sigmoid: not positive semidefinite, the relaxation needs a kernel that is; "
            "ramp-svc and trimmed-svc take it with --allow-indefinite");
  EXPECT_EQ(said_of<S3vmLearnerOptions>(sigmoid),
            "--kernel sigmoid: not positive semidefinite, the relaxation needs a kernel that is; "
            "tsvm and s3vm-cccp take it with --allow-indefinite");
  for (OptionTexts direct : {sigmoid, allowed}) {
    direct.emplace_back("multiclass", "direct");
    EXPECT_EQ(said_of<RampSvcOptions>(direct),
              "--kernel sigmoid: not positive semidefinite, --multiclass direct needs one that is");
  }
}

TEST(RobustOptions, DirectMachinesTakeAlternatingSteps) {
  EXPECT_EQ(RampSvcOptions{}.step_used(), RampStep::cccp);
  EXPECT_EQ(RampSvcOptions{.multiclass = MulticlassKind::direct}.step_used(),
            RampStep::alternating);
  EXPECT_EQ(said_of<RampSvcOptions>({{"multiclass", "direct"}, {"solver", "cccp"}}),
            "--solver cccp: --multiclass direct takes alternating steps");
  EXPECT_EQ(said_of<RampSvcOptions>({{"multiclass", "direct"}, {"solver", "alternating"}}), "");
}

TEST(SemiOptions, IllegalValuesAreNamed) {
  EXPECT_EQ(said_of<SafeTsvm>({{"balance", "1"}}),
            "--balance 1: must be a number in [0, 1), or none");
  EXPECT_EQ(said_of<SafeTsvm>({{"unlabeled-cost", "-1"}}),
            "--unlabeled-cost -1: must be a finite number >= 0");
  EXPECT_EQ(said_of<SafeTsvm>({{"kernel", "rbf"}, {"solver", "features"}}),
            "--solver features: the kernel rbf is not linear");
  EXPECT_EQ(said_of<SafeCccp>({{"ramp", "-1"}}), "--ramp -1: must be a number in (-1, 0]");
  EXPECT_NE(said_of<SafeCccp>({{"balance", "1"}}), "");
  EXPECT_NE(said_of<S3vmLearnerOptions>({{"multiclass", "ovo"}}), "");
  EXPECT_NE(said_of<S3vmLearnerOptions>({{"balance-form", "none"}}), "");
  EXPECT_EQ(said_of<S3vmLearnerOptions>({{"multiclass", "direct"}, {"balance-form", "total"}}),
            "--balance-form total: --multiclass direct has the form rows");
  EXPECT_EQ(said_of<S3vmLearnerOptions>({{"multiclass", "direct"}}), "");
  EXPECT_NE(said_of<SafeTsvm>({{"multiclass", "ovr"}}), "");
}

TEST(SemiOptions, ABalanceIsReadInAllItsForms) {
  SafeCccp options;
  set_options(options, {{"balance", "none"}}, "s3vm-cccp");
  EXPECT_FALSE(options.balance);
  // As the tool has always taken it.
  set_options(options, {{"balance", "0.2"}}, "s3vm-cccp");
  EXPECT_TRUE(options.balance);
  S3vmLearnerOptions relaxed;
  set_options(relaxed, {{"balance", "none"}}, "s3vm");
  EXPECT_FALSE(relaxed.balance);
  EXPECT_EQ(relaxed.balance_form_used(), LabelBalance::total);
  relaxed.multiclass = MulticlassKind::direct;
  EXPECT_EQ(relaxed.balance_form_used(), LabelBalance::rows);
}

TEST(RobustSemiOptions, AreReadBackFromTheirValues) {
  expect_round_trip<RampSvcOptions>({});
  expect_round_trip<RampSvcOptions>({{"C", "10"},
                                     {"kernel", "poly"},
                                     {"degree", "2"},
                                     {"ramp", "-1"},
                                     {"solver", "alternating"},
                                     {"restarts", "3"},
                                     {"bound-rounds", "0"},
                                     {"no-bias", "true"},
                                     {"class-weight", "balanced"},
                                     {"multiclass", "direct"},
                                     {"allow-one-class", "true"}});
  expect_round_trip<LinearRampSvcOptions>({{"bias-scale", "2"}, {"max-rounds", "7"}});
  expect_round_trip<TrimmedSvcOptions>({{"rho", "0.5"}, {"gamma", "median"}});
  expect_round_trip<CentroidSvcOptions>({{"lambda", "0.25"}});
  expect_round_trip<LooSvcOptions>({{"C", "inf"}, {"kernel", "sigmoid"}});
  expect_round_trip<RobustSvcOptions>({{"bias", "center"}, {"multiclass", "ecoc"}});
  expect_round_trip<OutlierSvcOptions>({{"rho", "auto"}});
  expect_round_trip<S3vmLearnerOptions>(
      {{"multiclass", "direct"}, {"balance", "none"}, {"safe", "true"}, {"bias", "none"}});
  expect_round_trip<SafeTsvm>({{"unlabeled-cost", "0"}, {"balance", "none"}, {"safe", "true"}});
  expect_round_trip<SafeCccp>({{"balance", "none"}, {"continuation", "true"}, {"ramp", "0"}});
}

}  // namespace
}  // namespace maxmargin::learning
