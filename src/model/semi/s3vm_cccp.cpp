// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/s3vm.md
#include "maxmargin/model/semi/s3vm_cccp.hpp"

#include <cmath>

#include "maxmargin/core/require.hpp"
#include "model/semi/training.hpp"

namespace maxmargin {

namespace {

/// Every row to its side, and rows on the flat top of the loss out of the way.
std::vector<std::int8_t> sides(std::span<const double> values, double flat) {
  std::vector<std::int8_t> signs(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::int8_t side = values[k] >= 0 ? 1 : -1;
    signs[k] = std::abs(values[k]) < flat ? std::int8_t{0} : side;
  }
  return signs;
}

std::vector<UnlabelledCosts> rising_costs(double c, bool continuation) {
  constexpr int doublings = 10;
  if (c == 0) return {};
  std::vector<UnlabelledCosts> levels;
  for (int k = continuation ? doublings : 0; k >= 0; --k) {
    levels.push_back({std::ldexp(c, -k), std::ldexp(c, -k)});
  }
  return levels;
}

}  // namespace

void S3vmCccpOptions::validate() const {
  validate_semi_fields(
      "S3vmCccpOptions", c, unlabelled_c, kernel, allow_indefinite, solver, control);
  require_field(ramp > -1 && ramp <= 0, "S3vmCccpOptions.ramp", ramp, "in (-1, 0]");
}

TrainedSemiSupervised train_s3vm_cccp(const Dataset& data, const S3vmCccpOptions& options) {
  options.validate();
  const SemiTerms terms{.c = options.c,
                        .kernel = options.kernel,
                        .solver = options.solver,
                        .class_weights = options.class_weights,
                        .hold_mean = options.balance,
                        .control = options.control};
  const double flat = -options.ramp;
  const std::vector<UnlabelledCosts> levels =
      rising_costs(options.unlabelled_c.value_or(options.c), options.continuation);
  return train_semi_supervised(data, terms, [&](double, std::size_t) {
    return SemiRule{.assign = [flat](std::span<const double> values,
                                     std::span<const double>,
                                     const UnlabelledCosts&) { return sides(values, flat); },
                    .left_out = 1 - flat,
                    .levels = levels};
  });
}

}  // namespace maxmargin
