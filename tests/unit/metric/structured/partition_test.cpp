// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/structured/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

/// Clusters as texts of letters, each letter a mention.
using Clusters = std::vector<std::string>;

PartitionScores score(const Clusters& key, const Clusters& response) {
  std::map<char, std::pair<std::int32_t, std::int32_t>> mentions;
  for (const Clusters* side : {&key, &response}) {
    for (const std::string& cluster : *side) {
      for (const char mention : cluster) mentions[mention] = {-1, -1};
    }
  }
  for (std::size_t c = 0; c < key.size(); ++c) {
    for (const char mention : key[c]) mentions[mention].first = static_cast<std::int32_t>(c);
  }
  for (std::size_t c = 0; c < response.size(); ++c) {
    for (const char mention : response[c]) mentions[mention].second = static_cast<std::int32_t>(c);
  }
  std::vector<std::int32_t> in_key;
  std::vector<std::int32_t> in_response;
  for (const auto& [letter, sides] : mentions) {
    in_key.push_back(sides.first);
    in_response.push_back(sides.second);
  }
  return score_partition(std::span<const std::int32_t>(in_key),
                         std::span<const std::int32_t>(in_response));
}

void expect(const PartitionScore& score, double recall, double precision) {
  EXPECT_NEAR(score.recall(), recall, 1e-12);
  EXPECT_NEAR(score.precision(), precision, 1e-12);
}

// Vilain et al. 1995: the table of simple examples.
TEST(PartitionScores, LinksAreThoseOfVilain) {
  expect(score({"ABCD"}, {"AB", "CD"}).muc, 2.0 / 3, 1);
  expect(score({"AB", "CD"}, {"ABCD"}).muc, 1, 2.0 / 3);
  expect(score({"ABCD"}, {"ABCD"}).muc, 1, 1);
  expect(score({"ABCD"}, {"AB", "C", "D"}).muc, 1.0 / 3, 1);
  expect(score({"ABC"}, {"AC"}).muc, 1.0 / 2, 1);
  // A, F and I are not in the key.
  expect(score({"BCDEGHJ"}, {"ABC", "DEFG", "HIJ"}).muc, 4.0 / 6, 4.0 / 7);
}

// Bagga and Baldwin 1998: two answers that the links cannot tell apart.
TEST(PartitionScores, BCubedIsThatOfBaggaAndBaldwin) {
  const Clusters truth = {"12345", "67", "89ABC"};
  const PartitionScores first = score(truth, {"12345", "6789ABC"});
  const PartitionScores second = score(truth, {"1234589ABC", "67"});
  expect(first.muc, 1, 0.9);
  expect(second.muc, 1, 0.9);
  expect(first.b_cubed, 1, 16.0 / 21);
  expect(second.b_cubed, 1, 7.0 / 12);
}

// Luo 2005, the same truth and five answers: F1 of both matchings.
TEST(PartitionScores, MatchingsAreThoseOfLuo) {
  const Clusters truth = {"12345", "67", "89ABC"};
  const auto near = [](double value, double published) { EXPECT_NEAR(value, published, 0.0005); };
  const PartitionScores b = score(truth, {"12345", "6789ABC"});
  near(b.ceaf_mention.f1(), 0.833);
  near(b.ceaf_entity.f1(), 0.733);
  const PartitionScores c = score(truth, {"1234589ABC", "67"});
  near(c.ceaf_mention.f1(), 0.583);
  near(c.ceaf_entity.f1(), 0.667);
  const PartitionScores d = score(truth, {"123456789ABC"});
  near(d.ceaf_mention.f1(), 0.417);
  near(d.ceaf_entity.f1(), 0.294);
  const PartitionScores e =
      score(truth, {"1", "2", "3", "4", "5", "6", "7", "8", "9", "A", "B", "C"});
  near(e.ceaf_mention.f1(), 0.25);
  near(e.ceaf_entity.f1(), 0.178);
}

// Pradhan et al. 2014: a key mention is missing, two response mentions are too many.
TEST(PartitionScores, MissingAndExtraMentionsCountAsInTheReferenceImplementation) {
  const PartitionScores scores = score({"abc", "defg"}, {"ab", "cd", "fghi"});
  expect(scores.mentions, 6.0 / 7, 6.0 / 8);
  expect(scores.muc, 2.0 / 5, 2.0 / 5);
  expect(scores.b_cubed, (4.0 / 3 + 1.0 / 3 + 1.0 / 4 + 1) / 7, 4.0 / 8);
  expect(scores.ceaf_mention, 4.0 / 7, 4.0 / 8);
  expect(scores.ceaf_entity, 1.3 / 2, 1.3 / 3);
  // 3 + 6 pairs in the key, 1 + 1 + 6 in the response, ab and fg in both.
  expect(scores.pairs, 2.0 / 9, 2.0 / 8);
  EXPECT_NEAR(scores.pair_loss(), (7 + 6) / 36.0, 1e-12);
  EXPECT_NEAR(scores.muc_loss(), 0.6, 1e-12);
  const double b_cubed = scores.b_cubed.f1();
  const double ceaf = 2 * (1.3 / 2) * (1.3 / 3) / (1.3 / 2 + 1.3 / 3);
  EXPECT_NEAR(scores.conll_average(), (0.4 + b_cubed + ceaf) / 3, 1e-12);
}

TEST(PartitionScores, SingleMentionsHaveNoLinks) {
  const PartitionScores both = score({"a", "b"}, {"a", "b"});
  EXPECT_TRUE(std::isnan(both.muc.recall()));
  EXPECT_TRUE(std::isnan(both.muc.f1()));
  EXPECT_TRUE(std::isnan(both.conll_average()));
  expect(both.b_cubed, 1, 1);
  expect(both.ceaf_entity, 1, 1);
  // A response without links has no precision, and F1 is 0.
  const PartitionScores one = score({"ab"}, {"a", "b"});
  EXPECT_EQ(one.muc.recall(), 0);
  EXPECT_TRUE(std::isnan(one.muc.precision()));
  EXPECT_EQ(one.muc.f1(), 0);
  EXPECT_EQ(one.pair_loss(), 1);
}

TEST(PartitionScores, AnEmptyDocumentOrSideIsScored) {
  const PartitionScores nothing = score({}, {});
  EXPECT_EQ(nothing.documents, 1u);
  EXPECT_TRUE(std::isnan(nothing.b_cubed.f1()));
  EXPECT_TRUE(std::isnan(nothing.pair_loss()));
  const PartitionScores no_response = score({"ab", "c"}, {});
  EXPECT_EQ(no_response.b_cubed.recall(), 0);
  EXPECT_TRUE(std::isnan(no_response.b_cubed.precision()));
  EXPECT_EQ(no_response.ceaf_entity.f1(), 0);
  EXPECT_EQ(no_response.muc.f1(), 0);
  // Nothing in common.
  EXPECT_EQ(score({"ab"}, {"cd"}).conll_average(), 0);
}

TEST(PartitionScores, DocumentsAreSummedAndDividedOnce) {
  PartitionScores sum = score({"abcd"}, {"ab", "cd"});
  sum.add(score({"ab", "c"}, {"abc"}));
  EXPECT_EQ(sum.documents, 2u);
  expect(sum.muc, (2.0 + 1) / (3 + 1), (2.0 + 1) / (2 + 2));
  expect(sum.ceaf_mention, (2.0 + 2) / 7, (2.0 + 2) / 7);
  EXPECT_NEAR(sum.pair_loss(), (4.0 + 2) / (6 + 3), 1e-12);
}

// 40,000 clusters on each side; a table of all pairs would have 13 GB.
TEST(PartitionScores, ManyClustersAreMatchedWhereTheyMeet) {
  std::vector<std::uint32_t> key;
  std::vector<std::uint32_t> response;
  for (std::uint32_t i = 0; i < 80'000; ++i) {
    key.push_back(i / 2);
    // Every other pair of key clusters has exchanged a mention: a matching keeps half of theirs.
    const bool exchanged = i % 8 == 1 || i % 8 == 2;
    response.push_back(exchanged ? (i % 8 == 1 ? i / 2 + 1 : i / 2 - 1) : i / 2);
  }
  const PartitionScores scores = score_partition(key, response);
  EXPECT_EQ(scores.ceaf_mention.recall(), 0.75);
  EXPECT_NEAR(scores.ceaf_entity.recall(), 0.75, 1e-12);
  EXPECT_EQ(scores.muc.recall(), 0.5);
}

TEST(PartitionScores, WrongInputIsRefused) {
  const std::vector<std::int32_t> two = {0, 0};
  const std::vector<std::int32_t> three = {0, 0, 1};
  const std::vector<std::int32_t> low = {0, -2};
  const auto score_of = [](const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
    return score_partition(std::span<const std::int32_t>(a), std::span<const std::int32_t>(b));
  };
  EXPECT_THROW(static_cast<void>(score_of(two, three)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(score_of(two, low)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(score_of(low, two)), InvalidArgument);
}

/// All scores from their definitions, mention by mention and over all matchings.
struct PlainScores {
  std::vector<std::set<std::size_t>> key;
  std::vector<std::set<std::size_t>> response;

  static std::vector<std::set<std::size_t>> clusters(const std::vector<std::int32_t>& numbers) {
    std::map<std::int32_t, std::set<std::size_t>> by_number;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] >= 0) by_number[numbers[i]].insert(i);
    }
    std::vector<std::set<std::size_t>> result;
    for (const auto& [number, members] : by_number) result.push_back(members);
    return result;
  }

  static double common(const std::set<std::size_t>& a, const std::set<std::size_t>& b) {
    double count = 0;
    for (const std::size_t i : a) count += b.contains(i) ? 1 : 0;
    return count;
  }

  static double link_recall(const std::vector<std::set<std::size_t>>& from,
                            const std::vector<std::set<std::size_t>>& by) {
    double sum = 0;
    double total = 0;
    for (const auto& cluster : from) {
      double parts = 0;
      double found = 0;
      for (const auto& other : by) {
        parts += common(cluster, other) > 0 ? 1 : 0;
        found += common(cluster, other);
      }
      const auto size = static_cast<double>(cluster.size());
      sum += size - (parts + size - found);
      total += size - 1;
    }
    return sum / total;
  }

  static double mention_recall(const std::vector<std::set<std::size_t>>& from,
                               const std::vector<std::set<std::size_t>>& by) {
    double sum = 0;
    double total = 0;
    for (const auto& cluster : from) {
      for (const std::size_t mention : cluster) {
        ++total;
        for (const auto& other : by) {
          if (!other.contains(mention)) continue;
          sum += common(cluster, other) / static_cast<double>(cluster.size());
        }
      }
    }
    return sum / total;
  }

  template <class Similarity>
  [[nodiscard]] double best_matching(const Similarity& similarity) const {
    const std::size_t size = std::max(key.size(), response.size());
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    double best = 0;
    do {
      double sum = 0;
      for (std::size_t k = 0; k < key.size(); ++k) {
        if (order[k] < response.size()) sum += similarity(key[k], response[order[k]]);
      }
      best = std::max(best, sum);
    } while (std::next_permutation(order.begin(), order.end()));
    return best;
  }
};

class RandomDocuments : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomDocuments, ScoresAreThoseOfTheDefinitions) {
  Rng rng(GetParam());
  std::vector<std::int32_t> key;
  std::vector<std::int32_t> response;
  for (std::size_t i = 0; i < 14; ++i) {
    key.push_back(static_cast<std::int32_t>(rng.index(6)) - 1);
    response.push_back(static_cast<std::int32_t>(3 * rng.index(6)) - 1);
    if (response.back() > 0) --response.back();
  }
  const PartitionScores scores =
      score_partition(std::span<const std::int32_t>(key), std::span<const std::int32_t>(response));
  const PlainScores plain{PlainScores::clusters(key), PlainScores::clusters(response)};
  EXPECT_NEAR(scores.muc.recall(), PlainScores::link_recall(plain.key, plain.response), 1e-12);
  EXPECT_NEAR(scores.muc.precision(), PlainScores::link_recall(plain.response, plain.key), 1e-12);
  EXPECT_NEAR(
      scores.b_cubed.recall(), PlainScores::mention_recall(plain.key, plain.response), 1e-12);
  EXPECT_NEAR(
      scores.b_cubed.precision(), PlainScores::mention_recall(plain.response, plain.key), 1e-12);
  EXPECT_NEAR(scores.ceaf_mention.recall_sum, plain.best_matching(PlainScores::common), 1e-12);
  const auto share = [](const std::set<std::size_t>& a, const std::set<std::size_t>& b) {
    return 2 * PlainScores::common(a, b) / static_cast<double>(a.size() + b.size());
  };
  EXPECT_NEAR(scores.ceaf_entity.recall_sum, plain.best_matching(share), 1e-12);

  // Exchanging the sides exchanges recall and precision.
  const PartitionScores other =
      score_partition(std::span<const std::int32_t>(response), std::span<const std::int32_t>(key));
  EXPECT_EQ(other.pairs.recall(), scores.pairs.precision());
  // Sums of fractions over pairs of clusters, in another order: at most 25 terms, each within the
  // value, so the two differ by less than 2 * 25 roundings of it.
  EXPECT_NEAR(other.b_cubed.precision(), scores.b_cubed.recall(), 50 * 2.3e-16);
  EXPECT_EQ(other.pair_loss(), scores.pair_loss());
  // Against oneself all is right.
  const PartitionScores self =
      score_partition(std::span<const std::int32_t>(key), std::span<const std::int32_t>(key));
  EXPECT_NEAR(self.conll_average(), 1, 1e-12);
  EXPECT_EQ(self.pair_loss(), 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomDocuments, ::testing::Range(1u, 9u));

}  // namespace
}  // namespace maxmargin
