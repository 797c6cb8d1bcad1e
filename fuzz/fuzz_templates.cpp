// SPDX-License-Identifier: Apache-2.0
#include "io/model/sequence_map_file.hpp"
#include "round_trip.hpp"

namespace maxmargin {
namespace {

TaggedText small_text() {
  TaggedText text(3, true);
  for (const std::string_view word : {"He", "reckons", "\xc3\x9c-4", "\xff"}) {
    text.add_token(std::vector<std::string_view>{word, "NN", "x"}, "T");
  }
  text.end_sentence();
  return text;
}

}  // namespace
}  // namespace maxmargin

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(file)) return 0;
  const auto templates = read_from(file, read_templates);
  if (!templates) return 0;
  const std::string text = to_text(*templates);
  const FeatureTemplates copy = parse_templates(text);
  check(to_text(copy) == text, "the text of templates reads back");
  check(copy.positions.size() == templates->positions.size(), "same lines for positions");
  check(copy.steps.size() == templates->steps.size(), "same lines for steps");
  check(copy.transitions == templates->transitions, "same transitions");
  try {
    const TaggedText words = small_text();
    const SequenceMap map = learn_sequence_map(words, *templates, {.context = {.threads = 1}});
    ModelDocument model("sequence");
    store_sequence_map(map, model);
    const SequenceMap again = load_sequence_map(model);
    const SequenceData first = map.apply(words, 1);
    const SequenceData second = again.apply(words, 1);
    check(first.inputs[0].indices == second.inputs[0].indices, "a stored map maps the same");
  } catch (const ParseError&) {  // a column that the text has not
  }
  return 0;
}
