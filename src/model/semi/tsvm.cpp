// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/s3vm.md
#include "maxmargin/model/semi/tsvm.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernel/near_origin.hpp"
#include "model/kernel/training.hpp"
#include "model/semi/training.hpp"

namespace maxmargin {

namespace {

/// Of all sign vectors with a number of +1 in the window, one of least loss: the rows that gain
/// most from +1 get it.
std::vector<std::int8_t> best_in_window(std::span<const double> values,
                                        std::span<const double> weights,
                                        const UnlabelledCosts& costs,
                                        const SignWindow& window) {
  const std::size_t count = values.size();
  std::vector<double> preference(count);
  std::size_t willing = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double as_negative = costs.negative * std::max(0.0, 1 + values[k]);
    const double as_positive = costs.positive * std::max(0.0, 1 - values[k]);
    preference[k] = weights[k] * (as_negative - as_positive);
    willing += preference[k] >= 0 ? 1U : 0U;
  }
  const std::size_t positives = std::clamp(willing, window.least, window.most);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return preference[a] > preference[b]; });
  std::vector<std::int8_t> signs(count, -1);
  for (std::size_t k = 0; k < positives; ++k) signs[order[k]] = 1;
  return signs;
}

/// Costs that double from 1e-5 of c, those of the two signs in Joachims' ratio share / (1 - share),
/// shared out so that neither sign is the special one. Requires 0 < share < 1.
std::vector<UnlabelledCosts> doubling_costs(double c, double share) {
  constexpr double first = 1e-5;
  if (c == 0) return {};
  const double positive = 2 * share;
  const double negative = 2 * (1 - share);
  std::vector<UnlabelledCosts> levels;
  for (double part = first;; part *= 2) {
    levels.push_back({.positive = c * std::min(1.0, positive * part),
                      .negative = c * std::min(1.0, negative * part)});
    if (positive * part >= 1 && negative * part >= 1) return levels;
  }
}

}  // namespace

void TsvmOptions::describe(OptionVisitor& visit) {
  describe_semi(visit, c, unlabelled_c, kernel, allow_indefinite, solver);
  describe_balance(visit, balance);
  describe_class_weights(visit, class_weights);
  control.describe(visit);
}

TrainedSemiSupervised train_tsvm(const Dataset& data, const TsvmOptions& options) {
  validate(options);
  const Kernel given = resolved_kernel(options.kernel, data, options.control);
  // Features are those of the data.
  const bool by_kernel = resolve_solver(options.solver, given, data.size()) == SemiSolver::kernel;
  const Kernel kernel = by_kernel ? near_origin(given, data.examples) : given;
  const SemiTerms terms{.c = options.c,
                        .kernel = kernel,
                        .solver = options.solver,
                        .class_weights = options.class_weights,
                        .control = options.control};
  const double last = options.unlabelled_c.value_or(options.c);
  return train_semi_supervised(data, terms, [&](double share, std::size_t unlabelled) {
    const SignWindow window = options.balance ? share_window(share, unlabelled, *options.balance)
                                              : SignWindow{.least = 0, .most = unlabelled};
    return SemiRule{.assign =
                        [window](std::span<const double> values,
                                 std::span<const double> weights,
                                 const UnlabelledCosts& costs) {
                          return best_in_window(values, weights, costs, window);
                        },
                    .levels = doubling_costs(last, share)};
  });
}

}  // namespace maxmargin
