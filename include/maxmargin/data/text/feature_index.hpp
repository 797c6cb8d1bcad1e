// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/data/text/string_table.hpp"

/// From the text of a feature to its number (docs/guide/sequence-templates.md, "Numbers of
/// features").
namespace maxmargin {

enum class FeatureIndexKind {
  dictionary,  ///< every feature of the training data has a number of its own
  hashed,      ///< a feature's number is a part of its hash: no memory, but some share a number
};
template <>
inline constexpr auto names_of<FeatureIndexKind> = name_table<FeatureIndexKind>(
    {{"dictionary", FeatureIndexKind::dictionary}, {"hashed", FeatureIndexKind::hashed}});

inline constexpr std::uint64_t usual_hash_bits = 20;

struct MAXMARGIN_EXPORT FeatureIndexOptions {
  FeatureIndexKind kind = FeatureIndexKind::dictionary;
  /// Of a dictionary: features that the training data has less often have no number. Larger: fewer
  /// weights, and words seen once are known by their other features alone.
  std::uint64_t minimum_count = 1;
  /// Of hashing: numbers are below 2^hash_bits. Larger: fewer features share a number, and more
  /// weights. 1 to 31.
  std::uint64_t hash_bits = usual_hash_bits;

  /// Options index, hash-bits and min-count.
  void describe(OptionVisitor& visit);
};

/// Numbers of features. A dictionary learns by count(), and freeze() ends that; afterwards a
/// feature without a number stays without. A hashed index knows all features from the start.
class MAXMARGIN_EXPORT FeatureIndex {
 public:
  static constexpr std::uint32_t none = StringTable::none;

  /// Throws InvalidArgument for options that are wrong.
  explicit FeatureIndex(const FeatureIndexOptions& options = {});
  /// A frozen dictionary whose features have the numbers of their table.
  explicit FeatureIndex(StringTable names);

  [[nodiscard]] bool is_hashed() const noexcept {
    return options_.kind == FeatureIndexKind::hashed;
  }
  [[nodiscard]] std::size_t hash_bits() const noexcept { return options_.hash_bits; }
  [[nodiscard]] bool is_frozen() const noexcept { return is_frozen_; }

  /// Numbers are below.
  [[nodiscard]] std::size_t size() const noexcept {
    return is_hashed() ? std::size_t{1} << options_.hash_bits : names_.size();
  }
  /// The number of a feature, or none. `hash` is hash_text(feature). Several threads may ask.
  [[nodiscard]] std::uint32_t find(std::string_view feature, std::uint64_t hash) const noexcept {
    if (is_hashed()) return static_cast<std::uint32_t>(hash >> (64 - options_.hash_bits));
    return names_.find(feature, hash);
  }
  [[nodiscard]] std::uint32_t find(std::string_view feature) const noexcept {
    return find(feature, hash_text(feature));
  }
  /// The features of a dictionary, by number; empty when hashed.
  [[nodiscard]] const StringTable& names() const noexcept { return names_; }

  /// A dictionary that is not frozen hears of `times` more occurrences.
  void count(std::string_view feature, std::uint64_t hash, std::uint64_t times = 1);
  /// Drops the features below minimum_count; the others are numbered in the order of first sight.
  void freeze();

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  FeatureIndexOptions options_;
  bool is_frozen_ = false;
  StringTable names_;
  /// Occurrences of each, up to minimum_count; empty when that is 1.
  std::vector<std::uint32_t> counts_;
};

}  // namespace maxmargin
