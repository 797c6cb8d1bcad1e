// SPDX-License-Identifier: Apache-2.0
#include "io/structured/pair_features.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "io/append_number.hpp"
#include "io/quote.hpp"
#include "io/stream/text_lines.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr std::int64_t largest_index = 2'147'483'646;
constexpr std::string_view document_word = "document";
constexpr std::string_view item_word = "item";

class Reader {
 public:
  explicit Reader(Input& input) : lines_(input) { data_.source = input.name(); }

  PartitionData read() {
    while (lines_.next()) {
      if (lines_.line().starts_with('#')) continue;
      split_at_blanks(lines_.line(), words_);
      if (words_.empty()) continue;
      if (words_.front() == document_word) {
        finish();
        begin();
        continue;
      }
      if (data_.inputs.empty()) {
        lines_.fail("expected \"document NAME\" first, found " + quote(words_.front()));
      }
      if (words_.front() == item_word) {
        add_item();
      } else {
        add_pair();
      }
    }
    finish();
    if (has_clusters_ && !*has_clusters_) data_.partitions.clear();
    return std::move(data_);
  }

 private:
  [[noreturn]] void fail_at(std::string_view word, const std::string& problem) const {
    lines_.fail(problem, lines_.column_of(word));
  }

  void begin() {
    std::string_view name;
    if (words_.size() > 1) {
      const char* end = words_.back().data() + words_.back().size();
      name = {words_[1].data(), static_cast<std::size_t>(end - words_[1].data())};
    }
    if (name.find('\r') != name.npos) fail_at(name, "a carriage return in the name of a document");
    data_.inputs.emplace_back();
    data_.names.emplace_back(name);
    data_.item_names.emplace_back();
    data_.partitions.emplace_back();
    items_.clear();
    clusters_.clear();
  }

  /// What is known when a document is over.
  void finish() {
    if (data_.inputs.empty()) return;
    PartitionInput& input = data_.inputs.back();
    if (std::ranges::all_of(input.values, [](double value) { return value == 1; })) {
      input.values.clear();
    }
    input.values.shrink_to_fit();
  }

  void add_item() {
    PartitionInput& input = data_.inputs.back();
    if (!input.pairs.empty()) lines_.fail("an item after the first pair of its document");
    if (words_.size() < 2 || words_.size() > 3) {
      lines_.fail("expected \"item ID CLUSTER\" or \"item ID\", found " + quote(lines_.line()));
    }
    const auto [place, is_new] = items_.emplace(words_[1], lines_.number());
    if (!is_new) {
      fail_at(words_[1],
              "the item " + quote(words_[1]) + " is there already, in line " +
                  std::to_string(place->second));
    }
    const bool has_cluster = words_.size() == 3 && words_[2] != "?";
    if (has_clusters_ && *has_clusters_ != has_cluster) {
      lines_.fail(has_cluster ? "an item with a cluster after items without one"
                              : "an item without a cluster after items with one");
    }
    has_clusters_ = has_cluster;
    ++input.items;
    data_.item_names.back().emplace_back(words_[1]);
    if (!has_cluster) return;
    const auto next = static_cast<std::uint32_t>(clusters_.size());
    const auto cluster = clusters_.emplace(words_[2], next).first;
    data_.partitions.back().push_back(cluster->second);
  }

  [[nodiscard]] std::uint32_t item_number(std::string_view word) const {
    const auto number = parse_integer(word);
    if (!number) {
      fail_at(word, "expected \"document\", \"item\" or an item's number, found " + quote(word));
    }
    const std::size_t items = data_.inputs.back().items;
    if (*number < 1 || static_cast<std::uint64_t>(*number) > items) {
      fail_at(word,
              "the item " + quote(word) + ", must be from 1 to " + std::to_string(items) +
                  ", the items of its document");
    }
    return static_cast<std::uint32_t>(*number - 1);
  }

  void add_pair() {
    PartitionInput& input = data_.inputs.back();
    ItemPair pair{.first = item_number(words_[0])};
    if (words_.size() < 2) lines_.fail("expected the numbers of two items, found one");
    pair.second = item_number(words_[1]);
    if (pair.first >= pair.second) fail_at(words_[1], "the second item must come after the first");
    if (!input.pairs.empty() && !(input.pairs.back() < pair)) {
      fail_at(words_[0], "pairs must increase, and each come once");
    }
    input.pairs.push_back(pair);
    std::int64_t last = 0;
    for (std::size_t k = 2; k < words_.size(); ++k) last = add_entry(words_[k], last);
    input.begins.push_back(input.indices.size());
    data_.features = std::max(data_.features, static_cast<std::size_t>(last));
  }

  std::int64_t add_entry(std::string_view word, std::int64_t last) {
    const std::size_t colon = std::min(word.find(':'), word.size());
    const std::string_view digits = word.substr(0, colon);
    const auto index = parse_integer(digits);
    if (colon == word.size() || !index) {
      fail_at(word, "expected index:value, found " + quote(word));
    }
    if (*index < 1 || *index > largest_index) {
      fail_at(
          word,
          "the index " + quote(digits) + ", must be from 1 to " + std::to_string(largest_index));
    }
    if (*index <= last) {
      fail_at(word,
              "the index " + std::to_string(*index) + " comes after " + std::to_string(last) +
                  ", must increase");
    }
    const auto value = parse_number(word.substr(colon + 1));
    if (!value || !std::isfinite(*value)) {
      fail_at(word, "expected a finite number after the colon, found " + quote(word));
    }
    PartitionInput& input = data_.inputs.back();
    input.indices.push_back(static_cast<std::uint32_t>(*index - 1));
    input.values.push_back(*value);
    return *index;
  }

  TextLines lines_;
  std::vector<std::string_view> words_;
  PartitionData data_;
  std::optional<bool> has_clusters_;
  /// Of the present document: the line of every item, the number of every cluster.
  std::map<std::string, std::size_t, std::less<>> items_;
  std::map<std::string, std::uint32_t, std::less<>> clusters_;
};

void require_names(const PartitionData& data) {
  constexpr std::string_view line_ends("\n\r\0", 3);
  constexpr std::string_view blanks = " \t\r\v\f";
  for (const std::string& name : data.names) {
    const bool plain = name.find_first_of(line_ends) == name.npos;
    const bool trimmed = name.empty() || (name.find_first_of(blanks) != 0 &&
                                          name.find_last_of(blanks) != name.size() - 1);
    require(plain && trimmed,
            "the name of a document, " + quote(name) +
                ", must have no line end and no blanks around it");
  }
  for (const std::vector<std::string>& names : data.item_names) {
    std::set<std::string_view> seen;
    for (const std::string& name : names) {
      const bool plain = name.find_first_of(line_ends) == name.npos;
      require(plain && !name.empty() && name.find_first_of(blanks) == name.npos,
              "the name of an item, " + quote(name, "nothing") +
                  ", must have no blank and not be empty");
      require(seen.insert(name).second, "two items of a document have the name " + quote(name));
    }
  }
}

}  // namespace

PartitionData read_pair_features(Input& input) { return Reader(input).read(); }

void write_pair_features(const PartitionData& data, OutputFile& output) {
  data.validate();
  require_names(data);
  std::string text;
  for (std::size_t d = 0; d < data.size(); ++d) {
    const PartitionInput& input = data.inputs[d];
    text = document_word;
    if (!data.names[d].empty()) text += " " + data.names[d];
    text += '\n';
    for (std::size_t i = 0; i < input.items; ++i) {
      text += item_word;
      text += " " + data.item_names[d][i];
      if (!data.partitions.empty()) text += " " + std::to_string(data.partitions[d][i]);
      text += '\n';
    }
    output.write(text);
    for (std::size_t p = 0; p < input.pairs.size(); ++p) {
      text.clear();
      append_number(text, input.pairs[p].first + 1);
      text += ' ';
      append_number(text, input.pairs[p].second + 1);
      for (std::size_t e = input.begins[p]; e < input.begins[p + 1]; ++e) {
        text += ' ';
        append_number(text, input.indices[e] + 1);
        text += ':';
        append_number(text, input.value(e));
      }
      text += '\n';
      output.write(text);
    }
  }
}

}  // namespace maxmargin
