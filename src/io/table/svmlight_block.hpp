// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/buffer.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/data/label.hpp"

/// The inner part of the svmlight reader: one block of lines to its rows.
namespace maxmargin {

/// Column numbers are int32 and their count must be one too.
inline constexpr std::int64_t largest_svmlight_index = 2147483646;

struct SvmlightRules {
  std::optional<Label> unlabeled = std::nullopt;
  bool precomputed = false;
  /// Indices count from 0.
  bool zero_based = false;
  /// A label is one word whatever it is (a comma, a colon): no list, and no entry unless it begins
  /// with qid:.
  bool plain_labels = false;
};

/// The labels of a row that has a list of them, sorted, without repetition.
struct LabelList {
  std::size_t row = 0;
  std::vector<Label> labels = {};
};

/// What stands between the label and the entries: the same in all rows of a file.
struct SvmlightPrefix {
  bool group = false;
  bool weight = false;
  [[nodiscard]] bool operator==(const SvmlightPrefix&) const = default;
};

/// The message for a row whose prefix is not that of the rows before.
[[nodiscard]] std::string prefix_mismatch(const SvmlightPrefix& before, const SvmlightPrefix& here);

/// The message for a row whose weight is not that of the row of its group before.
inline constexpr const char* uneven_weight_message =
    "another weight than in the row before; expected one for all rows of a group";

/// What a block of lines holds. Lines count from 1 and rows from 0 at the start of the block.
struct SvmlightBlock {
  Buffer<std::int32_t> columns = {};
  Buffer<double> values = {};
  /// For each row, the number of entries up to its end.
  Buffer<std::int64_t> row_ends = {};
  /// One for each row; unlabelled also where the line has a list of labels or no label.
  LabelColumn labels = {};
  std::vector<LabelList> lists = {};
  /// One for each row, or none.
  std::vector<std::int64_t> groups = {};
  /// Where the group is another than in the row before; the first row of the block is one of them.
  struct GroupStart {
    std::int64_t group = 0;
    FilePlace place = {};
  };
  std::vector<GroupStart> group_starts = {};
  std::vector<double> weights = {};
  /// Of the first row whose weight is not that of the row of its group before.
  std::optional<FilePlace> uneven_weight = std::nullopt;

  std::size_t columns_needed = 0;
  std::size_t lines = 0;
  std::size_t rows_without_label = 0;
  /// Of the first row: where it starts, and its prefix if it was read that far.
  FilePlace first_row = {};
  std::optional<SvmlightPrefix> prefix = std::nullopt;
  std::optional<FilePlace> first_unlabelled = std::nullopt;
  std::optional<FilePlace> first_without_label = std::nullopt;

  /// The first thing wrong in the block; what is above is then not complete.
  struct Problem {
    FilePlace place;
    std::string message;
  };
  std::optional<Problem> problem = std::nullopt;

  [[nodiscard]] std::size_t rows() const noexcept { return row_ends.size(); }
  /// Empty again, keeping the memory.
  void clear();
};

/// Parses `text`, whole lines each with its line end, into `block` (cleared first). Does not throw
/// for bad text: see SvmlightBlock::problem.
void parse_svmlight_block(std::string_view text, const SvmlightRules& rules, SvmlightBlock& block);

}  // namespace maxmargin
