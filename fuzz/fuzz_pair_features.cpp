// SPDX-License-Identifier: Apache-2.0
#include "io/structured/pair_features.hpp"
#include "round_trip.hpp"

namespace maxmargin {
namespace {

std::string written(const PartitionData& data) {
  return written_by([&](OutputFile& output) { write_pair_features(data, output); });
}

}  // namespace
}  // namespace maxmargin

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(file)) return 0;
  const auto data = read_from(file, read_pair_features);
  if (!data) return 0;
  data->validate();
  const std::string text = written(*data);
  const auto copy = read_from(text, read_pair_features);
  check(copy.has_value(), "what write_pair_features writes can be read");
  check(copy->features == data->features, "same features");
  check(copy->names == data->names && copy->item_names == data->item_names, "same names");
  check(copy->partitions == data->partitions, "same partitions");
  check(copy->size() == data->size(), "same number of documents");
  for (std::size_t d = 0; d < data->size(); ++d) {
    const PartitionInput& a = data->inputs[d];
    const PartitionInput& b = copy->inputs[d];
    check(a.items == b.items && a.pairs == b.pairs && a.begins == b.begins, "same pairs");
    check(a.indices == b.indices && same_bits(a.values, b.values), "same entries");
  }
  check(written(*copy) == text, "what was written and read is written the same");
  return 0;
}
