// SPDX-License-Identifier: Apache-2.0
//
// Kernel machines with a real answer: svr, nu-svr, one-class and svdd.
#include <array>
#include <cmath>

#include "learner_options.hpp"
#include "learners.hpp"
#include "maxmargin/model/kernel/svr.hpp"
#include "option_names.hpp"

namespace maxmargin::tool {

namespace {

KernelMachineOptions machine_options(const Dataset& data, const TrainingInput& input) {
  KernelMachineOptions options;
  options.kernel = definite_kernel_of(input, data.examples);
  options.shrinking = input.shrinking;
  options.kkt_tolerance = input.kkt_tolerance;
  options.allow_indefinite = input.arguments.has("allow-indefinite");
  options.control = control_of(input);
  return options;
}

/// The answer with the options of the machine after those in `first`.
TrainingAnswer answer_of(TrainedRegressor fit,
                         ReportFields first,
                         const KernelMachineOptions& machine,
                         const TrainingInput& input) {
  TrainingAnswer answer{.machine = std::move(fit.model),
                        .report = std::move(fit.report),
                        .machines = std::move(fit.machines),
                        .options = std::move(first)};
  show_kernel(machine.kernel, answer.options);
  show_control(machine.control, input, answer.options);
  return answer;
}

TrainingAnswer run_svr(const Dataset& data, const TrainingInput& input) {
  const SvrOptions options{.c = cost_of(input, false),
                           .epsilon = epsilon_of(input),
                           .bias = !input.arguments.has("no-bias"),
                           .machine = machine_options(data, input)};
  return answer_of(train_svr(data, options),
                   {{"C", options.c}, {"epsilon", options.epsilon}, {"bias", options.bias}},
                   options.machine,
                   input);
}

TrainingAnswer run_nu_svr(const Dataset& data, const TrainingInput& input) {
  const NuSvrOptions options{
      .c = cost_of(input, false), .nu = nu_of(input), .machine = machine_options(data, input)};
  TrainedNuSvr trained = train_nu_svr(data, options);
  TrainingAnswer answer = answer_of(
      std::move(trained.fit), {{"C", options.c}, {"nu", options.nu}}, options.machine, input);
  answer.metrics = {{"tube", trained.epsilon}};
  return answer;
}

TrainingAnswer run_one_class(const Dataset& data, const TrainingInput& input) {
  const OneClassOptions options{.nu = nu_of(input), .machine = machine_options(data, input)};
  return answer_of(train_one_class(data, options), {{"nu", options.nu}}, options.machine, input);
}

TrainingAnswer run_svdd(const Dataset& data, const TrainingInput& input) {
  const SvddOptions options{.nu = outlier_share_of(input), .machine = machine_options(data, input)};
  TrainedSvdd trained = train_svdd(data, options);
  TrainingAnswer answer =
      answer_of(std::move(trained.fit), {{"nu", options.nu}}, options.machine, input);
  answer.metrics = {{"radius", std::sqrt(std::max(0.0, trained.squared_radius))}};
  return answer;
}

using Verifier = Certificate (*)(const Regressor&,
                                 const Dataset&,
                                 const MachineTerms&,
                                 std::optional<std::size_t>);
template <Verifier verify>
Certificate check(const Machine& machine,
                  const Dataset& data,
                  const MachineTerms& terms,
                  std::optional<std::size_t> threads) {
  return verify(std::get<Regressor>(machine), data, terms, threads);
}

constexpr std::array svr_takes = joined(
    names("C", "epsilon"), kernel_names, names("no-bias", "allow-indefinite", "memory-limit"));
constexpr std::array nu_svr_takes =
    joined(names("C", "nu"), kernel_names, names("allow-indefinite", "memory-limit"));
constexpr std::array one_class_takes =
    joined(names("nu"), kernel_names, names("allow-indefinite", "memory-limit"));

constexpr std::array family = {
    LearnerSpec{"svr",
                "kernel regression with an insensitive tube of half width epsilon",
                TaskKind::regression,
                svr_takes,
                run_svr,
                nullptr,
                check<verify_svr>},
    LearnerSpec{"nu-svr",
                "kernel regression that finds the tube from the share outside it",
                TaskKind::regression,
                nu_svr_takes,
                run_nu_svr,
                nullptr,
                check<verify_nu_svr>},
    LearnerSpec{"one-class",
                "support of a distribution: 1 inside, -1 outside, a share nu outside",
                TaskKind::one_class,
                one_class_takes,
                run_one_class,
                nullptr,
                check<verify_one_class>},
    LearnerSpec{"svdd",
                "least sphere around the data in feature space, a share nu outside",
                TaskKind::one_class,
                one_class_takes,
                run_svdd,
                nullptr,
                check<verify_svdd>}};

}  // namespace

std::span<const LearnerSpec> kernel_functions() { return family; }

}  // namespace maxmargin::tool
