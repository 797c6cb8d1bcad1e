// SPDX-License-Identifier: Apache-2.0
//
// Machines that learn from unlabelled rows too, by sequences of trainings: tsvm and s3vm-cccp.
#include <array>
#include <cmath>

#include "kept_dual.hpp"
#include "learner_options.hpp"
#include "learners.hpp"
#include "maxmargin/model/semi/s3vm_cccp.hpp"
#include "maxmargin/model/semi/tsvm.hpp"
#include "option_names.hpp"
#include "semi_answer.hpp"

namespace maxmargin::tool {

namespace {

std::optional<double> unlabelled_cost(const TrainingInput& input) {
  if (!input.arguments.has("unlabeled-cost")) return std::nullopt;
  return number_of(
      input.arguments,
      "unlabeled-cost",
      0,
      [](double cost) { return std::isfinite(cost) && cost >= 0; },
      "a finite number >= 0");
}

double ramp_of(const TrainingInput& input, double fallback) {
  return number_of(
      input.arguments,
      "ramp",
      fallback,
      [](double s) { return s > -1 && s <= 0; },
      "a number in (-1, 0]");
}

/// --solver, decided for the kernel and the number of rows.
SemiSolver solver_of(const TrainingInput& input, const Kernel& kernel, std::size_t rows) {
  const std::string name =
      input.arguments.choice_or("solver", "automatic", {"automatic", "kernel", "features"});
  if (name == "features" && !std::holds_alternative<Linear>(kernel)) {
    throw UsageError("--solver features: the kernel " + kernel_name(kernel) + " is not linear");
  }
  return resolve_solver(parse_semi_solver(name), kernel, rows);
}

/// The options that both learners have.
template <class Options>
void take_common_options(Options& options, const Dataset& data, const TrainingInput& input) {
  options.c = cost_or_100(input);
  options.unlabelled_c = unlabelled_cost(input);
  options.kernel = definite_kernel_of(input, data.examples, "linear");
  options.solver = solver_of(input, options.kernel, data.size());
  options.class_weights = class_weights_of(input);
  options.allow_indefinite = input.arguments.has("allow-indefinite");
  options.control = control_of(input);
}

template <class Options>
ReportFields common_fields(const Options& options) {
  ReportFields fields = {{"C", options.c},
                         {"unlabeled_cost", options.unlabelled_c.value_or(options.c)}};
  show_kernel(options.kernel, fields);
  fields.emplace_back("solver", std::string(to_string(options.solver)));
  fields.emplace_back("multiclass", std::string("ovr"));
  return fields;
}

TrainingAnswer run_tsvm(const Dataset& data, const TrainingInput& input) {
  TsvmOptions options;
  take_common_options(options, data, input);
  options.balance = balance_of(input.arguments, 0.1);
  ReportFields fields = common_fields(options);
  fields.emplace_back("balance", shown_balance(options.balance));
  return run_semi(data,
                  input,
                  options.control,
                  std::move(fields),
                  [&](const Dataset& rows, const TrainingControl& control) {
                    TsvmOptions here = options;
                    here.control = control;
                    return train_tsvm(rows, here);
                  });
}

TrainingAnswer run_s3vm_cccp(const Dataset& data, const TrainingInput& input) {
  S3vmCccpOptions options;
  take_common_options(options, data, input);
  options.balance = balance_of(input.arguments, 0.1).has_value();
  options.ramp = ramp_of(input, options.ramp);
  options.continuation = input.arguments.has("continuation");
  ReportFields fields = common_fields(options);
  fields.emplace_back("balance", std::string(options.balance ? "mean" : "none"));
  fields.emplace_back("ramp", options.ramp);
  fields.emplace_back("continuation", options.continuation);
  return run_semi(data,
                  input,
                  options.control,
                  std::move(fields),
                  [&](const Dataset& rows, const TrainingControl& control) {
                    S3vmCccpOptions here = options;
                    here.control = control;
                    return train_s3vm_cccp(rows, here);
                  });
}

constexpr std::array first_takes =
    joined(names("C", "unlabeled-cost"), kernel_names, names("solver", "balance"));
constexpr std::array last_takes = names("safe", "class-weight", "allow-indefinite", "memory-limit");
constexpr std::array tsvm_takes = joined(first_takes, last_takes);
constexpr std::array s3vm_cccp_takes =
    joined(first_takes, names("ramp", "continuation"), last_takes);

constexpr std::array family = {
    LearnerSpec{"tsvm",
                "transductive machine: also labels the unlabelled rows (?), by exchanging labels",
                TaskKind::classification,
                tsvm_takes,
                run_tsvm,
                nullptr,
                nullptr,
                check_tsvm},
    LearnerSpec{"s3vm-cccp",
                "semi-supervised machine: symmetric ramp on unlabelled rows (?), convex steps",
                TaskKind::classification,
                s3vm_cccp_takes,
                run_s3vm_cccp,
                nullptr,
                nullptr,
                check_s3vm_cccp}};

}  // namespace

std::span<const LearnerSpec> semi_supervised_learners() { return family; }

}  // namespace maxmargin::tool
