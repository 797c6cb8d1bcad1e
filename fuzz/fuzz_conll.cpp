// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/text/sequence_map.hpp"
#include "maxmargin/io/text/conll_columns.hpp"
#include "round_trip.hpp"

namespace maxmargin {
namespace {

void check_same(const TaggedText& a, const TaggedText& b) {
  check(a.size() == b.size() && a.tokens() == b.tokens(), "same sentences");
  check(a.columns() == b.columns() || a.tokens() == 0, "same columns");
  for (std::size_t s = 0; s < a.size(); ++s) check(a.begin(s) == b.begin(s), "same borders");
  for (std::size_t token = 0; token < a.tokens(); ++token) {
    for (std::size_t column = 0; column < a.columns(); ++column) {
      check(a.cell(token, column) == b.cell(token, column), "same cells");
    }
    if (a.has_tags()) check(a.tags()[a.tag(token)] == b.tags()[b.tag(token)], "same tags");
  }
}

void round_trip(const std::string& bytes, const ConllOptions& options) {
  const auto text =
      read_from(bytes, [&](Input& input) { return read_conll_columns(input, options); });
  if (!text) return;
  const std::string written =
      written_by([&](OutputFile& output) { write_conll_columns(*text, output); });
  const ConllOptions again = {
      .has_tags = options.has_tags, .tabs_only = options.tabs_only, .skip_document_marks = false};
  const auto copy =
      read_from(written, [&](Input& input) { return read_conll_columns(input, again); });
  check(copy.has_value(), "what write_conll_columns writes can be read");
  check_same(*text, *copy);
  // Words of any bytes go through the functions of templates.
  static const FeatureTemplates templates = standard_templates("tagging");
  if (text->columns() == 0) return;
  const SequenceMap map = learn_sequence_map(*text, templates, {.context = {.threads = 1}});
  const SequenceData data = map.apply(*text, 1);
  check(data.size() == text->size(), "a sequence for each sentence");
  for (const Sequence& sequence : data.inputs) {
    check(sequence.indices.size() >= sequence.size(), "every position has a feature");
  }
}

}  // namespace
}  // namespace maxmargin

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(text)) return 0;
  round_trip(text, {});
  round_trip(text, {.has_tags = false, .tabs_only = true});
  round_trip(text, {.tag_column = 1, .comment = "#"});
  return 0;
}
