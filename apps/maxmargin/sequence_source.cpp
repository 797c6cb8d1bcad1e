// SPDX-License-Identifier: Apache-2.0
#include "sequence_source.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "data_source.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/data/text/sequence_map.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/text/conll_columns.hpp"
#include "maxmargin/io/text/conllu.hpp"
#include "maxmargin/io/text/svmhmm.hpp"

namespace maxmargin::tool {

namespace {

/// What is looked at to find the format.
constexpr std::size_t bytes_ahead = 1 << 16;

const std::vector<std::string> format_names = {"conll", "conllu", "svmhmm"};

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

SequenceFormat format_named(const std::string& name) {
  if (name == "conllu") return SequenceFormat::conllu;
  return name == "svmhmm" ? SequenceFormat::svmhmm : SequenceFormat::conll;
}

/// An option, or what a model says of it.
std::optional<std::string> given_or_known(const Arguments& arguments,
                                          std::string_view option,
                                          const KnownSequences* known,
                                          std::optional<std::string> KnownSequences::*field) {
  const std::optional<std::string> given = arguments.text(option);
  return given || known == nullptr ? given : known->*field;
}

/// --label of column files: the number of a column, or none.
void take_tag_column(const std::optional<std::string>& label, ConllOptions& options) {
  if (!label) return;
  if (*label == "none") {
    options.has_tags = false;
    return;
  }
  const std::optional<std::int64_t> number = parse_integer(*label);
  if (!number || *number < 1) {
    throw UsageError("--label " + *label + ": must be the number of a column from 1, or none");
  }
  options.tag_column = static_cast<std::size_t>(*number);
}

/// Options that this format has no use for.
void check_options(SequenceFormat format, const Arguments& arguments) {
  if (format != SequenceFormat::conllu && arguments.has("columns")) {
    throw UsageError("--columns: belongs to conllu files, the data is " + to_string(format));
  }
  const std::string label = arguments.text_or("label", "none");
  if (format == SequenceFormat::svmhmm && label != "none") {
    throw UsageError("--label " + label + ": must be none for svmhmm files, which have no columns");
  }
}

SequenceData read_numbers(Input& input, const Arguments& arguments, const KnownSequences* known) {
  SvmhmmOptions options{.threads = threads_of(arguments)};
  if (known != nullptr) options.label_names = known->label_names;
  SequenceData data = read_svmhmm(input, options);
  if (arguments.has("label")) data.labels.clear();
  return data;
}

TaggedText read_columns(Input& input,
                        const std::string& line,
                        const Arguments& arguments,
                        const KnownSequences* known) {
  ConllOptions options;
  take_tag_column(given_or_known(arguments, "label", known, &KnownSequences::label), options);
  if (known != nullptr && !arguments.has("label")) {
    const std::size_t columns = words_of(line).size();
    if (columns != 0 && columns != known->columns && columns != known->columns + 1) {
      throw FileError(input.name(),
                      "has " + std::to_string(columns) + " columns, the model wants " +
                          std::to_string(known->columns) + ", or one more for the tag");
    }
    options.has_tags = columns == known->columns + 1;
    if (!options.has_tags) options.tag_column = 0;
  }
  return read_conll_columns(input, options);
}

TaggedText read_dependencies(Input& input,
                             const Arguments& arguments,
                             const KnownSequences* known) {
  ConlluOptions options;
  if (const auto tag = given_or_known(arguments, "label", known, &KnownSequences::label)) {
    options.tag = *tag == "none" ? "" : *tag;
  }
  if (const auto columns =
          given_or_known(arguments, "columns", known, &KnownSequences::column_names)) {
    options.columns.clear();
    std::istringstream list(*columns);
    for (std::string name; std::getline(list, name, ',');) options.columns.push_back(name);
  }
  try {
    options.validate();
  } catch (const InvalidArgument& wrong) {
    throw UsageError("--label, --columns: " + std::string(wrong.what()));
  }
  return read_conllu(input, options);
}

}  // namespace

std::string to_string(SequenceFormat format) {
  return format_names[static_cast<std::size_t>(format)];
}

SequenceSource load_sequences(const std::string& path,
                              const Arguments& arguments,
                              const KnownSequences* known) {
  Input input = Input::open(path);
  const FirstLines first = first_lines(input);
  SequenceSource source{.format = arguments.has("format") ? format_named(arguments.choice_or(
                                                                "format", "", format_names))
                                  : known != nullptr      ? known->format
                                                          : format_of(first)};
  if (known != nullptr &&
      (known->format == SequenceFormat::svmhmm) != (source.format == SequenceFormat::svmhmm)) {
    throw UsageError("--format " + to_string(source.format) + ": the model was trained on " +
                     to_string(known->format) + " files");
  }
  check_options(source.format, arguments);
  switch (source.format) {
    case SequenceFormat::conll:
      source.text = read_columns(input, first.token, arguments, known);
      break;
    case SequenceFormat::conllu:
      source.text = read_dependencies(input, arguments, known);
      break;
    case SequenceFormat::svmhmm:
      source.numbers = read_numbers(input, arguments, known);
      break;
  }
  return source;
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

LabelledSequences load_labels(const std::string& path,
                              const Arguments& arguments,
                              const LabelledSequences* truth) {
  Input input = Input::open(path);
  if (input.peek(bytes_ahead).starts_with("# sequence 1 rank 1 ")) {
    throw FileError(path, "holds the answers of --n-best; expected one a sequence");
  }
  const FirstLines first = first_lines(input);
  const bool by_options = truth == nullptr;
  LabelledSequences found{.format =
                              by_options && arguments.has("format")
                                  ? format_named(arguments.choice_or("format", "", format_names))
                                  : format_of(first)};
  if (!by_options) found.names = truth->names;
  // Ten columns may look like CoNLL-U: who says that they are not means both files.
  if (!by_options && arguments.has("format") && truth->format == SequenceFormat::conll &&
      found.format == SequenceFormat::conllu) {
    found.format = SequenceFormat::conll;
  }
  if (by_options) check_options(found.format, arguments);
  if (found.format == SequenceFormat::svmhmm) {
    SequenceData data =
        read_svmhmm(input, {.label_names = found.names, .threads = threads_of(arguments)});
    if (by_options && arguments.has("label")) data.labels.clear();
    found.names = std::move(data.label_names);
    found.labels = std::move(data.labels);
    if (data.size() > 0 && found.labels.empty()) throw FileError(path, "has no labels");
    return found;
  }
  ConllOptions columns{.tags_alone = true};
  if (by_options && found.format == SequenceFormat::conll) {
    take_tag_column(arguments.text("label"), columns);
  }
  // Columns of CoNLL-U have names, which are the same in both files.
  const bool same_names = by_options || truth->format == SequenceFormat::conllu;
  const TaggedText text =
      found.format == SequenceFormat::conll
          ? read_conll_columns(input, columns)
          : read_dependencies(input, same_names ? arguments : Arguments{}, nullptr);
  if (text.tokens() > 0 && !text.has_tags()) throw FileError(path, "has no tags");
  found.labels = labels_of(text, found.names);
  return found;
}

}  // namespace maxmargin::tool
