// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "maxmargin/data/sequences.hpp"
#include "maxmargin/learner/data.hpp"
#include "maxmargin/structured/tasks/chain_rules.hpp"

namespace maxmargin::learning {

/// Tags B- that begin no second chunk of the type before them, which IOB1 has no place for, become
/// I-: the chunks stay the same. Returns how many there were.
std::size_t repair_chunk_tags(ChunkScheme scheme,
                              const std::vector<std::string>& label_names,
                              std::vector<LabelSequence>& labels);

/// All tags of a file must keep the rules that predictions are to keep. Throws ParseError with the
/// line of the first that does not.
void check_chunk_tags(const SequenceData& data,
                      ChunkScheme scheme,
                      const std::string& path,
                      SequenceFormat format);

}  // namespace maxmargin::learning
