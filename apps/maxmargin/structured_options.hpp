// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "arguments.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/solver/structural/method.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "option_names.hpp"

/// What all learners of structured outputs read from the command line and write into models alike.
namespace maxmargin::tool {

/// How they are trained; each learner adds its own.
inline constexpr std::array solving_options = names("C",
                                                    "solver",
                                                    "tolerance",
                                                    "max-iterations",
                                                    "memory-limit",
                                                    "checkpoint",
                                                    "checkpoint-every",
                                                    "resume");

/// --solver; block-coordinate Frank-Wolfe when it is not given.
[[nodiscard]] StructuralMethod structural_method_of(const Arguments& arguments);
/// --C, --tolerance, --max-iterations (1000; 10 for the online solvers), --seed, --threads and
/// --memory-limit. Throws UsageError for --verify with an online solver, which has no objective to
/// compare with.
[[nodiscard]] StructuralOptions structural_options_of(const Arguments& arguments);
/// --rescaling; margin when it is not given.
[[nodiscard]] Rescaling rescaling_of(const Arguments& arguments);

/// The fields of a report that say how it was solved, up to a tolerance.
[[nodiscard]] ReportFields shown_solving(StructuralMethod method, const StructuralOptions& options);
/// Keeps how training ended, and its options, in the model.
void keep_training(const SolveReport& report, const ReportFields& options, ModelDocument& document);

}  // namespace maxmargin::tool
