// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "learners.hpp"
#include "maxmargin/kernel/gamma.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/model/output_code.hpp"
#include "maxmargin/model/training.hpp"

/// The options that mean the same in every learner, read in one place. All of them throw UsageError
/// naming the option, its value and the rule.
namespace maxmargin::tool {

/// The number an option gives, which must satisfy `holds`; `fallback` where it is not given.
[[nodiscard]] double number_of(const Arguments& arguments,
                               std::string_view option,
                               double fallback,
                               bool (*holds)(double),
                               std::string_view rule);
/// --balance: a share in [0, 1), or empty for `none`.
[[nodiscard]] std::optional<double> balance_of(const Arguments& arguments,
                                               std::optional<double> fallback);

/// -C: > 0; inf (the hard margin) only where `infinite_allowed`.
[[nodiscard]] double cost_of(const TrainingInput& input, bool infinite_allowed);
/// Reads one value of -C, as the option or a grid gives it.
[[nodiscard]] double parse_cost(std::string_view text, bool infinite_allowed);
/// --nu: in (0, 1]; where it is a share of outliers, in [0, 1).
[[nodiscard]] double nu_of(const TrainingInput& input);
[[nodiscard]] double outlier_share_of(const TrainingInput& input);
/// --epsilon, >= 0.
[[nodiscard]] double epsilon_of(const TrainingInput& input);
/// --class-weight.
[[nodiscard]] ClassWeights class_weights_of(const TrainingInput& input);
/// --multiclass, one of `allowed`.
[[nodiscard]] MulticlassKind multiclass_of(const TrainingInput& input,
                                           std::string_view fallback,
                                           const std::vector<std::string>& allowed);
/// --code and --decoding: the code of --multiclass ecoc. Empty when neither is given.
[[nodiscard]] std::optional<OutputCode> code_of(const TrainingInput& input, const Dataset& data);
/// --memory-limit in bytes.
[[nodiscard]] std::optional<std::size_t> memory_limit_of(const Arguments& arguments);
/// --tolerance, --max-iterations, --threads, --seed, and the input's memory limit and callback.
[[nodiscard]] TrainingControl control_of(const TrainingInput& input);
/// --kernel, --gamma, --degree, --coef0; a rule for gamma is resolved on these examples.
[[nodiscard]] Kernel kernel_of(const TrainingInput& input,
                               const Examples& examples,
                               std::string_view fallback = "rbf");
/// The same; a kernel known not to be positive semidefinite needs --allow-indefinite
/// (refuse_indefinite).
[[nodiscard]] Kernel definite_kernel_of(const TrainingInput& input,
                                        const Examples& examples,
                                        std::string_view fallback = "rbf");
/// Throws UsageError, ending with `rest`, for a kernel known not to be positive semidefinite: by
/// its name, or by the eigenvalue measured of a precomputed one.
void refuse_indefinite(const Kernel& kernel, const TrainingInput& input, std::string_view rest);
/// A number > 0, scale, auto, median, quantile:Q or neighbour.
[[nodiscard]] GammaRule parse_gamma(std::string_view text);

/// What a report shows of a kernel, a control and class weights as used.
void show_kernel(const Kernel& kernel, ReportFields& fields);
void show_control(const TrainingControl& control, const TrainingInput& input, ReportFields& fields);
/// A whole number in a report.
[[nodiscard]] inline std::int64_t whole(std::uint64_t n) { return static_cast<std::int64_t>(n); }

}  // namespace maxmargin::tool
