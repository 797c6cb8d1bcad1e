// SPDX-License-Identifier: Apache-2.0
#include "io/table/svmlight.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/parallel.hpp"
#include "io/stream/line_blocks.hpp"
#include "io/table/csv_layout.hpp"
#include "io/table/svmlight_block.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;
/// Blocks parsed between two joins: enough that threads which finish early find more to do.
constexpr std::size_t blocks_a_thread = 4;

/// Joins parsed blocks, in file order, to a data set.
class SvmlightBuilder {
 public:
  SvmlightBuilder(const Input& input, const SvmlightOptions& options)
      : options_(options),
        name_(input.name()),
        total_bytes_(input.remaining()),
        threads_(thread_count(options.context.threads)) {}

  [[nodiscard]] std::size_t threads() const noexcept { return threads_; }

  /// `bytes`: the length of their text. Throws the ParseError of the first problem.
  void append(std::span<SvmlightBlock> blocks, std::size_t bytes) {
    reserve(blocks, bytes);
    std::vector<Start> starts;
    for (SvmlightBlock& block : blocks) {
      check(block);
      starts.push_back({.entry = entries_, .row = rows_});
      append_labels(block);
      groups_.insert(groups_.end(), block.groups.begin(), block.groups.end());
      weights_.insert(weights_.end(), block.weights.begin(), block.weights.end());
      entries_ += block.values.size();
      rows_ += block.rows();
      lines_ += block.lines;
      columns_needed_ = std::max(columns_needed_, block.columns_needed);
    }
    check_memory();
    columns_.resize(entries_);
    values_.resize(entries_);
    offsets_.resize(rows_ + 1);
    parallel_chunks(threads_, blocks.size(), 1, [&](std::size_t b, std::size_t, std::size_t) {
      copy(blocks[b], starts[b]);
    });
  }

  [[nodiscard]] Dataset finish() {
    columns_.shrink_to_fit();
    values_.shrink_to_fit();
    offsets_.shrink_to_fit();
    Dataset data = {.weights = std::move(weights_), .groups = std::move(groups_), .source = name_};
    finish_labels(data);
    const std::size_t cols = std::max(columns_needed_, options_.features.value_or(0));
    data.examples =
        SparseMatrix(cols, std::move(offsets_), std::move(columns_), std::move(values_));
    return data;
  }

 private:
  /// Where a block's entries and rows go.
  struct Start {
    std::size_t entry = 0;
    std::size_t row = 0;
  };

  /// When the length of the file is known, its first part tells how much there will be.
  void reserve(std::span<const SvmlightBlock> blocks, std::size_t bytes) {
    if (rows_ > 0 || !total_bytes_ || bytes == 0) return;
    std::size_t entries = 0;
    std::size_t rows = 0;
    for (const SvmlightBlock& block : blocks) {
      entries += block.values.size();
      rows += block.rows();
    }
    // The later parts may be a little denser; what is not used is given back in the end.
    const double scale = 1.05 * static_cast<double>(*total_bytes_) / static_cast<double>(bytes);
    const auto scaled = [&](std::size_t count) {
      return static_cast<std::size_t>(scale * static_cast<double>(count)) + 1;
    };
    if (*total_bytes_ <= bytes) return;
    columns_.reserve(scaled(entries));
    values_.reserve(scaled(entries));
    offsets_.reserve(scaled(rows));
  }

  /// Compressed data may grow without end.
  void check_memory() const {
    constexpr std::size_t bytes_an_entry = sizeof(std::int32_t) + sizeof(double);
    constexpr std::size_t bytes_a_row = sizeof(std::int64_t) + sizeof(double);
    // Arrays that grow are in memory twice while they do.
    const std::size_t times = total_bytes_ ? 1 : 2;
    if (times * (entries_ * bytes_an_entry + rows_ * bytes_a_row) <= machine_memory()) return;
    throw FileError(name_,
                    "holds " + std::to_string(entries_) + " entries up to line " +
                        std::to_string(lines_) + ", which need more memory than there is for them");
  }

  [[nodiscard]] FilePlace in_file(FilePlace place) const {
    return {.line = lines_ + place.line, .column = place.column};
  }

  /// In the order of the file: a prefix other than before in the first row, then groups that come
  /// back and their weights (those behind another problem were not read), then other problems.
  void check(const SvmlightBlock& block) {
    if (block.prefix) {
      if (!prefix_) prefix_ = block.prefix;
      if (*prefix_ != *block.prefix) {
        throw ParseError(name_, in_file(block.first_row), prefix_mismatch(*prefix_, *block.prefix));
      }
    }
    if (options_.whole_groups) check_groups(block);
    if (options_.group_weights) check_weights(block);
    if (block.problem)
      throw ParseError(name_, in_file(block.problem->place), block.problem->message);
    if (block.first_unlabelled && !first_unlabelled_) {
      first_unlabelled_ = in_file(*block.first_unlabelled);
    }
    if (block.first_without_label && !first_without_label_) {
      first_without_label_ = in_file(*block.first_without_label);
    }
    rows_without_label_ += block.rows_without_label;
  }

  /// Before the groups of the block are appended.
  void check_groups(const SvmlightBlock& block) {
    for (const SvmlightBlock::GroupStart& start : block.group_starts) {
      const bool goes_on =
          &start == block.group_starts.data() && !groups_.empty() && groups_.back() == start.group;
      if (goes_on || seen_groups_.insert(start.group).second) continue;
      throw ParseError(
          name_,
          in_file(start.place),
          "qid:" + std::to_string(start.group) +
              " comes back after another group; expected the rows of a group together");
    }
  }

  /// The same of the weights.
  void check_weights(const SvmlightBlock& block) const {
    const bool goes_on = !weights_.empty() && !block.weights.empty() &&
                         (groups_.empty() || groups_.back() == block.groups.front());
    const bool uneven_start = goes_on && weights_.back() != block.weights.front();
    if (!uneven_start && !block.uneven_weight) return;
    throw ParseError(name_,
                     in_file(uneven_start ? block.first_row : *block.uneven_weight),
                     uneven_weight_message);
  }

  void append_labels(SvmlightBlock& block) {
    labels_.append(block.labels);
    for (LabelList& list : block.lists) {
      list.row += rows_;
      lists_.push_back(std::move(list));
    }
  }

  void copy(const SvmlightBlock& block, const Start& start) {
    std::copy(block.columns.begin(), block.columns.end(), columns_.data() + start.entry);
    std::copy(block.values.begin(), block.values.end(), values_.data() + start.entry);
    const auto before = narrow<std::int64_t>(start.entry);
    std::transform(block.row_ends.begin(),
                   block.row_ends.end(),
                   offsets_.data() + start.row + 1,
                   [before](std::int64_t end) { return before + end; });
  }

  void finish_labels(Dataset& data) {
    if (options_.multi_label || !lists_.empty()) {
      if (first_unlabelled_) {
        throw ParseError(name_,
                         *first_unlabelled_,
                         "an unlabelled row in a file of label sets; expected a list of labels, "
                         "or none");
      }
      data.label_sets.resize(rows_);
      for (LabelList& list : lists_) data.label_sets[list.row] = std::move(list.labels);
      for (std::size_t row = 0; row < rows_; ++row) {
        if (const auto label = labels_.at(row)) data.label_sets[row] = {*label};
      }
    } else if (rows_without_label_ == 0) {
      data.labels = std::move(labels_);
    } else if (rows_without_label_ < rows_) {
      throw ParseError(name_,
                       *first_without_label_,
                       "expected a label: other lines have one, and no line has a list of them");
    }
  }

  const SvmlightOptions& options_;
  std::string name_;
  std::optional<std::uint64_t> total_bytes_;
  std::size_t threads_;

  Buffer<std::int64_t> offsets_ = Buffer<std::int64_t>(1, 0);
  Buffer<std::int32_t> columns_;
  Buffer<double> values_;
  LabelColumn labels_;
  std::vector<LabelList> lists_;
  std::vector<std::int64_t> groups_;
  std::unordered_set<std::int64_t> seen_groups_;  ///< with whole_groups alone
  std::vector<double> weights_;

  std::size_t entries_ = 0;
  std::size_t rows_ = 0;
  std::size_t lines_ = 0;
  std::size_t columns_needed_ = 0;
  std::size_t rows_without_label_ = 0;
  std::optional<SvmlightPrefix> prefix_;
  std::optional<FilePlace> first_unlabelled_;
  std::optional<FilePlace> first_without_label_;
};

}  // namespace

void SvmlightOptions::describe(OptionVisitor& visit) {
  describe_unlabeled(visit, unlabeled);
  visit.yes_no(
      {.name = "precomputed", .help = "rows of a precomputed kernel, which begin with 0:serial"},
      precomputed);
  visit.yes_no({.name = "zero-based", .help = "feature numbers count from 0"}, zero_based);
  visit.rule(!zero_based || !precomputed,
             "--zero-based: rows of a precomputed kernel have their serial number at 0");
  visit.yes_no({.name = "multi-label", .help = "label sets even if no line lists two labels"},
               multi_label);
  visit.yes_no(
      {.name = "whole-groups", .help = "a group that comes back after another is an error"},
      whole_groups);
  visit.yes_no({.name = "group-weights", .help = "all rows of a group have one weight"},
               group_weights);
  visit.whole({.name = "features", .help = "columns at least, though no row may reach them"},
              features,
              {.most = static_cast<std::uint64_t>(largest_svmlight_index)});
  visit.threads(context.threads);
}

Dataset read_svmlight(Input& input, const SvmlightOptions& options) {
  validate(options);
  skip_byte_order_mark(input);
  SvmlightRules rules = {.precomputed = options.precomputed, .zero_based = options.zero_based};
  if (options.unlabeled) rules.unlabeled = Label::parse(*options.unlabeled);

  SvmlightBuilder builder(input, options);
  LineBlocks lines(input, block_bytes);
  std::vector<SvmlightBlock> parsed;
  // Text and what is parsed of it are in memory together: some four times the text.
  const std::size_t fitting = machine_memory() / 16 / block_bytes;
  const std::size_t at_once = std::clamp<std::size_t>(
      blocks_a_thread * builder.threads(), 1, std::max<std::size_t>(1, fitting));
  for (;;) {
    const auto texts = lines.next(at_once);
    if (texts.empty()) break;
    if (parsed.size() < texts.size()) parsed.resize(texts.size());
    parallel_chunks(
        builder.threads(), texts.size(), 1, [&](std::size_t b, std::size_t, std::size_t) {
          parse_svmlight_block(texts[b], rules, parsed[b]);
        });
    std::size_t bytes = 0;
    for (const std::string_view text : texts) bytes += text.size();
    builder.append({parsed.data(), texts.size()}, bytes);
  }
  return builder.finish();
}

}  // namespace maxmargin
