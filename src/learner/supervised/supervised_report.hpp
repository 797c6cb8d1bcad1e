// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "learner/supervised/supervised.hpp"

/// What trainings, cross-validations and searches report alike.
namespace maxmargin::learning {

/// A report of a learner on data with the options as used, and the seed.
[[nodiscard]] RunReport learner_report(const LearnerInfo& info,
                                       const Dataset& data,
                                       const ReportFields& options,
                                       const Context& context);

/// The whole report of a training: how it ended, what the machine says about its training rows, its
/// size and, where labels were hidden, the error on those rows.
[[nodiscard]] RunReport training_report(const LearnerInfo& info,
                                        const Fit& fit,
                                        const TableData& given,
                                        const Context& context);

}  // namespace maxmargin::learning
