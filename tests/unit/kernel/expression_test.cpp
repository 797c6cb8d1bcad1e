// SPDX-License-Identifier: Apache-2.0
#include "kernel/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "kernel_cases.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/data/text/encoded_strings.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/kernel/gram/gram.hpp"

namespace maxmargin {
namespace {

using testing::largest_error;
using testing::random_matrix;

/// A kernel composed by hand.
using Function = std::function<double(const Row&, const Row&)>;

Function of(const Kernel& kernel) {
  return [kernel](const Row& x, const Row& z) { return evaluate(kernel, x, z); };
}

struct Composed {
  const char* text;
  Function function;
};

std::vector<Composed> composed_by_hand() {
  const Function rbf = of(Rbf{0.1});
  const Function linear = of(Linear{});
  const Function poly = of(Polynomial{.gamma = 1, .coef0 = 1, .degree = 2});
  const auto normalised_poly = [poly](const Row& x, const Row& z) {
    return poly(x, z) / std::sqrt(poly(x, x) * poly(z, z));
  };
  return {
      {"linear", linear},
      {"rbf(gamma=0.1)", rbf},
      {"0.5*rbf(gamma=0.1) + normalize(poly(degree=2,coef0=1)) * linear",
       [=](const Row& x, const Row& z) {
         return 0.5 * rbf(x, z) + normalised_poly(x, z) * linear(x, z);
       }},
      {"2 * (rbf(gamma=0.1) + linear) * 3",
       [=](const Row& x, const Row& z) { return 6 * (rbf(x, z) + linear(x, z)); }},
      {"(rbf(gamma=0.1)+linear)^3",
       [=](const Row& x, const Row& z) { return std::pow(rbf(x, z) + linear(x, z), 3); }},
      {"exp(0.1*linear)", [=](const Row& x, const Row& z) { return std::exp(0.1 * linear(x, z)); }},
      {"rbf(gamma=0.1)*rbf(gamma=0.1)*linear^2",
       [=](const Row& x, const Row& z) {
         return rbf(x, z) * rbf(x, z) * linear(x, z) * linear(x, z);
       }},
      {"1e-1*linear+.5e+1*rbf(gamma=.1)",
       [=](const Row& x, const Row& z) { return 0.1 * linear(x, z) + 5 * rbf(x, z); }},
  };
}

TEST(KernelExpression, IsTheKernelComposedByHandOnDenseAndSparseRows) {
  const DenseMatrix points = random_matrix(1, 12, 5, -1, 1, 0.4);
  for (const Examples& rows : {Examples(points), testing::as_sparse(points)}) {
    for (const Composed& composed : composed_by_hand()) {
      const Kernel kernel = KernelChoice::parse(composed.text).resolved(rows);
      DenseMatrix expected(rows.rows(), rows.rows());
      for (std::size_t i = 0; i < rows.rows(); ++i) {
        for (std::size_t j = 0; j < rows.rows(); ++j) {
          expected(i, j) = composed.function(rows.row(i), rows.row(j));
        }
      }
      EXPECT_LT(largest_error(testing::plain_gram(kernel, rows, rows), expected), 1e-13)
          << composed.text;
      EXPECT_LT(largest_error(gram(kernel, rows), expected), 1e-13) << composed.text;
      EXPECT_LT(largest_error(gram_float(kernel, rows), expected), 1e-5) << composed.text;
    }
  }
}

TEST(KernelExpression, CanonicalTextReadsBackAsItself) {
  const std::pair<const char*, const char*> cases[] = {
      {"rbf+linear", "rbf(gamma=scale) + linear"},
      {" 0.5 * rbf( gamma = 0.1 )+normalize( poly(degree=2) )*linear ",
       "0.5*rbf(gamma=0.1) + normalize(poly(gamma=1, degree=2, coef0=0))*linear"},
      {"linear*2*3", "6*linear"},
      {"2*(3*linear)", "2*(3*linear)"},
      {"(2*linear)*cosine", "(2*linear)*cosine"},
      {"linear*(2*cosine)", "linear*(2*cosine)"},
      {"linear*(cosine*linear)", "linear*(cosine*linear)"},
      {"(linear*cosine)*linear", "linear*cosine*linear"},
      {"linear+(cosine+linear)", "linear + (cosine + linear)"},
      {"((linear))+cosine", "linear + cosine"},
      {"(linear+cosine)*linear", "(linear + cosine)*linear"},
      {"(linear*cosine)^2", "(linear*cosine)^2"},
      {"(linear^2)^3", "(linear^2)^3"},
      {"linear ^ 2", "linear^2"},
      {"exp(center(iterate(sigmoid(gamma=median,coef0=-1))))",
       "exp(center(iterate(sigmoid(gamma=median, coef0=-1))))"},
      {"rbf(gamma=quantile:0.1)+laplace(gamma=neighbour)+chi-square(gamma=auto)",
       "rbf(gamma=quantile:0.1) + laplace(gamma=neighbour) + chi-square(gamma=auto)"},
      {"normalize(spectrum(length=4))+spectrum",
       "normalize(spectrum(length=4)) + spectrum(length=3)"},
      {"1*linear", "1*linear"},
      {"intersection()*absdiff(gamma=2)*sentropic(gamma=3)",
       "intersection*absdiff(gamma=2)*sentropic(gamma=3)"},
  };
  for (const auto& [text, canonical] : cases) {
    const KernelChoice choice = KernelChoice::parse(text);
    EXPECT_EQ(choice.text(), canonical) << text;
    EXPECT_EQ(KernelChoice::parse(choice.text()).text(), canonical) << text;
  }
}

TEST(KernelExpression, ASingleKernelIsTheNameAndItsOptions) {
  const KernelChoice choice = KernelChoice::parse("poly(gamma=0.5, degree=2, coef0=1)");
  const auto& kernel = std::get<Polynomial>(choice.kernel());
  EXPECT_EQ(kernel.gamma, 0.5);
  EXPECT_EQ(kernel.degree, 2);
  EXPECT_EQ(kernel.coef0, 1);
  EXPECT_EQ(choice.text(), "poly");
  EXPECT_EQ(option_values(choice).size(), 4u);
  EXPECT_EQ(KernelChoice::parse("rbf(gamma=median)").rule(), GammaRule::median());
  EXPECT_EQ(KernelChoice::parse("spectrum").text(), "spectrum(length=3)");
}

struct Illegal {
  std::string text;
  std::string expected;
};

std::vector<Illegal> illegal_texts() {
  return {
      {"rbf+", "character 5: expected a kernel, a number or '(', found the end"},
      {"+rbf", "character 1: expected a kernel"},
      {"rbf*", "character 5: expected a kernel"},
      {"*rbf", "character 1: expected a kernel"},
      {"rbf linear", "character 5: expected +, *, ^ or the end, found 'l'"},
      {"rbf)", "character 4: expected +, *, ^ or the end, found ')'"},
      {"(rbf", "character 5: expected ')' behind the expression in parentheses, found the end"},
      {"()", "character 2: expected a kernel"},
      {"rbf(", "character 5: expected the name of a parameter, found the end"},
      {"rbf(gamma", "expected '=' behind gamma, found the end"},
      {"rbf(gamma=", "character 11: gamma must be a number > 0"},
      {"rbf(gamma=0)", "character 11: gamma must be a number > 0"},
      {"rbf(gamma=-1)", "character 11: gamma must be"},
      {"rbf(gamma=inf)", "character 11: gamma must be"},
      {"rbf(gamma=quantile:2)", "character 11: gamma must be"},
      {"rbf(gamma=1", "character 12: expected ')' or ',' behind the parameter, found the end"},
      {"rbf(gamma=1,)", "character 13: expected the name of a parameter, found ')'"},
      {"rbf(gamma=1, gamma=2)", "character 14: gamma is given twice"},
      {"rbf(degree=2)", "character 5: rbf has no parameter degree"},
      {"rbf(gama=2)", "did you mean gamma?"},
      {"linear(gamma=2)", "character 8: linear has no parameter gamma, nor any other"},
      {"poly(degree=0)+linear", "character 13: degree must be a whole number from 1 to 1000"},
      {"poly(degree=2.5)+linear", "character 13: degree must be"},
      {"poly(coef0=nan)+linear", "character 12: coef0 must be a finite number"},
      {"gauss+linear", "character 1: no kernel is called gauss"},
      {"linear+rfb", "character 8: no kernel is called rfb; did you mean rbf?"},
      {"0*rbf", "character 1: a factor must be finite and > 0"},
      {"-1*rbf", "character 1: a difference of kernels"},
      {"rbf-linear+rbf", "character 1: no kernel is called rbf-linear"},
      {"rbf - linear", "character 5: expected +, *, ^ or the end, found '-'"},
      {"1e999*rbf", "character 1: a factor must be finite and > 0"},
      {"1e300*1e300*rbf", "the factor is inf, must be finite and > 0"},
      {"0.5rbf", "character 4: expected * and a kernel behind the number, found 'r'"},
      {"0.5", "character 4: expected * and a kernel behind the number, found the end"},
      {"rbf+0.5", "character 8: expected * and a kernel behind the number, found the end"},
      {".*rbf", "character 1: expected a number, found '.'"},
      {"rbf^0", "character 5: the exponent must be a whole number from 1 to 1000"},
      {"rbf^0.5", "character 5: the exponent must be"},
      {"rbf^x", "character 5: the exponent must be"},
      {"rbf^1001", "character 5: the exponent must be"},
      {"rbf^2^3", "character 6: expected +, *, ^ or the end"},
      {"normalize rbf", "expected '(' behind normalize, found 'r'"},
      {"normalize(rbf", "expected ')' behind its kernel, found the end"},
      {"center()", "character 8: expected a kernel"},
      {"precomputed+linear", "character 1: precomputed stands alone"},
      {"center(precomputed)", "character 8: precomputed stands alone"},
      {"spectrum+linear", "character 10: spectrum reads strings, the other kernels numbers"},
      {"spectrum(length=0)", "character 17: length must be a whole number from 1 to 1000"},
      {"", "character 1: expected a kernel"},
      {"   ", "expected a kernel"},
      {"rbf;linear", "character 4: expected +, *, ^ or the end, found ';'"},
      {"rbf+\n\x01\xff", "character 5: expected a kernel, a number or '(', found a byte"},
      {std::string("rbf\0+", 5), "character 4: expected"},
      {std::string(30, '(') + "rbf" + std::string(30, ')'), "nested deeper than 24 levels"},
      {"exp(exp(exp(exp(exp(exp(exp(rbf)))))))", "functions nested deeper than 6 levels"},
      {"iterate(rbf + iterate(exp(iterate(linear))))", "iterate nested deeper than 2 levels"},
      {std::string(100000, '('), "at most 4000"},
      {"normalize(" + std::string(3000, '('), "nested deeper than 24 levels"},
  };
}

std::string problem_of(const std::string& text) {
  try {
    static_cast<void>(KernelChoice::parse(text));
  } catch (const InvalidArgument& problem) {
    return problem.what();
  }
  return "none";
}

TEST(KernelExpression, IllegalTextsAreRefusedInOneLineWithPlaceAndExpectation) {
  for (const Illegal& illegal : illegal_texts()) {
    const std::string problem = problem_of(illegal.text);
    EXPECT_NE(problem.find(illegal.expected), std::string::npos) << illegal.text << "\n" << problem;
    EXPECT_EQ(problem.find('\n'), std::string::npos) << problem;
    EXPECT_TRUE(problem.starts_with("--kernel")) << problem;
    EXPECT_LT(problem.size(), 600u);
  }
}

TEST(KernelExpression, SizeIsLimited) {
  std::string sum = "linear";
  for (int i = 1; i < 32; ++i) sum += "+linear";
  EXPECT_EQ(problem_of(sum), "none");
  EXPECT_NE(problem_of(sum + "+linear").find("more than 32 kernels"), std::string::npos);
}

/// What set_options makes of these texts, or the message.
std::string kernel_after(const OptionTexts& texts) {
  KernelChoice choice;
  try {
    set_options(choice, texts, "this test");
    validate(choice);
  } catch (const InvalidArgument& problem) {
    return problem.what();
  }
  return choice.text();
}

TEST(KernelExpression, ParametersOfPartsAreOptions) {
  EXPECT_EQ(kernel_after({{"rbf.gamma", "0.1"}, {"kernel", "rbf+linear"}}),
            "rbf(gamma=0.1) + linear");
  EXPECT_EQ(kernel_after({{"kernel", "rbf+poly"}, {"poly.degree", "2"}, {"rbf.gamma", "median"}}),
            "rbf(gamma=median) + poly(gamma=1, degree=2, coef0=0)");
  EXPECT_EQ(kernel_after({{"kernel", "rbf+rbf"}, {"rbf[2].gamma", "0.5"}}),
            "rbf(gamma=scale) + rbf(gamma=0.5)");
  EXPECT_EQ(kernel_after({{"kernel", "rbf+linear"}, {"rbf[1].gamma", "2"}}),
            "rbf(gamma=2) + linear");
  EXPECT_EQ(kernel_after({{"kernel", "normalize(spectrum)"}, {"spectrum.length", "5"}}),
            "normalize(spectrum(length=5))");
  KernelChoice single;
  set_options(single, {{"kernel", "rbf(gamma=median)"}, {"rbf.gamma", "0.5"}}, "this test");
  EXPECT_EQ(gamma_of(single.kernel()), 0.5);
  EXPECT_FALSE(single.rule().has_value());
  EXPECT_NE(kernel_after({{"kernel", "rbf+rbf"}, {"rbf.gamma", "1"}}).find("more than one rbf"),
            std::string::npos);
  EXPECT_NE(kernel_after({{"kernel", "rbf+linear"}, {"rbf.gamma", "0"}})
                .find("--rbf.gamma 0: must be a number > 0"),
            std::string::npos);
  EXPECT_NE(kernel_after({{"kernel", "rbf+linear"}, {"rbf[2].gamma", "1"}}).find("does not take"),
            std::string::npos);
  EXPECT_NE(kernel_after({{"kernel", "rbf"}, {"rbf.gamma", "1"}}).find("does not take it"),
            std::string::npos);
}

TEST(KernelExpression, OptionsBesideAnExpressionAreRefused) {
  for (const char* const name : {"gamma", "degree", "coef0"}) {
    for (const char* const kernel : {"rbf+linear", "poly(degree=3)"}) {
      const std::string problem = kernel_after({{"kernel", kernel}, {name, "2"}});
      EXPECT_NE(problem.find("--kernel holds its parameters itself"), std::string::npos) << problem;
    }
  }
}

TEST(KernelExpression, RulesOfWidthsAreResolvedOnTheData) {
  const Examples rows(random_matrix(2, 20, 3, -1, 1));
  const Kernel kernel =
      KernelChoice::parse("rbf(gamma=median) + 2*laplace(gamma=auto)").resolved(rows);
  EXPECT_EQ(kernel_expression(kernel),
            "rbf(gamma=" + format_number(resolve_gamma(GammaRule::median(), rows)) +
                ") + 2*laplace(gamma=" + format_number(1.0 / 3) + ")");
  EXPECT_EQ(KernelChoice(kernel).text(), kernel_expression(kernel));
}

TEST(KernelExpression, DefinitenessFollowsFromTheParts) {
  for (const char* const text : {"rbf+linear", "center(rbf)", "iterate(sigmoid)", "exp(poly)^2"}) {
    EXPECT_FALSE(KernelChoice::parse(text).is_indefinite()) << text;
  }
  for (const char* const text : {"rbf+sigmoid",
                                 "center(sentropic)",
                                 "sigmoid*linear",
                                 "poly(coef0=-1)+linear",
                                 "normalize(sigmoid)"}) {
    EXPECT_TRUE(KernelChoice::parse(text).is_indefinite()) << text;
  }
}

}  // namespace
}  // namespace maxmargin
