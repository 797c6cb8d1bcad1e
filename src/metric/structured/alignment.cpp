// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/structured/alignment.hpp"

#include <limits>
#include <vector>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

std::size_t right_matches(const Alignment& reference,
                          const Alignment& predicted,
                          const AlignmentRule& rule) {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  const bool by_target = rule.side == AlignmentSide::target;
  std::vector<std::size_t> partner(by_target ? reference.target_end() : reference.known_end(),
                                   none);
  reference.for_each_step([&](AlignmentStep step, std::size_t i, std::size_t j) {
    if (step == AlignmentStep::match) partner[by_target ? i : j] = by_target ? j : i;
  });
  std::size_t right = 0;
  predicted.for_each_step([&](AlignmentStep step, std::size_t i, std::size_t j) {
    const std::size_t own = by_target ? i : j;
    const std::size_t other = by_target ? j : i;
    if (step != AlignmentStep::match || own >= partner.size() || partner[own] == none) return;
    const std::size_t away = other > partner[own] ? other - partner[own] : partner[own] - other;
    if (away <= rule.shift) ++right;
  });
  return right;
}

double alignment_quality(const Alignment& reference,
                         const Alignment& predicted,
                         const AlignmentRule& rule) {
  const std::size_t matches = reference.matches();
  require(matches > 0, "a reference alignment without matches has no quality to reach");
  return static_cast<double>(right_matches(reference, predicted, rule)) /
         static_cast<double>(matches);
}

double mean_alignment_quality(std::span<const Alignment> references,
                              std::span<const Alignment> predicted,
                              const AlignmentRule& rule) {
  require(references.size() == predicted.size(),
          "there must be one predicted alignment for every reference");
  require(!references.empty(), "there must be alignments to take the mean of");
  double sum = 0;
  for (std::size_t k = 0; k < references.size(); ++k) {
    sum += alignment_quality(references[k], predicted[k], rule);
  }
  return sum / static_cast<double>(references.size());
}

}  // namespace maxmargin
