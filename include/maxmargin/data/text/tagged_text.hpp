// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/text/string_table.hpp"

namespace maxmargin {

/// Sentences of tokens. A token is a row of strings, the observed columns (word, part of speech,
/// ...), and perhaps a tag, which is what a tagger predicts. Equal strings are stored once, so that
/// a cell takes 4 bytes.
///
/// A cell or a tag is not empty and holds neither a line end nor a NUL: it could not stand in any
/// file.
class MAXMARGIN_EXPORT TaggedText {
 public:
  /// Where the text came from, for messages.
  std::string source = {};
  /// Names of the observed columns, where the format gives them; else empty.
  std::vector<std::string> column_names = {};

  /// A text whose tokens have `columns` observed columns, and all have a tag or none has.
  explicit TaggedText(std::size_t columns = 0, bool has_tags = false);

  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] bool has_tags() const noexcept { return has_tags_; }
  /// Sentences.
  [[nodiscard]] std::size_t size() const noexcept { return begins_.size() - 1; }
  /// Tokens of all sentences.
  [[nodiscard]] std::size_t tokens() const noexcept { return begins_.back(); }
  /// Tokens of a sentence are begin(sentence) to begin(sentence + 1).
  [[nodiscard]] std::size_t begin(std::size_t sentence) const { return begins_[sentence]; }
  [[nodiscard]] std::string_view cell(std::size_t token, std::size_t column) const {
    return strings_[cells_[token * columns_ + column]];
  }
  /// Tags by number, in the order of first sight.
  [[nodiscard]] const StringTable& tags() const noexcept { return tags_; }
  /// Number of the token's tag. Requires has_tags().
  [[nodiscard]] std::uint32_t tag(std::size_t token) const { return tag_of_token_[token]; }

  /// Adds a token to the sentence that is being written; it counts when the sentence is ended.
  /// Throws InvalidArgument for another number of cells, a tag where there should be none or the
  /// other way round, and for cells that a text cannot hold.
  void add_token(std::span<const std::string_view> cells,
                 std::optional<std::string_view> tag = std::nullopt);
  /// Ends the sentence; nothing happens when it has no token.
  void end_sentence();
  /// The same sentences with other tags, one for each token: what a tagger says. Throws
  /// InvalidArgument when there is not one number below names.size() for each token.
  void set_tags(std::span<const std::uint32_t> tag_of_token, std::span<const std::string> names);

  /// What the text takes.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  std::size_t columns_;
  bool has_tags_;
  StringTable strings_;
  StringTable tags_;
  std::vector<std::uint32_t> cells_;  ///< token by token
  std::vector<std::uint32_t> tag_of_token_;
  std::vector<std::size_t> begins_ = {0};
  std::size_t open_tokens_ = 0;  ///< of the sentence that is being written
};

}  // namespace maxmargin
