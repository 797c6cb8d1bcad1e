// SPDX-License-Identifier: Apache-2.0
#include "model/verify/bias.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "maxmargin/cluster/mmc/mmc.hpp"
#include "maxmargin/data/generators.hpp"

namespace maxmargin {
namespace {

TEST(BiasOffset, NoneHasNoOffset) {
  const std::vector<double> values = {1, 2, 3};
  EXPECT_TRUE(is_offset_of_bias(KernelBias::none, 0, values, 10));
  EXPECT_FALSE(is_offset_of_bias(KernelBias::none, 1e-300, values, 10));
}

TEST(BiasOffset, CentredValuesAddUpToNothing) {
  const std::vector<double> values = {1, 2, 3};
  EXPECT_TRUE(is_offset_of_bias(KernelBias::center, -2, values, 10));
  EXPECT_TRUE(is_offset_of_bias(KernelBias::center, -2 + 1e-15, values, 10));
  EXPECT_FALSE(is_offset_of_bias(KernelBias::center, -2 + 1e-9, values, 10));
  EXPECT_FALSE(is_offset_of_bias(KernelBias::center, std::nan(""), values, 10));
}

TEST(BiasOffset, ConstantMayHaveAny) {
  EXPECT_TRUE(is_offset_of_bias(KernelBias::constant, 17, std::vector<double>{1, 2}, 10));
}

// What `cluster --method mmc --verify` asks of a machine.
TEST(BiasOffset, ChangedOffsetOfAClusteringIsFound) {
  const Dataset data = generate_circles({.n = 30});
  for (const KernelBias bias : {KernelBias::center, KernelBias::none}) {
    MmcOptions options;
    options.bias = bias;
    options.restarts = 2;
    const KernelExpansion function = cluster_mmc(data, Rbf{.gamma = 2}, options).model.functions;
    const DenseMatrix found =
        decision_values(function, data.examples, {.precision = ValuePrecision::exact});
    const double offset = function.offsets.front();
    std::vector<double> values;
    double size = 0;
    for (const double value : found.values()) values.push_back(value - offset);
    for (const double a : function.coefficients.values()) size += std::abs(a);
    EXPECT_TRUE(is_offset_of_bias(bias, offset, values, size));
    EXPECT_FALSE(is_offset_of_bias(bias, offset + 1e-3, values, size));
  }
}

}  // namespace
}  // namespace maxmargin
