// SPDX-License-Identifier: Apache-2.0
//
// From data and the text of options to a trained machine.
#include <algorithm>
#include <numeric>

#include "core/settle.hpp"
#include "learner/feature_checks.hpp"
#include "learner/settle.hpp"
#include "learner/supervised/fitting.hpp"
#include "learner/supervised/supervised.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "model/kernel/proof.hpp"

namespace maxmargin::learning {

Fit fit_of(TrainedClassifier trained) {
  return {.machine = std::move(trained.model),
          .report = std::move(trained.report),
          .machines = std::move(trained.machines),
          .training_values = std::move(trained.training_values),
          .dual_coefficients = std::move(trained.dual_coefficients)};
}

Fit fit_of(TrainedRegressor trained) {
  return {.machine = std::move(trained.model),
          .report = std::move(trained.report),
          .machines = std::move(trained.machines),
          .dual_coefficients = std::move(trained.dual_coefficients)};
}

namespace {

/// The rows as a training sees them; `holder` keeps the scaled copy.
const Dataset& scaled(const Dataset& data,
                      const ScalingOptions& options,
                      const FitInput& input,
                      std::optional<Scaler>& scaler,
                      Dataset& holder) {
  if (options.kind == ScalingKind::none) return data;
  if (data.holds_strings) throw InvalidArgument("--scale: strings have no features to scale");
  if (input.kernel_matrix != nullptr) {
    throw InvalidArgument("--scale: a precomputed kernel has no features to scale");
  }
  // One look at the data, which is not to be stopped; what follows asks again.
  (void)input.context.ask({.phase = "scale"});
  scaler = fit_scaler(data.examples, options);
  holder = data;
  holder.examples = scaler->apply(std::move(holder.examples));
  return holder;
}

/// The largest K(x, x) over the rows, in the kernel of the machine.
double largest_self_product(const Machine& machine,
                            const Examples& rows,
                            std::optional<std::size_t> threads) {
  const Kernel* const found = kernel_of(machine);
  const Kernel kernel = found == nullptr ? Kernel(Linear{}) : *found;
  if (std::holds_alternative<Combined>(kernel)) {
    const std::vector<double> own =
        kernel_diagonal(kernel, rows, {.context = {.threads = threads}});
    return own.empty() ? 0.0 : std::max(0.0, std::ranges::max(own));
  }
  double largest = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    largest = std::max(largest, evaluate(kernel, rows.row(i), rows.row(i)));
  }
  return largest;
}

/// What the machine needs to take examples as they are in the data.
void describe_inputs(Machine& machine, const Dataset& data, const std::optional<Scaler>& scaler) {
  std::visit(
      [&](auto& each) {
        each.scaler = scaler;
        each.feature_names = data.feature_names;
      },
      machine);
}

/// What was found stands over what was given.
void put(ReportFields& fields, const std::string& key, ReportValue value) {
  const auto at = std::ranges::find(fields, key, &ReportFields::value_type::first);
  if (at != fields.end()) {
    at->second = std::move(value);
  } else {
    fields.emplace_back(key, std::move(value));
  }
}

/// The options as used: those of the learner, then those that all take.
void complete_options(Fit& fit, const SharedOptions& shared) {
  for (auto& [key, value] : fit.used) put(fit.options, key, std::move(value));
  fit.used.clear();
  if (shared.probabilities) {
    put(fit.options, "probabilities", std::string(to_string(*shared.probabilities)));
  }
  put(fit.options, "scale", to_string(shared.scale));
}

}  // namespace

std::vector<Fit> SupervisedLearner::fit_path_in_order(const Dataset& rows,
                                                      const OptionTexts& own,
                                                      const FitInput& input,
                                                      std::span<const double> c_values) const {
  std::vector<std::size_t> order(c_values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return c_values[a] < c_values[b];
  });
  std::vector<double> rising;
  for (const std::size_t i : order) rising.push_back(c_values[i]);
  std::vector<Fit> found = fit_own_path(rows, own, input, rising);
  std::vector<Fit> fits(c_values.size());
  for (Fit& fit : fits) fit.report.status = Status::stopped_by_callback;
  for (std::size_t i = 0; i < found.size(); ++i) fits[order[i]] = std::move(found[i]);
  return fits;
}

std::vector<Fit> SupervisedLearner::fit_plain(const Dataset& data,
                                              const OptionTexts& own,
                                              const SharedOptions& shared,
                                              const FitInput& input,
                                              std::span<const double> c_values) const {
  check_strings(data, asks_for_strings(own));
  std::optional<Scaler> scaler;
  Dataset holder;
  const Stopwatch watch;
  const Dataset& rows = scaled(data, shared.scale, input, scaler, holder);
  const double scaling_seconds = watch.seconds();
  std::vector<Fit> fits;
  if (c_values.size() > 1 && has_path()) {
    fits = fit_path_in_order(rows, own, input, c_values);
  } else if (c_values.empty()) {
    fits.push_back(fit_own(rows, own, input));
  } else {
    for (const double c : c_values) {
      OptionTexts at_c = own;
      at_c.emplace_back("C", format_number(c));
      fits.push_back(fit_own(rows, at_c, input));
    }
  }
  for (Fit& fit : fits) {
    if (may_be_indefinite() && input.negative_eigenvalue) {
      take_back_proof(fit.machines, fit.report);
    }
    for (MachineReport& machine : fit.machines) settle(machine.report);
    settle(fit.report);
    describe_inputs(fit.machine, data, scaler);
    if (scaler) fit.report.seconds.emplace(fit.report.seconds.begin(), "scale", scaling_seconds);
    fit.squared_radius = largest_self_product(fit.machine, rows.examples, input.context.threads);
    complete_options(fit, shared);
    settle_status(info(), fit.options, fit.report, fit.objects, fit.tables);
  }
  return fits;
}

Fit SupervisedLearner::fit(const Dataset& data,
                           const OptionTexts& options,
                           const FitInput& input) const {
  if (const SupervisedLearner& other = effective(options); &other != this) {
    return other.fit(data, options, input);
  }
  OptionTexts own = options;
  const SharedOptions shared = take_shared(own, calibrates());
  Fit fit = std::move(fit_plain(data, own, shared, input, {}).front());
  if (shared.probabilities) {
    calibrate(
        fit, *shared.probabilities, data, input, [&](const Dataset& rows, const FitInput& of_fold) {
          return std::move(fit_plain(rows, own, shared, of_fold, {}).front());
        });
  }
  return fit;
}

std::vector<Fit> SupervisedLearner::fit_path(const Dataset& data,
                                             const OptionTexts& options,
                                             const FitInput& input,
                                             std::span<const double> c_values) const {
  if (const SupervisedLearner& other = effective(options); &other != this) {
    return other.fit_path(data, options, input, c_values);
  }
  OptionTexts own = options;
  const SharedOptions shared = take_shared(own, calibrates());
  if (!shared.probabilities) return fit_plain(data, own, shared, input, c_values);
  // Every machine is calibrated by itself.
  std::vector<Fit> fits;
  for (const double c : c_values) {
    OptionTexts at_c = options;
    at_c.emplace_back("C", format_number(c));
    fits.push_back(fit(data, at_c, input));
  }
  return fits;
}

}  // namespace maxmargin::learning
