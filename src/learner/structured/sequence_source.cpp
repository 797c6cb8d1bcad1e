// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "io/text/builtin_files.hpp"
#include "learner/structured/sources_text.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/data/text/sequence_map.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/text/conll_columns.hpp"
#include "maxmargin/io/text/conllu.hpp"
#include "maxmargin/io/text/svmhmm.hpp"

namespace maxmargin::learning {

namespace {

/// What is looked at to find the format.
constexpr std::size_t bytes_ahead = 1 << 16;
/// The label column that no file has.
constexpr std::string_view no_label = "none";

/// The first line that is neither empty nor a comment, and the first that does not begin with #;
/// empty when none is near. They differ where # is a word, as in CoNLL-2000.
struct FirstLines {
  std::string token = {};
  std::string without_mark = {};
};

FirstLines first_lines(Input& input) {
  FirstLines found;
  std::istringstream lines(std::string(input.peek(bytes_ahead)));
  for (std::string line; found.without_mark.empty() && std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const bool blank = line.find_first_not_of(" \t") == std::string::npos;
    if (blank || line.starts_with("-DOCSTART-")) continue;
    // A comment says name = text; the word # has columns behind it.
    const bool comment = line.starts_with("# ") && line.find('=') != std::string::npos;
    if (found.token.empty() && !comment) found.token = line;
    if (!line.starts_with("#")) found.without_mark = line;
  }
  return found;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  return words;
}

SequenceFormat format_of(const FirstLines& first) {
  const std::string& line = first.without_mark;
  const std::vector<std::string> words = words_of(line);
  if (words.size() >= 2 && words[1].starts_with("qid:")) return SequenceFormat::svmhmm;
  const bool has_ten = std::ranges::count(line, '\t') == 9;
  const bool has_number = !line.empty() && line.front() >= '0' && line.front() <= '9';
  return has_ten && has_number ? SequenceFormat::conllu : SequenceFormat::conll;
}

/// What is given, or what a model says of it.
std::optional<std::string> given_or_known(const std::optional<std::string>& given,
                                          const KnownSequences* known,
                                          std::optional<std::string> KnownSequences::*field) {
  return given || known == nullptr ? given : known->*field;
}

/// The label of column files: the number of a column, or none.
void take_tag_column(const std::optional<std::string>& label, ConllOptions& options) {
  if (!label) return;
  if (*label == no_label) {
    options.has_tags = false;
    return;
  }
  const std::optional<std::int64_t> number = parse_integer(*label);
  if (!number || *number < 1) {
    throw InvalidArgument(breach("label", *label, "the number of a column from 1, or none"));
  }
  options.tag_column = static_cast<std::size_t>(*number);
}

/// Options that this format has no use for.
void check_options(SequenceFormat format, const SequenceSourceOptions& options) {
  if (format != SequenceFormat::conllu && options.columns) {
    throw InvalidArgument("--columns: belongs to conllu files, the data is " +
                          std::string(to_string(format)));
  }
  if (format == SequenceFormat::svmhmm && options.label && *options.label != no_label) {
    throw InvalidArgument(
        breach("label", *options.label, "none for svmhmm files, which have no columns"));
  }
}

SequenceData read_numbers(Input& input,
                          const SequenceSourceOptions& options,
                          const Context& context,
                          const KnownSequences* known) {
  SvmhmmOptions reading{.context = context};
  if (known != nullptr) reading.label_names = known->label_names;
  SequenceData data = read_svmhmm(input, reading);
  if (options.label) data.labels.clear();
  return data;
}

TaggedText read_columns(Input& input,
                        const std::string& line,
                        const SequenceSourceOptions& options,
                        const KnownSequences* known) {
  ConllOptions reading;
  take_tag_column(given_or_known(options.label, known, &KnownSequences::label), reading);
  if (known != nullptr && !options.label) {
    const std::size_t columns = words_of(line).size();
    if (columns != 0 && columns != known->columns && columns != known->columns + 1) {
      throw FileError(input.name(),
                      "has " + std::to_string(columns) + " columns, the model wants " +
                          std::to_string(known->columns) + ", or one more for the tag");
    }
    reading.has_tags = columns == known->columns + 1;
    if (!reading.has_tags) reading.tag_column = 0;
  }
  return read_conll_columns(input, reading);
}

TaggedText read_dependencies(Input& input,
                             const SequenceSourceOptions& options,
                             const KnownSequences* known) {
  OptionTexts texts;
  if (const auto tag = given_or_known(options.label, known, &KnownSequences::label)) {
    texts.emplace_back("label", *tag);
  }
  if (const auto columns = given_or_known(options.columns, known, &KnownSequences::column_names)) {
    texts.emplace_back("columns", *columns);
  }
  ConlluOptions reading;
  set_options(reading, texts, "a conllu file");
  return read_conllu(input, reading);
}

void describe_file(OptionVisitor& visit,
                   std::optional<SequenceFormat>& format,
                   std::optional<std::string>& label) {
  visit.name(
      {.name = "format", .help = "format of the file", .value = "FORMAT", .fallback = "by content"},
      format);
  visit.text({.name = "label",
              .help = "column of the tag: a number from 1 (conll), a name (conllu), or none",
              .value = "COLUMN",
              .fallback = "the last; UPOS"},
             label);
}

}  // namespace

void SequenceSourceOptions::describe(OptionVisitor& visit) {
  describe_file(visit, format, label);
  visit.text({.name = "columns",
              .help = "observed columns of CoNLL-U",
              .value = "NAME,...",
              .fallback = "FORM"},
             columns);
}

void SequenceLabelOptions::describe(OptionVisitor& visit) { describe_file(visit, format, label); }

KnownSequences known_sequences(const ModelDocument& model) {
  const auto format = value_named<SequenceFormat>(model.string("text.format"));
  if (!format) throw ModelFormatError(model.source(), {}, "text.format is not known");
  const auto trained_with = [&](const std::string& option) -> std::optional<std::string> {
    const std::string name = "text.option." + option;
    return model.has(name) ? std::optional(model.string(name)) : std::nullopt;
  };
  return {.format = *format,
          .columns = static_cast<std::size_t>(model.integer("text.columns")),
          .label_names = model.strings("labels"),
          .label = trained_with("label"),
          .column_names = trained_with("columns")};
}

SequenceCollection read_sequences(const std::string& path,
                                  const SequenceSourceOptions& options,
                                  const Context& context,
                                  const KnownSequences* known) {
  Input input = open_data_file(path);
  const FirstLines first = first_lines(input);
  SequenceCollection read{.format = options.format     ? *options.format
                                    : known != nullptr ? known->format
                                                       : format_of(first),
                          .label = options.label,
                          .columns = options.columns,
                          .path = path};
  if (known != nullptr &&
      (known->format == SequenceFormat::svmhmm) != (read.format == SequenceFormat::svmhmm)) {
    throw InvalidArgument("--format " + std::string(to_string(read.format)) +
                          ": the model was trained on " + std::string(to_string(known->format)) +
                          " files");
  }
  check_options(read.format, options);
  switch (read.format) {
    case SequenceFormat::conll:
      read.text = read_columns(input, first.token, options, known);
      break;
    case SequenceFormat::conllu:
      read.text = read_dependencies(input, options, known);
      break;
    case SequenceFormat::svmhmm:
      read.numbers = read_numbers(input, options, context, known);
      break;
  }
  return read;
}

namespace {

/// Whether a line of a file in order is a token.
bool is_token(const std::string& line, SequenceFormat format) {
  const std::size_t first = line.find_first_not_of(" \t\r\v\f");
  if (first == line.npos) return false;
  switch (format) {
    case SequenceFormat::conll:
      return line != "\xef\xbb\xbf" && words_of(line).front() != "-DOCSTART-";
    case SequenceFormat::conllu:
      // Words have a number; 1-2 and 3.1 are none.
      return parse_integer(line.substr(0, line.find('\t'))).has_value();
    case SequenceFormat::svmhmm:
      return line[first] != '#';
  }
  return false;
}

}  // namespace

FilePlace place_of_token(const std::string& path, SequenceFormat format, std::size_t token) {
  // What is no file, such as a pipe, cannot be read again.
  if (std::error_code error; !std::filesystem::is_regular_file(path, error)) return {};
  Input input = Input::open(path);
  std::istringstream lines(input.read_all());
  std::size_t tokens = 0;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (is_token(line, format) && tokens++ == token) return {.line = number};
  }
  return {};
}

namespace {

std::vector<LabelSequence> labels_of(const TaggedText& text, std::vector<std::string>& names) {
  std::vector<std::uint32_t> number_of_tag;
  names = number_labels(names, text.tags(), number_of_tag);
  std::vector<LabelSequence> labels(text.size());
  for (std::size_t s = 0; s < text.size(); ++s) {
    for (std::size_t token = text.begin(s); token < text.begin(s + 1); ++token) {
      labels[s].push_back(number_of_tag[text.tag(token)]);
    }
  }
  return labels;
}

}  // namespace

LabelledSequences read_labels(const std::string& path,
                              const SequenceLabelOptions& options,
                              const Context& context,
                              const LabelledSequences* truth) {
  Input input = open_data_file(path);
  if (input.peek(bytes_ahead).starts_with("# sequence 1 rank 1 ")) {
    throw FileError(path, "holds the answers of --n-best; expected one a sequence");
  }
  const FirstLines first = first_lines(input);
  const bool by_options = truth == nullptr;
  LabelledSequences found{.format =
                              by_options && options.format ? *options.format : format_of(first)};
  if (!by_options) found.names = truth->names;
  // Ten columns may look like CoNLL-U: who says that they are not means both files.
  if (!by_options && options.format && truth->format == SequenceFormat::conll &&
      found.format == SequenceFormat::conllu) {
    found.format = SequenceFormat::conll;
  }
  const SequenceSourceOptions reading{.format = options.format, .label = options.label};
  if (by_options) check_options(found.format, reading);
  if (found.format == SequenceFormat::svmhmm) {
    SequenceData data = read_svmhmm(input, {.label_names = found.names, .context = context});
    if (by_options && options.label) data.labels.clear();
    found.names = std::move(data.label_names);
    found.labels = std::move(data.labels);
    if (data.size() > 0 && found.labels.empty()) throw FileError(path, "has no labels");
    return found;
  }
  ConllOptions columns{.tags_alone = true};
  if (by_options && found.format == SequenceFormat::conll) take_tag_column(options.label, columns);
  // Columns of CoNLL-U have names, which are the same in both files.
  const bool same_names = by_options || truth->format == SequenceFormat::conllu;
  const TaggedText text =
      found.format == SequenceFormat::conll
          ? read_conll_columns(input, columns)
          : read_dependencies(input, same_names ? reading : SequenceSourceOptions{}, nullptr);
  if (text.tokens() > 0 && !text.has_tags()) throw FileError(path, "has no tags");
  found.labels = labels_of(text, found.names);
  return found;
}

}  // namespace maxmargin::learning
