// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/text/feature_index.hpp"

#include <gtest/gtest.h>

#include <map>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

void count(FeatureIndex& index, const std::string& feature, std::uint64_t times = 1) {
  index.count(feature, hash_text(feature), times);
}

TEST(FeatureIndex, DictionaryKeepsWhatCameOftenEnough) {
  for (std::size_t minimum = 1; minimum <= 4; ++minimum) {
    Rng rng(minimum);
    FeatureIndex index({.minimum_count = minimum});
    std::map<std::string, std::size_t> counts;
    std::vector<std::string> order;
    for (int step = 0; step < 600; ++step) {
      const std::string feature = "f" + std::to_string(rng.index(1 + rng.index(300)));
      const std::uint64_t times = 1 + rng.index(2);
      count(index, feature, times);
      if (counts[feature] == 0) order.push_back(feature);
      counts[feature] += times;
    }
    index.freeze();
    std::uint32_t next = 0;
    for (const std::string& feature : order) {
      const bool kept = counts[feature] >= minimum;
      EXPECT_EQ(index.find(feature), kept ? next : FeatureIndex::none) << feature;
      if (kept) {
        EXPECT_EQ(index.names()[next++], feature);
      }
    }
    EXPECT_EQ(index.size(), next);
    EXPECT_EQ(index.find("never seen"), FeatureIndex::none);
  }
}

TEST(FeatureIndex, AFrozenDictionaryLearnsNoMore) {
  FeatureIndex index;
  count(index, "a");
  index.freeze();
  EXPECT_THROW(count(index, "b"), InvalidArgument);
  EXPECT_EQ(index.size(), 1u);
}

TEST(FeatureIndex, CountsDoNotOverflow) {
  FeatureIndex index({.minimum_count = 0xffffffffu});
  count(index, "many", 0xffffffffffffffffu);
  count(index, "many", 0xffffffffffffffffu);
  count(index, "few", 0xfffffffeu);
  index.freeze();
  EXPECT_EQ(index.find("many"), 0u);
  EXPECT_EQ(index.find("few"), FeatureIndex::none);
}

// The same numbers as in HashIsThatOfTheModelFiles, cut to their first bits.
TEST(FeatureIndex, HashedNumbersAreTheFirstBitsOfTheHash) {
  const FeatureIndex twenty({.kind = FeatureIndexKind::hashed, .hash_bits = 20});
  EXPECT_EQ(twenty.size(), 1048576u);
  EXPECT_EQ(twenty.find("U00:the"), 1011757u);
  EXPECT_EQ(twenty.find("U02:\xc3\xa9"), 306451u);
  EXPECT_EQ(twenty.find("U05:_B-1/Confidence"), 450076u);
  const FeatureIndex one({.kind = FeatureIndexKind::hashed, .hash_bits = 1});
  EXPECT_EQ(one.find("U00:the"), 1u);
  EXPECT_EQ(one.find("U02:\xc3\xa9"), 0u);
  EXPECT_TRUE(one.is_frozen());
  EXPECT_EQ(FeatureIndex({.kind = FeatureIndexKind::hashed, .hash_bits = 31}).size(), 1u << 31);
}

TEST(FeatureIndex, HashedNumbersSpreadEvenly) {
  const FeatureIndex index({.kind = FeatureIndexKind::hashed, .hash_bits = 8});
  std::vector<double> load(index.size());
  const int features = 25600;
  for (int k = 0; k < features; ++k) load[index.find("U00:w" + std::to_string(k))] += 1;
  // Chi-square with 255 degrees of freedom: mean 255, deviation sqrt(510) = 22.6; six of them.
  double chi_square = 0;
  for (const double count : load) chi_square += (count - 100) * (count - 100) / 100;
  EXPECT_LT(chi_square, 255 + 6 * 22.6);
}

TEST(FeatureIndex, WrongOptionsAreNamed) {
  EXPECT_THROW(FeatureIndex({.minimum_count = 0}), InvalidArgument);
  EXPECT_THROW(FeatureIndex({.hash_bits = 0}), InvalidArgument);
  EXPECT_THROW(FeatureIndex({.hash_bits = 32}), InvalidArgument);
  EXPECT_THROW(FeatureIndex({.kind = FeatureIndexKind::hashed, .minimum_count = 2}),
               InvalidArgument);
  EXPECT_THROW(FeatureIndex({.hash_bits = 10}), InvalidArgument);
  EXPECT_EQ(to_string(FeatureIndexKind::hashed), "hashed");
  EXPECT_EQ(value_named<FeatureIndexKind>("dictionary"), FeatureIndexKind::dictionary);
  EXPECT_EQ(value_named<FeatureIndexKind>("tree"), std::nullopt);
}

// 10^7 features of 25 characters shall fit 500 MB: 50 bytes each.
TEST(FeatureIndex, AFeatureOf25CharactersTakesAtMost50Bytes) {
  FeatureIndex index;
  // Just behind a doubling of the table, where it is emptiest.
  const int features = 370000;
  for (int k = 0; k < features; ++k) {
    std::string feature = "U05:" + std::to_string(k) + "/";
    feature.resize(25, 'x');
    count(index, feature);
  }
  ASSERT_EQ(index.size(), static_cast<std::size_t>(features));
  EXPECT_LE(index.memory_bytes(), 50u * static_cast<std::size_t>(features));
}

}  // namespace
}  // namespace maxmargin
