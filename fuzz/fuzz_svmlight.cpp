// SPDX-License-Identifier: Apache-2.0
#include "io/table/svmlight.hpp"
#include "round_trip.hpp"

namespace maxmargin {
namespace {

std::string written(const Dataset& data, const SvmlightOptions& options) {
  return written_by([&](OutputFile& output) { write_svmlight(data, output, options); });
}

void round_trip(const std::string& bytes, SvmlightOptions options) {
  options.context.threads = 1;
  const auto data = read_from(bytes, [&](Input& input) { return read_svmlight(input, options); });
  if (!data) return;
  data->validate();
  const std::string text = written(*data, options);
  options.multi_label = !data->label_sets.empty();
  options.unlabeled = std::nullopt;
  const auto copy = read_from(text, [&](Input& input) { return read_svmlight(input, options); });
  check(copy.has_value(), "what write_svmlight writes can be read");
  check(copy->size() == data->size(), "same number of rows");
  check(copy->features() >= data->features(), "no column is lost");
  check(copy->labels.size() == data->labels.size(), "same number of labels");
  for (std::size_t i = 0; i < data->labels.size(); ++i) {
    check(copy->labels.at(i) == data->labels.at(i), "same labels");
  }
  check(copy->label_sets == data->label_sets, "same label sets");
  check(copy->groups == data->groups, "same groups");
  check(same_bits(copy->weights, data->weights), "same weights");
  check(written(*copy, options) == text, "what was written and read is written the same");
}

}  // namespace
}  // namespace maxmargin

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(text)) return 0;
  round_trip(text, {});
  round_trip(text, {.unlabeled = "0", .multi_label = true});
  round_trip(text, {.precomputed = true});
  round_trip(text, {.whole_groups = true});
  return 0;
}
