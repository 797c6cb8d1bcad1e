// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/text/svmhmm.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(file)) return 0;
  const auto read = [](Input& input) { return read_svmhmm(input, {.context = {.threads = 1}}); };
  const auto data = read_from(file, read);
  if (!data) return 0;
  for (const LabelSequence& labels : data->labels) {
    for (const std::uint32_t label : labels) {
      check(label < data->label_names.size(), "every label has a name");
    }
  }
  const auto write = [](const SequenceData& sequences) {
    return written_by([&](OutputFile& output) { write_svmhmm(sequences, output); });
  };
  const std::string text = write(*data);
  const auto copy = read_from(text, read);
  check(copy.has_value(), "what write_svmhmm writes can be read");
  check(copy->size() == data->size(), "same number of sequences");
  check(copy->labels == data->labels && copy->label_names == data->label_names, "same labels");
  check(copy->features == data->features, "same number of features");
  for (std::size_t i = 0; i < data->size(); ++i) {
    check(copy->inputs[i].begins == data->inputs[i].begins, "same positions");
    check(copy->inputs[i].indices == data->inputs[i].indices, "same indices");
    check(same_bits(copy->inputs[i].values, data->inputs[i].values), "same values");
  }
  check(write(*copy) == text, "what was written and read is written the same");
  return 0;
}
