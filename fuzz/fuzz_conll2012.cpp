// SPDX-License-Identifier: Apache-2.0
#include "io/text/conll2012.hpp"

#include "maxmargin/structured/mention_pairs.hpp"
#include "round_trip.hpp"

namespace maxmargin {
namespace {

bool are_equal(const CorefDocument& a, const CorefDocument& b) {
  return a.name == b.name && a.part == b.part && a.words == b.words && a.tags == b.tags &&
         a.speakers == b.speakers && a.sentence_begins == b.sentence_begins &&
         a.mentions == b.mentions;
}

}  // namespace
}  // namespace maxmargin

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(text)) return 0;
  const auto documents = read_from(text, read_conll2012);
  if (!documents) return 0;
  const std::string copy_text =
      written_by([&](OutputFile& output) { write_conll2012(*documents, output); });
  const auto copy = read_from(copy_text, read_conll2012);
  check(copy.has_value(), "what write_conll2012 writes can be read");
  check(copy->size() == documents->size(), "same number of documents");
  for (std::size_t d = 0; d < copy->size(); ++d) {
    check(are_equal((*copy)[d], (*documents)[d]), "same documents");
    // Pairs grow with the square.
    constexpr std::size_t most_mentions = 100;
    if ((*documents)[d].mentions.size() > most_mentions) continue;
    const PartitionInput pairs = mention_pairs((*documents)[d]);
    const std::vector<std::string> names(pairs.items, "mention");
    PartitionData{.inputs = {pairs},
                  .names = {"d"},
                  .item_names = {names},
                  .features = mention_pair_names().size()}
        .validate();
  }
  return 0;
}
