// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/partition_measures.hpp"

#include <array>
#include <map>
#include <string_view>

#include "learner/defined.hpp"

namespace maxmargin::learning {

void PartitionMeasures::add(const Partition& truth, const Partition& predicted) {
  add(score_partition(truth, predicted));
}

void PartitionMeasures::add(const AlignedMentions& items) {
  add(score_partition(std::span<const std::int32_t>(items.key),
                      std::span<const std::int32_t>(items.response)));
}

void PartitionMeasures::add(const PartitionScores& scores) {
  const PartitionScore& mentions = scores.mentions;
  const bool same_items = mentions.recall_sum == mentions.recall_total &&
                          mentions.precision_sum == mentions.precision_total;
  if (same_items && scores.wrong_pairs == 0) ++right_;
  sum_.add(scores);
}

void PartitionMeasures::add_to(RunReport& report) const {
  struct Named {
    std::string_view name;
    const PartitionScore& score;
  };
  const std::array scores = {Named{"pairs", sum_.pairs},
                             Named{"muc", sum_.muc},
                             Named{"b_cubed", sum_.b_cubed},
                             Named{"ceaf_mention", sum_.ceaf_mention},
                             Named{"ceaf_entity", sum_.ceaf_entity}};
  report.metrics.emplace_back("pair_loss", defined(sum_.pair_loss()));
  report.metrics.emplace_back("muc_loss", defined(sum_.muc_loss()));
  std::vector<ReportFields> rows;
  const auto add_row = [&](std::string_view name, const PartitionScore& score) {
    rows.push_back({{"score", std::string(name)},
                    {"precision", score.precision()},
                    {"recall", score.recall()},
                    {"f1", score.f1()}});
  };
  // Found items, where a side may lack some: that all are there is no merit.
  if (sum_.mentions.recall_sum != sum_.mentions.recall_total ||
      sum_.mentions.precision_sum != sum_.mentions.precision_total) {
    report.metrics.emplace_back("item_f1", defined(sum_.mentions.f1()));
    add_row("items", sum_.mentions);
  }
  for (const Named& each : scores) {
    report.metrics.emplace_back(std::string(each.name) + "_f1", defined(each.score.f1()));
    add_row(each.name, each.score);
  }
  report.metrics.emplace_back("conll_average", defined(sum_.conll_average()));
  report.metrics.emplace_back(
      "document_accuracy",
      sum_.documents == 0
          ? std::nullopt
          : std::optional(static_cast<double>(right_) / static_cast<double>(sum_.documents)));
  report.tables.emplace_back("scores", std::move(rows));
}

AlignedMentions align_items(std::span<const std::string> key_names,
                            const Partition& key,
                            std::span<const std::string> response_names,
                            const Partition& response) {
  AlignedMentions aligned;
  std::map<std::string_view, std::size_t> place;
  for (std::size_t i = 0; i < key.size(); ++i) {
    place.emplace(key_names[i], i);
    aligned.key.push_back(static_cast<std::int32_t>(key[i]));
  }
  aligned.response.assign(key.size(), -1);
  for (std::size_t i = 0; i < response.size(); ++i) {
    const auto cluster = static_cast<std::int32_t>(response[i]);
    if (const auto found = place.find(response_names[i]); found != place.end()) {
      aligned.response[found->second] = cluster;
    } else {
      aligned.key.push_back(-1);
      aligned.response.push_back(cluster);
    }
  }
  return aligned;
}

}  // namespace maxmargin::learning
