// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/text/conll_columns.hpp"
#include "maxmargin/io/text/conllu.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(file)) return 0;
  const ConlluOptions all = {
      .columns = {"ID", "FORM", "LEMMA", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"}};
  const auto text = read_from(file, [&](Input& input) { return read_conllu(input, all); });
  if (!text) return 0;
  for (std::size_t s = 0; s < text->size(); ++s) {
    for (std::size_t token = text->begin(s); token < text->begin(s + 1); ++token) {
      check(std::stoull(std::string(text->cell(token, 0))) == token - text->begin(s) + 1,
            "words are numbered from 1");
    }
  }
  // The same words as columns.
  const std::string written =
      written_by([&](OutputFile& output) { write_conll_columns(*text, output); });
  const auto copy = read_from(
      written, [&](Input& input) { return read_conll_columns(input, {.tabs_only = true}); });
  check(copy.has_value(), "what write_conll_columns writes can be read");
  check(copy->size() == text->size() && copy->tokens() == text->tokens(), "same sentences");
  return 0;
}
