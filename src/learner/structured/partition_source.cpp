// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "io/structured/pair_features.hpp"
#include "io/text/builtin_files.hpp"
#include "io/text/conll2012.hpp"
#include "learner/structured/sources_text.hpp"
#include "maxmargin/io/stream/input.hpp"

namespace maxmargin::learning {

namespace {

/// What is looked at to find the format.
constexpr std::size_t bytes_ahead = 1 << 16;

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

void PartitionSourceOptions::describe(OptionVisitor& visit) {
  visit.name({.name = "format",
              .help = "format of the file: features of pairs, or text with mentions",
              .value = "FORMAT",
              .fallback = "by content"},
             format);
}

PartitionCollection read_partitions(const std::string& path,
                                    const PartitionSourceOptions& options) {
  Input input = open_data_file(path);
  PartitionCollection read{.format = options.format ? *options.format : format_of(input)};
  if (read.format == PartitionFormat::pairs) {
    read.data = read_pair_features(input);
  } else {
    read.documents = read_conll2012(input);
    read.data.source = input.name();
  }
  return read;
}

}  // namespace maxmargin::learning
