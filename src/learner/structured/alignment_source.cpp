// SPDX-License-Identifier: Apache-2.0
#include "io/structured/fasta_pairs.hpp"
#include "io/text/builtin_files.hpp"
#include "learner/structured/sources_text.hpp"
#include "maxmargin/io/stream/input.hpp"

namespace maxmargin::learning {

namespace {

void describe_format(OptionVisitor& visit, AlignmentFormat& format) {
  visit.name({.name = "format", .help = "format of the file", .value = "FORMAT"}, format);
}

constexpr std::string_view not_aligned = "none";

}  // namespace

void AlignmentSourceOptions::describe(OptionVisitor& visit) {
  describe_format(visit, format);
  visit.text({.name = "label",
              .help = "none: the pairs are not aligned, whatever they look like",
              .value = "none",
              .fallback = "by content"},
             label);
  visit.rule(!label || *label == not_aligned,
             "--label " + label.value_or("") + ": must be none for pairs");
}

void AlignmentEvaluationOptions::describe(OptionVisitor& visit) { describe_format(visit, format); }

AlignmentData read_alignments(const std::string& path, const AlignmentSourceOptions& options) {
  Input input = open_data_file(path);
  return read_fasta_pairs(input, {.aligned = options.label ? std::optional(false) : std::nullopt});
}

}  // namespace maxmargin::learning
