// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/combine.hpp"

#include <cmath>
#include <memory>

namespace maxmargin {

namespace {

template <class Rule>
Kernel combine(Rule rule) {
  return Combined(std::make_shared<const Combination>(Combination{std::move(rule)}));
}

}  // namespace

Kernel sum_of(Kernel a, Kernel b) { return combine(SumRule{std::move(a), std::move(b)}); }

Kernel product_of(Kernel a, Kernel b) { return combine(ProductRule{std::move(a), std::move(b)}); }

Kernel scaled(Kernel kernel, double factor) {
  require_field(std::isfinite(factor) && factor > 0, "scaled: factor", factor, "finite and > 0");
  return combine(ScaleRule{std::move(kernel), factor});
}

Kernel power_of(Kernel kernel, int exponent) {
  require_field(exponent >= 1, "the exponent of a kernel", exponent, ">= 1");
  return combine(PowerRule{std::move(kernel), exponent});
}

Kernel polynomial_of(Kernel kernel, std::vector<double> coefficients) {
  require(!coefficients.empty(), "a polynomial of a kernel must have a coefficient");
  for (const double c : coefficients) {
    require_field(std::isfinite(c) && c >= 0, "a coefficient of a kernel", c, "finite and >= 0");
  }
  return combine(SeriesRule{std::move(kernel), std::move(coefficients)});
}

Kernel exp_of(Kernel kernel) { return combine(ExpRule{std::move(kernel)}); }

Kernel rank_one(std::string name, std::function<double(const Row&)> function) {
  require(static_cast<bool>(function), "the function of the kernel is empty");
  return combine(RankOneRule{std::move(name), std::move(function)});
}

Kernel with_scaled_inputs(Kernel kernel, std::vector<double> weights, std::vector<double> origin) {
  for (const double w : weights) {
    require_field(std::isfinite(w) && w >= 0, "a weight of the inputs", w, "finite and >= 0");
  }
  require(origin.empty() || origin.size() == weights.size(),
          "the origin must have an entry for every weight");
  for (const double o : origin) {
    require_field(std::isfinite(o), "an entry of the origin", o, "finite");
  }
  return combine(InputScalingRule{std::move(kernel), std::move(weights), std::move(origin)});
}

Kernel with_origin(Kernel kernel, std::vector<double> origin) {
  std::vector<double> weights(origin.size(), 1.0);
  return with_scaled_inputs(std::move(kernel), std::move(weights), std::move(origin));
}

Kernel normalised(Kernel kernel) { return combine(NormaliseRule{std::move(kernel)}); }

}  // namespace maxmargin
