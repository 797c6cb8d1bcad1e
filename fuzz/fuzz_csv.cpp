// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "maxmargin/io/table/csv.hpp"
#include "round_trip.hpp"

namespace maxmargin {
namespace {

bool same_labels(const LabelColumn& a, const LabelColumn& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a.at(i) != b.at(i)) return false;
  }
  return true;
}

void round_trip(const std::string& bytes, const CsvOptions& options) {
  const auto data = read_from(bytes, [&](Input& input) { return read_csv(input, options); });
  if (!data) return;
  data->validate();
  const bool has_columns = data->features() > 0 || data->has_labels() || !data->weights.empty();
  if (!has_columns) return;  // a header of a label column alone
  const std::string text =
      written_by([&](OutputFile& output) { write_csv(*data, output, options.delimiter); });
  CsvOptions again;
  again.delimiter = options.delimiter;
  again.label = data->has_labels() ? "label" : "none";
  if (!data->weights.empty()) again.weight = "weight";
  again.header = true;
  again.context.threads = 1;
  const auto copy = read_from(text, [&](Input& input) { return read_csv(input, again); });
  check(copy.has_value(), "what write_csv writes can be read");
  check(copy->size() == data->size() && copy->features() == data->features(), "same size");
  check(same_bits(copy->examples.to_dense().values(), data->examples.to_dense().values()),
        "same features");
  check(same_labels(copy->labels, data->labels), "same labels");
  check(same_bits(copy->weights, data->weights), "same weights");
  check(data->feature_names.empty() || copy->feature_names == data->feature_names, "same names");
}

}  // namespace
}  // namespace maxmargin

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(text)) return 0;
  round_trip(text, {.context = {.threads = 1}});
  round_trip(text, {.delimiter = '\t', .label = "none", .context = {.threads = 1}});
  round_trip(text, {.delimiter = ';', .label = "1", .weight = "2", .context = {.threads = 2}});
  round_trip(text,
             {.delimiter = ' ',
              .label_default = CsvLabelDefault::features_if_numeric,
              .unlabeled = "0",
              .context = {.threads = 1}});
  round_trip(text, {.model_features = 2, .header = true, .context = {.threads = 1}});
  return 0;
}
