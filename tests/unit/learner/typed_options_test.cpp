// SPDX-License-Identifier: Apache-2.0
//
// Options as members of structs and by name: the same rules in the same words, and no value lost
// on the way from one to the other.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "maxmargin/learner/learner.hpp"
#include "maxmargin/maxmargin.hpp"

namespace maxmargin {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class Call>
std::string problem_of(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "none";
}

/// The struct is refused in the words that its learner has for the same value by name.
template <DescribesOptions T>
void expect_same_words(const T& options,
                       const std::string& name,
                       const std::string& option,
                       const std::string& value) {
  SCOPED_TRACE(name + " " + flag_of(option) + " " + value);
  const Learner& entry = learner(name);
  OptionTexts texts = {{option, value}};
  if (entry.info().task == Task::cluster && option != "k" && name != "sv-clustering") {
    texts.emplace_back("k", "2");
  }
  const std::string by_name = problem_of([&] { entry.check_options(texts); });
  EXPECT_EQ(problem_of([&] { validate(options); }), by_name);
  EXPECT_TRUE(by_name.starts_with(flag_of(option) + " " + value + ": must be ")) << by_name;
}

TEST(TypedOptions, ClassifiersRefuseInTheWordsOfTheirNames) {
  expect_same_words(SvcOptions{.c = -1}, "svc", "C", "-1");
  expect_same_words(SvcOptions{.c = 0}, "svc", "C", "0");
  expect_same_words(SvcOptions{.c = not_a_number}, "svc", "C", "nan");
  expect_same_words(SvcOptions{.kkt_tolerance = 0}, "svc", "kkt-tolerance", "0");
  expect_same_words(SvcOptions{.control = {.tolerance = -1}}, "svc", "tolerance", "-1");
  expect_same_words(SvcOptions{.control = {.max_iterations = 0}}, "svc", "max-iterations", "0");
  expect_same_words(NuSvcOptions{.nu = 2}, "nu-svc", "nu", "2");
  expect_same_words(LinearSvcOptions{.c = -infinite}, "linear-svc", "C", "-inf");
  expect_same_words(RampSvcOptions{.s = 1}, "ramp-svc", "ramp", "1");
  expect_same_words(RampSvcOptions{.restarts = 0}, "ramp-svc", "restarts", "0");
  expect_same_words(RampSvcOptions{.max_rounds = 0}, "ramp-svc", "max-rounds", "0");
  expect_same_words(TsvmOptions{.balance = 1}, "tsvm", "balance", "1");
  expect_same_words(TsvmOptions{.unlabelled_c = -2}, "tsvm", "unlabeled-cost", "-2");
  expect_same_words(S3vmCccpOptions{.ramp = 0.5}, "s3vm-cccp", "ramp", "0.5");
}

TEST(TypedOptions, PartsRefuseInTheWordsOfTheWhole) {
  expect_same_words(TrainingControl{.tolerance = infinite}, "svc", "tolerance", "inf");
  expect_same_words(TrainingControl{.tolerance = not_a_number}, "svr", "tolerance", "nan");
  expect_same_words(TrainingControl{.max_iterations = 0}, "nu-svr", "max-iterations", "0");
}

TEST(TypedOptions, ClusteringsRefuseInTheWordsOfTheirNames) {
  expect_same_words(KmeansOptions{.restarts = 0}, "kmeans", "restarts", "0");
  expect_same_words(KmeansOptions{.max_iterations = 0}, "kmeans", "max-iterations", "0");
  expect_same_words(KmedoidsOptions{.restarts = 0}, "kmedoids", "restarts", "0");
  expect_same_words(MmcOptions{.c = infinite}, "mmc", "C", "inf");
  expect_same_words(MmcOptions{.balance = 1}, "mmc", "balance", "1");
  expect_same_words(MmcOptions{.balance = not_a_number}, "mmc", "balance", "nan");
  expect_same_words(MmcOptions{.tolerance = 0}, "mmc", "tolerance", "0");
  expect_same_words(MmcOptions{.restarts = 0}, "mmc", "restarts", "0");
  expect_same_words(MixtureOptions{.variance_floor = 0}, "mixture", "variance-floor", "0");
  expect_same_words(SvClusteringOptions{.nu = 1}, "sv-clustering", "nu", "1");
  expect_same_words(SvClusteringOptions{.neighbours = 0}, "sv-clustering", "neighbours", "0");
}

TEST(TypedOptions, StructuredLearnersRefuseInTheWordsOfTheirNames) {
  expect_same_words(SequenceTaggerOptions{.solving = {.c = -1}}, "sequence", "C", "-1");
  expect_same_words(
      SequenceTaggerOptions{.solving = {.tolerance = 0}}, "sequence", "tolerance", "0");
  expect_same_words(SequenceTaggerOptions{.order = 3}, "sequence", "order", "3");
  expect_same_words(RankOptions{.relevant_from = infinite}, "rank", "relevant-from", "inf");
  expect_same_words(RankOptions{.k = 0}, "rank", "k", "0");
  expect_same_words(PartitionerOptions{.solving = {.c = not_a_number}}, "partition", "C", "nan");
}

TEST(TypedOptions, NumbersTooLargeAreNotInfinite) {
  EXPECT_EQ(problem_of([] { learner("svc").check_options({{"C", "inf"}}); }), "none");
  EXPECT_EQ(problem_of([] {
              learner("svc").check_options({{"C", "1e999"}});
            }),
            "-C 1e999: must be a number > 0, or inf");
}

/// The values under the names that setting takes; keys of reports are other words for them.
template <DescribesOptions T>
OptionTexts texts_of(const T& options) {
  OptionTexts texts;
  const std::vector<OptionDescription> described = describe_options(options);
  for (const auto& [key, value] : option_values(options)) {
    for (const OptionDescription& option : described) {
      if (key_of(option.name) != key) continue;
      const bool negated = option.is_switch && option.name.starts_with("no-");
      texts.emplace_back(
          option.name, negated ? (value == OptionScalar(true) ? "false" : "true") : text_of(value));
    }
  }
  return texts;
}

template <class T>
class RoundTrip : public ::testing::Test {};

using AllOptions = ::testing::Types<SvcOptions,
                                    NuSvcOptions,
                                    LinearSvcOptions,
                                    LinearSvrOptions,
                                    CsSvcOptions,
                                    SvrOptions,
                                    NuSvrOptions,
                                    OneClassOptions,
                                    SvddOptions,
                                    RampSvcOptions,
                                    LinearRampSvcOptions,
                                    TrimmedSvcOptions,
                                    CentroidSvcOptions,
                                    LooSvcOptions,
                                    RobustSvcOptions,
                                    OutlierSvcOptions,
                                    S3vmOptions,
                                    TsvmOptions,
                                    S3vmCccpOptions,
                                    LpSvcOptions,
                                    LdaOptions,
                                    PerceptronOptions,
                                    SequenceTaggerOptions,
                                    RankOptions,
                                    StructuralClassifierOptions,
                                    MultilabelTrainingOptions,
                                    PartitionerOptions,
                                    AlignerOptions,
                                    KmeansOptions,
                                    KmedoidsOptions,
                                    KernelKmeansOptions,
                                    HierarchicalOptions,
                                    MixtureOptions,
                                    SpectralOptions,
                                    SvClusteringOptions,
                                    RelabelerOptions,
                                    MmcOptions,
                                    MulticlassMmcOptions,
                                    MmcAlternatingOptions,
                                    MmcCuttingPlaneOptions>;
TYPED_TEST_SUITE(RoundTrip, AllOptions);

TYPED_TEST(RoundTrip, DefaultsComeBackFromTheirTexts) {
  const TypeParam defaults;
  EXPECT_EQ(problem_of([&] { validate(defaults); }), "none");
  const OptionTexts texts = texts_of(defaults);
  EXPECT_EQ(texts.size(), option_values(defaults).size());
  TypeParam again;
  EXPECT_EQ(problem_of([&] { set_options(again, texts, "the test"); }), "none");
  EXPECT_EQ(option_values(again), option_values(defaults));
}

}  // namespace
}  // namespace maxmargin
