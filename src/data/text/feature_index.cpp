// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/text/feature_index.hpp"

#include <algorithm>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

void FeatureIndexOptions::describe(OptionVisitor& visit) {
  visit.name({.name = "index", .help = "how features of text get their numbers"}, kind);
  visit.whole({.name = "hash-bits",
               .help = "hashed features have numbers below 2^N; larger: fewer share one"},
              hash_bits,
              {.least = 1, .most = 31});
  visit.whole({.name = "min-count", .help = "features seen less often are left out"},
              minimum_count,
              {.least = 1, .most = 0xffffffffu});
  visit.rule(kind == FeatureIndexKind::dictionary || minimum_count == 1,
             "--min-count: belongs to --index dictionary");
  visit.rule(kind == FeatureIndexKind::hashed || hash_bits == usual_hash_bits,
             "--hash-bits: belongs to --index hashed");
}

FeatureIndex::FeatureIndex(const FeatureIndexOptions& options) : options_(options) {
  maxmargin::validate(options);
  is_frozen_ = is_hashed();
}

FeatureIndex::FeatureIndex(StringTable names) : is_frozen_(true), names_(std::move(names)) {}

void FeatureIndex::count(std::string_view feature, std::uint64_t hash, std::uint64_t times) {
  require(!is_frozen_, "the index is frozen");
  const std::uint32_t number = names_.add(feature, hash);
  if (options_.minimum_count == 1) return;
  if (number == counts_.size()) counts_.push_back(0);
  // No count beyond the bound matters, so that none can overflow.
  counts_[number] = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      options_.minimum_count, counts_[number] + std::min<std::uint64_t>(times, 0xffffffffu)));
}

void FeatureIndex::freeze() {
  if (is_frozen_) return;
  is_frozen_ = true;
  if (options_.minimum_count == 1) return;
  std::vector<bool> kept(counts_.size());
  for (std::size_t number = 0; number < counts_.size(); ++number) {
    kept[number] = counts_[number] >= options_.minimum_count;
  }
  names_.keep(kept);
  counts_ = {};
}

std::size_t FeatureIndex::memory_bytes() const noexcept {
  return names_.memory_bytes() + counts_.size() * sizeof(std::uint32_t);
}

}  // namespace maxmargin
