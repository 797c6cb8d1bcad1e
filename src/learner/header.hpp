// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/learner/learner.hpp"

/// The header that all models have (docs/guide/model-file.md): learner, task, library, seed, how
/// the training ended, and the options as used.
namespace maxmargin::learning {

/// A document that begins with the header; the learner adds its body. `options` are by key.
[[nodiscard]] ModelDocument document_with_header(const LearnerInfo& info,
                                                 const ReportFields& options,
                                                 std::uint64_t seed,
                                                 std::size_t examples,
                                                 const SolveReport& report);
/// Adds the fields and sections of `body` behind what is there.
void append_body(ModelDocument& document, ModelDocument body);

/// The header of a document of this or an earlier format. Throws ModelFormatError.
[[nodiscard]] ModelHeader header_of(const ModelDocument& document);

/// The options that a model keeps, by the names that `known` has; keys that none of them has are
/// left out (results that files of format 1 keep among them).
[[nodiscard]] OptionTexts kept_options(const ModelHeader& header,
                                       const std::vector<OptionDescription>& known);

/// Hands the options that the model keeps to `check`. Where that throws InvalidArgument the file is
/// to blame: ModelFormatError with its name and the same text. Rules between options are those of
/// a request, and what was used need not keep them (check_option_values).
void check_kept_options(const Model& model, const std::function<void(const OptionTexts&)>& check);

}  // namespace maxmargin::learning
