// SPDX-License-Identifier: Apache-2.0
#include "partition_source.hpp"

#include <sstream>

#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/structured/pair_features.hpp"
#include "maxmargin/io/text/conll2012.hpp"

namespace maxmargin::tool {

namespace {

/// What is looked at to find the format.
constexpr std::size_t bytes_ahead = 1 << 16;

const std::vector<std::string> format_names = {"pairs", "conll2012"};

/// Text says #begin document before anything that is no comment.
PartitionFormat format_of(Input& input) {
  std::istringstream lines(std::string(input.peek(bytes_ahead)));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    if (line.starts_with("#begin document")) return PartitionFormat::conll2012;
    const bool blank = line.find_first_not_of(" \t\r") == std::string::npos;
    if (!blank && !line.starts_with('#')) break;
  }
  return PartitionFormat::pairs;
}

}  // namespace

std::string to_string(PartitionFormat format) {
  return format_names[static_cast<std::size_t>(format)];
}

std::optional<PartitionFormat> partition_format_named(const std::string& name) {
  for (std::size_t k = 0; k < format_names.size(); ++k) {
    if (format_names[k] == name) return static_cast<PartitionFormat>(k);
  }
  return std::nullopt;
}

void PartitionSource::pair_up(const MentionPairOptions& options) {
  if (format == PartitionFormat::pairs) return;
  std::string source = std::move(data.source);
  data = mention_pair_data(documents, options);
  data.source = std::move(source);
}

PartitionSource load_partitions(const std::string& path, const Arguments& arguments) {
  Input input = Input::open(path);
  PartitionSource source{
      .format = arguments.has("format")
                    ? *partition_format_named(arguments.choice_or("format", "", format_names))
                    : format_of(input)};
  if (source.format == PartitionFormat::pairs) {
    source.data = read_pair_features(input);
  } else {
    source.documents = read_conll2012(input);
    source.data.source = input.name();
  }
  return source;
}

}  // namespace maxmargin::tool
