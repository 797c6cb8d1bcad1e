// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/text/sequence_map.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/parallel.hpp"
#include "maxmargin/data/label.hpp"

namespace maxmargin {

namespace {

/// Sentences that one thread takes at once.
constexpr std::size_t chunk = 32;
/// Chunks expanded between two joins, for each thread.
constexpr std::size_t chunks_a_thread = 8;

/// visit(feature) for each feature that the templates make at a token.
template <class Visit>
void for_each_feature(std::span<const FeatureTemplate> templates,
                      const TaggedText& text,
                      std::size_t sentence,
                      std::size_t token,
                      std::string& feature,
                      Visit&& visit) {
  for (const FeatureTemplate& pattern : templates) {
    if (expand_template(pattern, text, sentence, token, feature)) visit(feature);
  }
}

/// Distinct features of a few sentences, in the order of first sight.
struct SomeFeatures {
  StringTable names = {};
  std::vector<std::uint64_t> hashes = {};
  std::vector<std::uint64_t> counts = {};

  void add(std::string_view feature) {
    const std::uint64_t hash = hash_text(feature);
    const std::uint32_t number = names.add(feature, hash);
    if (number == counts.size()) {
      hashes.push_back(hash);
      counts.push_back(0);
    }
    ++counts[number];
  }
  void count_in(FeatureIndex& index) const {
    for (std::size_t k = 0; k < counts.size(); ++k) index.count(names[k], hashes[k], counts[k]);
  }
};

/// `first`: the first token of a sentence that has features.
SomeFeatures features_of(std::span<const FeatureTemplate> templates,
                         const TaggedText& text,
                         std::size_t begin,
                         std::size_t end,
                         std::size_t first) {
  SomeFeatures features;
  std::string feature;
  for (std::size_t s = begin; s < end; ++s) {
    for (std::size_t token = text.begin(s) + first; token < text.begin(s + 1); ++token) {
      for_each_feature(
          templates, text, s, token, feature, [&](const std::string& made) { features.add(made); });
    }
  }
  return features;
}

/// Counts the features of all sentences. Chunks are expanded side by side and joined in their
/// order, so that first sight is that of one thread.
void learn(FeatureIndex& index,
           std::span<const FeatureTemplate> templates,
           const TaggedText& text,
           std::size_t first,
           std::size_t threads) {
  if (index.is_frozen()) return;
  const std::size_t batch = chunk * chunks_a_thread * threads;
  for (std::size_t begin = 0; begin < text.size() && !templates.empty(); begin += batch) {
    const std::size_t sentences = std::min(batch, text.size() - begin);
    std::vector<SomeFeatures> parts(chunk_count(sentences, chunk));
    parallel_chunks(
        threads, sentences, chunk, [&](std::size_t c, std::size_t from, std::size_t to) {
          parts[c] = features_of(templates, text, begin + from, begin + to, first);
        });
    for (const SomeFeatures& part : parts) part.count_in(index);
  }
  index.freeze();
}

/// The numbers of a position's features behind those of the positions before.
class PositionNumbers {
 public:
  PositionNumbers(const FeatureIndex& index,
                  std::span<const FeatureTemplate> templates,
                  const TaggedText& text)
      : index_(index), templates_(templates), text_(text) {}

  void append(std::size_t sentence,
              std::size_t token,
              std::vector<std::uint32_t>& indices,
              std::vector<std::size_t>& begins) {
    const auto old = static_cast<std::ptrdiff_t>(indices.size());
    for_each_feature(templates_, text_, sentence, token, feature_, [&](const std::string& made) {
      const std::uint32_t number = index_.find(made);
      if (number != FeatureIndex::none) indices.push_back(number);
    });
    std::sort(indices.begin() + old, indices.end());
    indices.erase(std::unique(indices.begin() + old, indices.end()), indices.end());
    begins.push_back(indices.size());
  }

 private:
  const FeatureIndex& index_;
  std::span<const FeatureTemplate> templates_;
  const TaggedText& text_;
  std::string feature_;
};

}  // namespace

SequenceData SequenceMap::apply(const TaggedText& text, std::optional<std::size_t> threads) const {
  templates.require_columns(text.columns(), text.source);
  SequenceData data{.features = positions.size(),
                    .step_features = templates.steps.empty() ? 0 : steps.size(),
                    .source = text.source};
  std::vector<std::uint32_t> number_of_tag;
  data.label_names = number_labels(label_names, text.tags(), number_of_tag);
  data.inputs.resize(text.size());
  if (text.has_tags()) data.labels.resize(text.size());
  const auto map_chunk = [&](std::size_t, std::size_t begin, std::size_t end) {
    PositionNumbers of_position(positions, templates.positions, text);
    PositionNumbers of_step(steps, templates.steps, text);
    for (std::size_t s = begin; s < end; ++s) {
      Sequence& sequence = data.inputs[s];
      const std::size_t first = text.begin(s);
      const std::size_t length = text.begin(s + 1) - first;
      sequence.begins.reserve(length + 1);
      sequence.indices.reserve(length * templates.positions.size());
      if (!templates.steps.empty()) sequence.step_begins = {0, 0};
      if (text.has_tags()) data.labels[s].reserve(length);
      for (std::size_t token = first; token < first + length; ++token) {
        of_position.append(s, token, sequence.indices, sequence.begins);
        if (token > first && !templates.steps.empty()) {
          of_step.append(s, token, sequence.step_indices, sequence.step_begins);
        }
        if (text.has_tags()) data.labels[s].push_back(number_of_tag[text.tag(token)]);
      }
      sequence.indices.shrink_to_fit();
    }
  };
  parallel_chunks(thread_count(threads), text.size(), chunk, map_chunk);
  return data;
}

SequenceMap learn_sequence_map(const TaggedText& text,
                               FeatureTemplates templates,
                               const SequenceMapOptions& options) {
  const std::size_t threads = thread_count(options.context.threads);
  templates.require_columns(text.columns(), text.source);
  SequenceMap map{.templates = std::move(templates),
                  .positions = FeatureIndex(options.index),
                  .steps = FeatureIndex(options.index)};
  learn(map.positions, map.templates.positions, text, 0, threads);
  // The first token has no step into it.
  learn(map.steps, map.templates.steps, text, 1, threads);
  std::vector<std::uint32_t> number_of_tag;
  map.label_names = number_labels({}, text.tags(), number_of_tag);
  return map;
}

std::vector<std::string> number_labels(std::span<const std::string> known,
                                       const StringTable& seen,
                                       std::vector<std::uint32_t>& number_of_seen) {
  std::vector<std::string> names(known.begin(), known.end());
  std::unordered_map<std::string_view, std::uint32_t> number_of_known;
  for (std::size_t k = 0; k < known.size(); ++k) {
    number_of_known.emplace(known[k], static_cast<std::uint32_t>(k));
  }
  if (known.empty()) {
    for (std::size_t k = 0; k < seen.size(); ++k) names.emplace_back(seen[k]);
    std::ranges::sort(names, [](const std::string& a, const std::string& b) {
      const Label first = Label::parse(a);
      const Label second = Label::parse(b);
      return first == second ? a < b : first < second;
    });
    for (std::size_t k = 0; k < names.size(); ++k) {
      number_of_known.emplace(names[k], static_cast<std::uint32_t>(k));
    }
  }
  number_of_seen.clear();
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const auto found = number_of_known.find(seen[k]);
    if (found != number_of_known.end()) {
      number_of_seen.push_back(found->second);
    } else {
      number_of_seen.push_back(static_cast<std::uint32_t>(names.size()));
      names.emplace_back(seen[k]);
    }
  }
  return names;
}

}  // namespace maxmargin
