// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "maxmargin/data/coreference.hpp"
#include "maxmargin/data/partition.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/metric/structured/partition.hpp"

namespace maxmargin::learning {

/// Sums of scores over documents, and how many documents are right as a whole.
class PartitionMeasures {
 public:
  void add(const Partition& truth, const Partition& predicted);
  /// Items of which a side may lack some.
  void add(const AlignedMentions& items);

  /// Adds losses, F1 of every score and their table.
  void add_to(RunReport& report) const;

 private:
  void add(const PartitionScores& scores);

  PartitionScores sum_ = {};
  std::size_t right_ = 0;
};

/// The items of two versions of a document by their names.
[[nodiscard]] AlignedMentions align_items(std::span<const std::string> key_names,
                                          const Partition& key,
                                          std::span<const std::string> response_names,
                                          const Partition& response);

}  // namespace maxmargin::learning
