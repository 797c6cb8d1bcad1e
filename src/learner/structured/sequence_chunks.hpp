// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "maxmargin/data/sequences.hpp"
#include "maxmargin/learner/data.hpp"
#include "maxmargin/structured/tasks/chain_rules.hpp"

namespace maxmargin::learning {

/// All tags of a file must keep the rules that predictions are to keep. Throws ParseError with the
/// line of the first that does not.
void check_chunk_tags(const SequenceData& data,
                      ChunkScheme scheme,
                      const std::string& path,
                      SequenceFormat format);

}  // namespace maxmargin::learning
