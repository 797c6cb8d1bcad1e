// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "arguments.hpp"
#include "maxmargin/data/text/feature_index.hpp"
#include "maxmargin/model/structured/sequence_tagger.hpp"

/// What `train --learner sequence` reads from the command line beside the data.
namespace maxmargin::tool {

/// --index, --hash-bits and --min-count.
[[nodiscard]] FeatureIndexOptions index_options(const Arguments& arguments);

/// --solver and what belongs to it. `has_pairs`: whether labels in a row have weights unless
/// --order says otherwise. Throws UsageError for options that the solver does not have.
[[nodiscard]] SequenceTaggerOptions tagger_options(const Arguments& arguments,
                                                   const SequenceData& data,
                                                   bool has_pairs);

/// What --solver says: a structural method, "crf" or "perceptron".
[[nodiscard]] std::string solver_name(const SequenceTaggerOptions& options);

/// Whether the objective in the report is that of the weights in the model, as --verify needs.
[[nodiscard]] bool has_objective(const SequenceTaggerOptions& options);

}  // namespace maxmargin::tool
