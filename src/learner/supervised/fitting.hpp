// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "learner/supervised/supervised.hpp"
#include "maxmargin/kernel/kernel.hpp"

/// Steps around the training of a machine, whatever the learner.
namespace maxmargin::learning {

/// SharedOptions with their defaults.
[[nodiscard]] std::vector<OptionDescription> describe_shared(bool calibrates);
/// The shared options among the given ones, which are taken out of them. Throws InvalidArgument.
[[nodiscard]] SharedOptions take_shared(OptionTexts& options, bool calibrates);

/// What a training of this data by the request is given.
[[nodiscard]] FitInput fit_input(const TableData& given, const TrainingRequest& request);

/// The input of `parts` trainings that run side by side: a share of the memory, nothing kept for a
/// certificate. They ask the callback of the run whether to continue, with an empty Progress, as
/// there is nothing of theirs to show. `progress` must take calls of several threads
/// (called_in_turn).
[[nodiscard]] FitInput input_of_part(FitInput input,
                                     std::size_t parts,
                                     const ProgressCallback& progress);

/// Calibrates the machine of the fit by machines that `train` trains on parts of the data.
void calibrate(Fit& fit,
               CalibrationKind kind,
               const Dataset& data,
               const FitInput& input,
               const std::function<Fit(const Dataset& rows, const FitInput& input)>& train);

/// What is to be said of features of very different ranges, to a machine of this kernel or of none;
/// empty: nothing.
[[nodiscard]] std::string remark_on_ranges(const Dataset& data, const Kernel* kernel);
/// Warns of unscaled features of very different ranges: an rbf kernel sees the wide ones alone, and
/// solvers take long.
void warn_of_ranges(Fit& fit, const Dataset& data);
/// Warns where a solve ended by the limit that stands where no max-iterations are given.
void warn_of_default_limit(Fit& fit, const OptionTexts& options);

}  // namespace maxmargin::learning
