// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/kernel/kernel.hpp"

/// Kernels from kernels. Every rule here keeps positive semidefiniteness (a difference does not,
/// so there is none). Rules that need the training set, the iterated kernel and centring in
/// feature space, act on Gram matrices: kernel/iterated.hpp, kernel/gram/centring.hpp.
namespace maxmargin {

/// A + B
struct SumRule {
  Kernel a;
  Kernel b;
};
/// A * B
struct ProductRule {
  Kernel a;
  Kernel b;
};
/// factor * K
struct ScaleRule {
  Kernel kernel;
  double factor;
};
/// K^exponent
struct PowerRule {
  Kernel kernel;
  int exponent;
};
/// sum_p coefficients[p] K^p
struct SeriesRule {
  Kernel kernel;
  std::vector<double> coefficients;
};
/// exp(K)
struct ExpRule {
  Kernel kernel;
};
/// f(x) f(z)
struct RankOneRule {
  std::string name;
  std::function<double(const Row&)> function;
};
/// K(D^(1/2) x, D^(1/2) z), D = diag(weights)
struct InputScalingRule {
  Kernel kernel;
  std::vector<double> weights;
};
/// K(x, z) / sqrt(K(x, x) K(z, z))
struct NormaliseRule {
  Kernel kernel;
};

/// The node behind a Combined kernel.
struct Combination {
  std::variant<SumRule,
               ProductRule,
               ScaleRule,
               PowerRule,
               SeriesRule,
               ExpRule,
               RankOneRule,
               InputScalingRule,
               NormaliseRule>
      rule;
};

/// K_a + K_b.
[[nodiscard]] MAXMARGIN_EXPORT Kernel sum_of(Kernel a, Kernel b);
/// K_a K_b.
[[nodiscard]] MAXMARGIN_EXPORT Kernel product_of(Kernel a, Kernel b);
/// factor K. Requires factor finite and > 0.
[[nodiscard]] MAXMARGIN_EXPORT Kernel scaled(Kernel kernel, double factor);
/// K^exponent. Requires exponent >= 1.
[[nodiscard]] MAXMARGIN_EXPORT Kernel power_of(Kernel kernel, int exponent);
/// coefficients[0] + coefficients[1] K + coefficients[2] K^2 + ... Requires at least one
/// coefficient, all finite and >= 0.
[[nodiscard]] MAXMARGIN_EXPORT Kernel polynomial_of(Kernel kernel,
                                                    std::vector<double> coefficients);
/// exp(K).
[[nodiscard]] MAXMARGIN_EXPORT Kernel exp_of(Kernel kernel);
/// f(x) f(z). `function` must be callable from several threads at once; `name` stands for it in
/// kernel_name, as a function cannot be written to a file.
[[nodiscard]] MAXMARGIN_EXPORT Kernel rank_one(std::string name,
                                               std::function<double(const Row&)> function);
/// K(D^(1/2) x, D^(1/2) z) with D = diag(weights); features beyond the weights are left out.
/// Requires weights finite and >= 0.
[[nodiscard]] MAXMARGIN_EXPORT Kernel with_scaled_inputs(Kernel kernel,
                                                         std::vector<double> weights);
/// K(x, z) / sqrt(K(x, x) K(z, z)), so that the diagonal is 1; 0 where K(x, x) or K(z, z) is 0.
/// Evaluation throws InvalidArgument where one of them is negative or not a number.
[[nodiscard]] MAXMARGIN_EXPORT Kernel normalised(Kernel kernel);

}  // namespace maxmargin
