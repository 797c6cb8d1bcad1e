// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/learner/learner.hpp"

/// The header that all models have (docs/guide/model-file.md): learner, task, library, seed, how
/// the training ended, and the options as used.
namespace maxmargin::learning {

/// A document that begins with the header, as far as it is known.
[[nodiscard]] ModelDocument document_with_header(const ModelHeader& header);
/// The same of a training; the learner adds its body. `options` are by key; those that are no
/// options of the learner but follow from them stand behind the header as `found.KEY`.
[[nodiscard]] ModelDocument document_with_header(const Learner& learner,
                                                 const ReportFields& options,
                                                 std::uint64_t seed,
                                                 std::size_t examples,
                                                 const SolveReport& report);
/// Adds the fields and sections of `body` behind what is there.
void append_body(ModelDocument& document, const ModelDocument& body);

/// The header of a document of this or an earlier format. Throws ModelFormatError.
[[nodiscard]] ModelHeader header_of(const ModelDocument& document);

/// Does the model await kernel values in place of rows?
[[nodiscard]] bool has_precomputed_kernel(const ModelDocument& document);

/// The options that a model keeps, by the names that `known` has; keys that none of them has are
/// left out (results that files of format 1 keep among them).
[[nodiscard]] OptionTexts kept_options(const ModelHeader& header,
                                       const std::vector<OptionDescription>& known);

/// Thrown where there turns out to be nothing to recompute: the message is the reason.
class NothingToVerify : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

/// What `call` returns. Where it throws InvalidArgument the document is to blame: ModelFormatError
/// with its name and the same text. For calls whose data was checked before.
template <class Call>
auto blaming(const ModelDocument& document, const Call& call) {
  try {
    return call();
  } catch (const InvalidArgument& broken) {
    throw ModelFormatError(document.source(), {}, broken.what());
  }
}

/// Throws ModelFormatError, with the name of the file, for a model of format 2 whose task is not
/// its learner's.
void check_task(const ModelHeader& header, const Learner& learner, const std::string& source);
/// The same for an option that breaks its rule and, since format 2, one that the learner does not
/// have. Rules between options are those of a request, and what was used need not keep them.
void check_kept_options(const ModelHeader& header,
                        const Learner& learner,
                        const std::string& source);
/// The same of what is no learner: `who` has the options `known`, whose rules `check` knows.
void check_kept_options(const ModelHeader& header,
                        const std::vector<OptionDescription>& known,
                        const std::string& who,
                        const std::function<void(const OptionTexts&)>& check,
                        const std::string& source);

}  // namespace maxmargin::learning
