// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/text/svmhmm.hpp"

#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "io/stream/line_blocks.hpp"
#include "io/table/svmlight_block.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/data/text/sequence_map.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;
/// Blocks parsed between two joins.
constexpr std::size_t blocks_a_thread = 4;

/// The line of a row of a block. Searched for when something is wrong with it, not remembered.
std::size_t line_of_row(std::string_view text, std::size_t row) {
  for (std::size_t line = 1;; ++line) {
    const char first = text[text.find_first_not_of(" \t\r")];
    if (first != '\n' && first != '#' && row-- == 0) return line;
    text.remove_prefix(text.find('\n') + 1);
  }
}

/// Joins parsed blocks, in file order, to sequences.
class SvmhmmBuilder {
 public:
  SvmhmmBuilder(std::string name, const SvmhmmOptions& options)
      : options_(options), name_(std::move(name)) {}

  /// Throws the ParseError of the first problem.
  void append(const SvmlightBlock& block, std::string_view text) {
    check(block);
    std::size_t entry = 0;
    for (std::size_t row = 0; row < block.rows(); ++row) {
      const auto end = static_cast<std::size_t>(block.row_ends[row]);
      if (data_.inputs.empty() || block.groups[row] != sequence_) {
        begin_sequence(block.groups[row], text, row);
      }
      append_position(block, entry, end);
      append_label(block.labels.at(row), text, row);
      entry = end;
    }
    // After the rows: what is wrong behind them comes second in the file.
    if (block.problem) fail(block.problem->place, block.problem->message);
    lines_ += block.lines;
    data_.features = std::max(data_.features, block.columns_needed);
  }

  SequenceData finish() {
    if (labelled_rows_ > 0) {
      std::vector<std::uint32_t> number_of;
      data_.label_names = number_labels(options_.label_names, labels_, number_of);
      for (LabelSequence& sequence : data_.labels) {
        for (std::uint32_t& label : sequence) label = number_of[label];
      }
    } else {
      data_.labels.clear();
      data_.label_names = options_.label_names;
    }
    for (Sequence& sequence : data_.inputs) {
      sequence.begins.shrink_to_fit();
      sequence.indices.shrink_to_fit();
      sequence.values.shrink_to_fit();
    }
    data_.features = std::max(data_.features, options_.features.value_or(0));
    data_.source = name_;
    return std::move(data_);
  }

 private:
  [[noreturn]] void fail(FilePlace place, const std::string& problem) const {
    throw ParseError(name_, {.line = lines_ + place.line, .column = place.column}, problem);
  }

  void check(const SvmlightBlock& block) const {
    if (!block.prefix) return;
    if (!block.prefix->group) {
      fail(block.first_row, "expected qid:NUMBER behind the label, the number of the sequence");
    }
    if (block.prefix->weight) {
      fail(block.first_row, "cost: has no meaning in a file of sequences");
    }
  }

  void begin_sequence(std::int64_t number, std::string_view text, std::size_t row) {
    if (!data_.inputs.empty() && number < sequence_) {
      fail(
          {.line = line_of_row(text, row)},
          "qid:" + std::to_string(number) + " comes after qid:" + std::to_string(sequence_) +
              "; the lines of a sequence must stand together, and their numbers must not decrease");
    }
    sequence_ = number;
    data_.inputs.emplace_back();
    data_.labels.emplace_back();
  }

  void append_position(const SvmlightBlock& block, std::size_t begin, std::size_t end) {
    Sequence& sequence = data_.inputs.back();
    for (std::size_t k = begin; k < end; ++k) {
      const double value = block.values[k];
      if (value != 1 && sequence.values.empty()) sequence.values.resize(sequence.indices.size(), 1);
      sequence.indices.push_back(static_cast<std::uint32_t>(block.columns[k]));
      if (value != 1 || !sequence.values.empty()) sequence.values.push_back(value);
    }
    sequence.begins.push_back(sequence.indices.size());
    entries_ += end - begin;
    constexpr std::size_t bytes_an_entry = sizeof(std::uint32_t) + sizeof(double);
    if (entries_ > machine_memory_ / bytes_an_entry) {
      throw FileError(name_,
                      "holds " + std::to_string(entries_) + " entries up to line " +
                          std::to_string(lines_) + ", more than the memory of this machine");
    }
  }

  void append_label(const std::optional<Label>& label, std::string_view text, std::size_t row) {
    ++rows_;
    if (label) {
      ++labelled_rows_;
      data_.labels.back().push_back(labels_.add(label->text()));
    }
    if (labelled_rows_ != 0 && labelled_rows_ != rows_) {
      fail({.line = line_of_row(text, row)},
           label ? "a label after positions without one; expected it at all or none"
                 : "a position without a label after others with one; expected it at all or none");
    }
  }

  const SvmhmmOptions& options_;
  std::string name_;
  SequenceData data_;
  StringTable labels_;
  std::int64_t sequence_ = 0;
  std::size_t lines_ = 0;
  std::size_t rows_ = 0;
  std::size_t labelled_rows_ = 0;
  std::size_t entries_ = 0;
  std::size_t machine_memory_ = machine_memory();
};

}  // namespace

void SvmhmmOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "features", .help = "columns at least, though no row may reach them"},
              features,
              {.most = static_cast<std::uint64_t>(largest_svmlight_index)});
  visit.threads(context.threads);
}

SequenceData read_svmhmm(Input& input, const SvmhmmOptions& options) {
  validate(options);
  skip_byte_order_mark(input);
  const std::size_t threads = thread_count(options.context.threads);
  const SvmlightRules rules = {.plain_labels = true};
  SvmhmmBuilder builder(input.name(), options);
  LineBlocks lines(input, block_bytes);
  std::vector<SvmlightBlock> parsed;
  for (;;) {
    const auto texts = lines.next(blocks_a_thread * threads);
    if (texts.empty()) break;
    if (parsed.size() < texts.size()) parsed.resize(texts.size());
    parallel_chunks(threads, texts.size(), 1, [&](std::size_t b, std::size_t, std::size_t) {
      parse_svmlight_block(texts[b], rules, parsed[b]);
    });
    for (std::size_t b = 0; b < texts.size(); ++b) builder.append(parsed[b], texts[b]);
  }
  return builder.finish();
}

}  // namespace maxmargin
