// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/text/feature_index.hpp"

#include <algorithm>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

void FeatureIndexOptions::validate() const {
  require_field(minimum_count >= 1 && minimum_count <= 0xffffffffu,
                "FeatureIndexOptions.minimum_count",
                std::to_string(minimum_count),
                "from 1 to 4294967295");
  require_field(kind == FeatureIndexKind::dictionary || minimum_count == 1,
                "FeatureIndexOptions.minimum_count",
                std::to_string(minimum_count),
                "1 with hashed features, which are not counted");
  require_field(hash_bits >= 1 && hash_bits <= 31,
                "FeatureIndexOptions.hash_bits",
                std::to_string(hash_bits),
                "from 1 to 31");
}

std::string to_string(FeatureIndexKind kind) {
  return kind == FeatureIndexKind::hashed ? "hashed" : "dictionary";
}

FeatureIndexKind parse_feature_index_kind(std::string_view name) {
  if (name == "dictionary") return FeatureIndexKind::dictionary;
  if (name == "hashed") return FeatureIndexKind::hashed;
  throw InvalidArgument("feature index = " + std::string(name) + ", must be dictionary or hashed");
}

FeatureIndex::FeatureIndex(const FeatureIndexOptions& options) : options_(options) {
  options.validate();
  is_frozen_ = is_hashed();
}

FeatureIndex::FeatureIndex(StringTable names) : is_frozen_(true), names_(std::move(names)) {}

void FeatureIndex::count(std::string_view feature, std::uint64_t hash, std::uint64_t times) {
  require(!is_frozen_, "FeatureIndex::count: the index is frozen");
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
