// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/sequences.hpp"
#include "maxmargin/metric/confusion.hpp"

/// Chunks that tags mark (noun phrases, names), and how many were found, as the CoNLL shared tasks
/// count them.
namespace maxmargin {

/// What a tag says of its position.
enum class ChunkRole : std::uint8_t {
  outside,  ///< O
  begin,    ///< B
  inside,   ///< I, M
  end,      ///< E, L
  single    ///< S, U: a chunk of one
};

/// A run of positions [begin, end) of one type.
struct Chunk {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t type = 0;

  friend bool operator==(const Chunk&, const Chunk&) = default;
};

/// Tags such as "B-NP", split at the first hyphen, or "O". A tag that is a letter alone has the
/// type "".
class MAXMARGIN_EXPORT ChunkTags {
 public:
  /// Throws InvalidArgument for a name that is no tag.
  explicit ChunkTags(std::span<const std::string> label_names);

  [[nodiscard]] std::size_t labels() const noexcept { return roles_.size(); }
  [[nodiscard]] ChunkRole role(std::size_t label) const { return roles_[label]; }
  /// Index into types(); of no meaning for `outside`.
  [[nodiscard]] std::size_t type(std::size_t label) const { return type_of_[label]; }
  /// Sorted.
  [[nodiscard]] const std::vector<std::string>& types() const noexcept { return types_; }

  /// Whether b after a is of the same chunk: a begins it or is inside, b is inside or ends it, and
  /// they have one type. Every other tag but O begins a chunk, even an I after O or after another
  /// type: predictions need not be well-formed, and IOB1 begins chunks with I.
  [[nodiscard]] bool goes_on(std::size_t a, std::size_t b) const;
  /// In the order of positions. The beginning and the end of a sequence count as O. Throws
  /// InvalidArgument for a label without a name.
  [[nodiscard]] std::vector<Chunk> chunks(const LabelSequence& labels) const;

 private:
  std::vector<ChunkRole> roles_;
  std::vector<std::size_t> type_of_;
  std::vector<std::string> types_;
};

/// Chunks of true and predicted labels. A chunk is right when begin, end and type are: true
/// positives are right chunks, false positives the other predicted ones, false negatives the other
/// true ones; there are no true negatives. precision, recall and f1 of classification.hpp apply.
struct ChunkCounts {
  /// Of all types (micro), and one for each of `types`.
  BinaryCounts all = {};
  std::vector<std::string> types = {};
  std::vector<BinaryCounts> by_type = {};
};

/// Throws InvalidArgument when numbers of sequences or lengths differ, and as ChunkTags does.
[[nodiscard]] MAXMARGIN_EXPORT ChunkCounts count_chunks(std::span<const LabelSequence> truth,
                                                        std::span<const LabelSequence> predicted,
                                                        std::span<const std::string> label_names);

/// True and predicted labels of sequences, counted. Precision, recall and F1 of a label are those
/// of one_against_rest(tokens, label) in classification.hpp.
struct MAXMARGIN_EXPORT SequenceCounts {
  ConfusionMatrix tokens;
  std::size_t sequences = 0;
  /// Those without a wrong label; an empty sequence has none.
  std::size_t right_sequences = 0;

  /// Share of positions with the right label; NaN without positions.
  [[nodiscard]] double token_accuracy() const;
  /// Share of right sequences; NaN without sequences.
  [[nodiscard]] double sequence_accuracy() const;
};

/// `labels`: how many there are; 0: as many as the largest one asks for. Throws InvalidArgument
/// when numbers of sequences or lengths differ, a label is not below `labels`, or they are more
/// than 2^31 - 1.
[[nodiscard]] MAXMARGIN_EXPORT SequenceCounts
count_sequence_labels(std::span<const LabelSequence> truth,
                      std::span<const LabelSequence> predicted,
                      std::size_t labels = 0);

}  // namespace maxmargin
