// SPDX-License-Identifier: Apache-2.0
//
// Options as members of structs and by name: the same rules in the same words, and no value lost
// on the way from one to the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/conditional_options.hpp"
#include "core/own_values.hpp"
#include "illegal_values.hpp"
#include "maxmargin/learner/learner.hpp"
#include "maxmargin/maxmargin.hpp"
#include "model/constant_feature.hpp"
#include "walk_data.hpp"

namespace maxmargin {
namespace {

template <class Call>
std::string problem_of(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "none";
}

TEST(OptionTexts, NumbersTooLargeAreNotInfinite) {
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

/// A struct of options and the learner whose options they are.
template <class O, const char* learner_name>
struct Typed {
  using Options = O;
  static constexpr const char* name = learner_name;
};
#define MAXMARGIN_TYPED(Options, name)              \
  inline constexpr char name_of_##Options[] = name; \
  using Typed##Options = Typed<Options, name_of_##Options>
MAXMARGIN_TYPED(SvcOptions, "svc");
MAXMARGIN_TYPED(NuSvcOptions, "nu-svc");
MAXMARGIN_TYPED(LinearSvcOptions, "linear-svc");
MAXMARGIN_TYPED(LinearSvrOptions, "linear-svr");
MAXMARGIN_TYPED(CsSvcOptions, "cs-svc");
MAXMARGIN_TYPED(SvrOptions, "svr");
MAXMARGIN_TYPED(NuSvrOptions, "nu-svr");
MAXMARGIN_TYPED(OneClassOptions, "one-class");
MAXMARGIN_TYPED(SvddOptions, "svdd");
MAXMARGIN_TYPED(RampSvcOptions, "ramp-svc");
MAXMARGIN_TYPED(LinearRampSvcOptions, "linear-ramp-svc");
MAXMARGIN_TYPED(TrimmedSvcOptions, "trimmed-svc");
MAXMARGIN_TYPED(CentroidSvcOptions, "centroid-svc");
MAXMARGIN_TYPED(LooSvcOptions, "loo-svc");
MAXMARGIN_TYPED(RobustSvcOptions, "robust-svc");
MAXMARGIN_TYPED(OutlierSvcOptions, "outlier-svc");
MAXMARGIN_TYPED(S3vmOptions, "s3vm");
MAXMARGIN_TYPED(TsvmOptions, "tsvm");
MAXMARGIN_TYPED(S3vmCccpOptions, "s3vm-cccp");
MAXMARGIN_TYPED(LpSvcOptions, "lp-svc");
MAXMARGIN_TYPED(LdaOptions, "lda");
MAXMARGIN_TYPED(PerceptronOptions, "perceptron");
MAXMARGIN_TYPED(SequenceTaggerOptions, "sequence");
MAXMARGIN_TYPED(RankOptions, "rank");
MAXMARGIN_TYPED(StructuralClassifierOptions, "multiclass");
MAXMARGIN_TYPED(MultilabelTrainingOptions, "multilabel");
MAXMARGIN_TYPED(PartitionerOptions, "partition");
MAXMARGIN_TYPED(AlignerOptions, "align");
MAXMARGIN_TYPED(KmeansOptions, "kmeans");
MAXMARGIN_TYPED(KmedoidsOptions, "kmedoids");
MAXMARGIN_TYPED(KernelKmeansOptions, "kernel-kmeans");
MAXMARGIN_TYPED(HierarchicalOptions, "hierarchical");
MAXMARGIN_TYPED(MixtureOptions, "mixture");
MAXMARGIN_TYPED(SpectralOptions, "spectral");
MAXMARGIN_TYPED(SvClusteringOptions, "sv-clustering");
MAXMARGIN_TYPED(RelabelerOptions, "relabeler");
MAXMARGIN_TYPED(MmcOptions, "mmc");
MAXMARGIN_TYPED(MulticlassMmcOptions, "mmc");
MAXMARGIN_TYPED(MmcAlternatingOptions, "mmc-alternating");
MAXMARGIN_TYPED(MmcCuttingPlaneOptions, "mmc-cutting-plane");
#undef MAXMARGIN_TYPED

template <class T>
class TypedOptions : public ::testing::Test {};

using AllOptions = ::testing::Types<TypedSvcOptions,
                                    TypedNuSvcOptions,
                                    TypedLinearSvcOptions,
                                    TypedLinearSvrOptions,
                                    TypedCsSvcOptions,
                                    TypedSvrOptions,
                                    TypedNuSvrOptions,
                                    TypedOneClassOptions,
                                    TypedSvddOptions,
                                    TypedRampSvcOptions,
                                    TypedLinearRampSvcOptions,
                                    TypedTrimmedSvcOptions,
                                    TypedCentroidSvcOptions,
                                    TypedLooSvcOptions,
                                    TypedRobustSvcOptions,
                                    TypedOutlierSvcOptions,
                                    TypedS3vmOptions,
                                    TypedTsvmOptions,
                                    TypedS3vmCccpOptions,
                                    TypedLpSvcOptions,
                                    TypedLdaOptions,
                                    TypedPerceptronOptions,
                                    TypedSequenceTaggerOptions,
                                    TypedRankOptions,
                                    TypedStructuralClassifierOptions,
                                    TypedMultilabelTrainingOptions,
                                    TypedPartitionerOptions,
                                    TypedAlignerOptions,
                                    TypedKmeansOptions,
                                    TypedKmedoidsOptions,
                                    TypedKernelKmeansOptions,
                                    TypedHierarchicalOptions,
                                    TypedMixtureOptions,
                                    TypedSpectralOptions,
                                    TypedSvClusteringOptions,
                                    TypedRelabelerOptions,
                                    TypedMmcOptions,
                                    TypedMulticlassMmcOptions,
                                    TypedMmcAlternatingOptions,
                                    TypedMmcCuttingPlaneOptions>;
TYPED_TEST_SUITE(TypedOptions, AllOptions);

TYPED_TEST(TypedOptions, DefaultsComeBackFromTheirTexts) {
  using Options = typename TypeParam::Options;
  const Options defaults;
  EXPECT_EQ(problem_of([&] { validate(defaults); }), "none");
  const OptionTexts texts = texts_of(defaults);
  EXPECT_EQ(texts.size(), option_values(defaults).size());
  Options again;
  EXPECT_EQ(problem_of([&] { set_options(again, texts, "the test"); }), "none");
  EXPECT_EQ(option_values(again), option_values(defaults));
}

/// The texts of those that the struct has.
template <DescribesOptions T>
OptionTexts known_to(const T& options, OptionTexts texts) {
  const std::vector<OptionDescription> described = describe_options(options);
  std::erase_if(texts, [&](const auto& text) {
    return std::ranges::find(described, text.first, &OptionDescription::name) == described.end();
  });
  return texts;
}

/// Structs that are a part of their learner's options: two structs of mmc, for two and more
/// clusters.
TYPED_TEST(TypedOptions, TrainByNameAsTheirTexts) {
  using Options = typename TypeParam::Options;
  const Learner& entry = learner(TypeParam::name);
  const LearnerData data = walk::data_for(entry.info());
  Options options;
  set_options(options, known_to(options, walk::needed_options(entry)), "the test");
  context_of(options).seed = 3;
  const Training typed = train(TypeParam::name, data, options);
  std::vector<OptionSetting> settings;
  for (const auto& [name, text] : option_texts(options)) settings.emplace_back(name, text);
  settings.emplace_back("seed", 3);
  EXPECT_EQ(model_bytes(*typed.model), model_bytes(*train(TypeParam::name, data, settings).model));
}

TEST(TypedTraining, RefusesWhatHasNoName) {
  const Dataset iris = make_builtin("iris");
  const SvcOptions coded{.multiclass = MulticlassKind::ecoc,
                         .code = CodeChoice(exhaustive_code(3))};
  EXPECT_EQ(problem_of([&] { (void)train("svc", iris, coded); }),
            "--code: this value has no name, a training by name cannot be told of it");
}

template <DescribesOptions Options>
std::string problem_of_texts(const Options& options) {
  return problem_of([&] { (void)option_texts(options); });
}

TEST(TypedTraining, RefusesValuesThatTextsWouldChange) {
  const std::string has_no_name =
      ": this value has no name, a training by name cannot be told of it";
  EXPECT_EQ(problem_of_texts(CsSvcOptions{.bias = 2}), "--no-bias" + has_no_name);
  EXPECT_EQ(problem_of_texts(RankOptions{.loss = RankLoss::f1, .bias = 0.5}),
            "--no-bias" + has_no_name);
  EXPECT_EQ(problem_of_texts(StructuralClassifierOptions{.bias = 3}), "--no-bias" + has_no_name);
  MultilabelTrainingOptions sets;
  sets.task.bias = -1;
  EXPECT_EQ(problem_of_texts(sets), "--no-bias" + has_no_name);
  PartitionerOptions partitions;
  partitions.task.exact_items = 5;
  EXPECT_EQ(problem_of_texts(partitions), "--inference" + has_no_name);
  partitions.task.exact_items = 0;
  EXPECT_EQ(problem_of_texts(partitions), "none");

  const Dataset iris = make_builtin("iris");
  const Kernel centred_rbf = centred(Rbf{.gamma = 0.1});
  EXPECT_EQ(problem_of_texts(SvcOptions{.kernel = centred_rbf}), "none");
  for (const Kernel& kernel : {fitted(centred_rbf, iris.examples),
                               fitted(sum_of(Linear{}, iterated(Linear{})), iris.examples),
                               Kernel(Precomputed{std::make_shared<DenseMatrix>(2, 2)}),
                               polynomial_of(Linear{}, {1, 2}),
                               rank_one("ones", [](const Row&) { return 1.0; }),
                               with_scaled_inputs(Rbf{}, {1, 2, 3, 4})}) {
    EXPECT_EQ(problem_of_texts(SvcOptions{.kernel = kernel}), "--kernel" + has_no_name);
  }
}

/// An option behind the visitors that change what is shown of it.
struct Nameless {
  bool is_suggested = false;
  double value = 3;
  void describe(OptionVisitor& visit) {
    ConstantFeature constant(value);
    const OptionHelp help{.name = "no-bias", .help = "none"};
    if (is_suggested) {
      SuggestedNames(visit, {"a"}).option(help, constant);
    } else {
      ConditionalOptions(visit, false, "needs more").option(help, constant);
    }
  }
};

TEST(TypedTraining, ValuesBehindOtherVisitorsHaveNoNameEither) {
  EXPECT_NE(problem_of_texts(Nameless{.is_suggested = true}), "none");
  EXPECT_NE(problem_of_texts(Nameless{}), "none");
}

TEST(TypedTraining, TheBiasOfCrammerAndSingerIsThatOfTheTable) {
  const Dataset iris = make_builtin("iris");
  EXPECT_EQ(model_bytes(*train("cs-svc", iris, CsSvcOptions{.kernel = KernelChoice{}}).model),
            model_bytes(*train("cs-svc", iris).model));
}

/// Writes a number into the member of that name, past its rule.
class RawWriter final : public OptionVisitor {
 public:
  RawWriter(std::string_view name, double number) : name_(name), number_(number) {}
  void option(const OptionHelp& help, OptionValue& value) override {
    if (help.name == name_) wrote = assign_raw(value, number_);
  }
  bool wrote = false;

 private:
  std::string_view name_;
  double number_;
};

/// The struct with an illegal number in that option is refused in the words that the learner has
/// for the same number by name. Returns how many numbers its type can hold.
template <DescribesOptions T>
std::size_t expect_same_words(const Learner& entry,
                              const OptionDescription& option,
                              const OptionTexts& beside) {
  std::size_t held = 0;
  for (const std::string& text : walk::illegal_values(option)) {
    const std::optional<double> number = parse_number(text);
    // 1e3 and 1e999 are wrong as texts, and 1000 and infinity as numbers may be right.
    if (!number || text.find('e') != std::string::npos) continue;
    T options;
    set_options(options, known_to(options, beside), "the test");
    RawWriter writer(option.name, *number);
    options.describe(writer);
    if (!writer.wrote) continue;
    ++held;
    OptionTexts texts = beside;
    texts.emplace_back(option.name, format_number(*number));
    const std::string by_name = problem_of([&] { entry.check_options(texts); });
    EXPECT_EQ(problem_of([&] { validate(options); }), by_name);
    EXPECT_TRUE(
        by_name.starts_with(flag_of(option.name) + " " + format_number(*number) + ": must be "))
        << by_name;
  }
  return held;
}

TYPED_TEST(TypedOptions, RefuseEveryNumberInTheWordsOfTheirNames) {
  using Options = typename TypeParam::Options;
  const Learner& entry = learner(TypeParam::name);
  const std::vector<OptionDescription> by_name = entry.options();
  const bool has_kernel = !known_to(Options{}, {{"kernel", "poly"}}).empty();
  std::size_t walked = 0;
  for (const OptionDescription& option : describe_options(Options{})) {
    // The number of clusters has no default: 0 is one that was not given.
    if (option.kind != OptionKind::number && option.kind != OptionKind::whole) continue;
    if (option.name == "k" && entry.info().task == Task::cluster) continue;
    const auto known = std::ranges::find(by_name, option.name, &OptionDescription::name);
    if (known == by_name.end()) continue;
    SCOPED_TRACE(flag_of(option.name));
    OptionTexts beside = walk::needed_options(entry);
    std::size_t held = expect_same_words<Options>(entry, option, beside);
    if (held == 0 && has_kernel) {  // a parameter of another kernel
      beside.emplace_back("kernel", "poly");
      held = expect_same_words<Options>(entry, option, beside);
    }
    EXPECT_GT(held + (option.rule.starts_with("a whole number >= 0") ? 1U : 0U), 0U);
    ++walked;
  }
  EXPECT_EQ(walked == 0, entry.info().name == "hierarchical");
}

/// A kernel that a C++ program filled in, and the texts that ask for the same.
struct IllegalKernel {
  Kernel kernel;
  OptionTexts texts;
  std::string message;
};

TEST(TypedKernels, AreRefusedInTheWordsOfTheirNames) {
  const std::string width =
      ": must be a number > 0, scale, auto, median, neighbour, or quantile:Q with Q in [0, 1]";
  const std::vector<IllegalKernel> cases = {
      {Rbf{.gamma = -1}, {{"gamma", "-1"}}, "--gamma -1" + width},
      {sum_of(Rbf{.gamma = -1}, Linear{}),
       {{"kernel", "rbf + linear"}, {"rbf.gamma", "-1"}},
       "--rbf.gamma -1" + width},
      {sum_of(Laplace{.gamma = 1}, scaled(Laplace{.gamma = 0}, 2)),
       {{"kernel", "laplace + 2*laplace"}, {"laplace[2].gamma", "0"}},
       "--laplace[2].gamma 0" + width},
      {normalised(Polynomial{.degree = 0}),
       {{"kernel", "normalize(poly)"}, {"poly.degree", "0"}},
       "--poly.degree 0: must be a whole number from 1 to 1000"},
      {centred(Polynomial{.coef0 = std::numeric_limits<double>::infinity()}),
       {{"kernel", "center(poly)"}, {"poly.coef0", "inf"}},
       "--poly.coef0 inf: must be a finite number"},
      {Spectrum{.length = 0},
       {{"kernel", "spectrum"}, {"spectrum.length", "0"}},
       "--spectrum.length 0: must be a whole number from 1 to 1000"}};
  for (const IllegalKernel& each : cases) {
    EXPECT_EQ(problem_of([&] { learner("svc").check_options(each.texts); }), each.message);
    EXPECT_EQ(problem_of([&] { validate(SvcOptions{.kernel = each.kernel}); }), each.message);
  }
}

}  // namespace
}  // namespace maxmargin
