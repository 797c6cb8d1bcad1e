// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/table/read_data.hpp"

#include "maxmargin/io/table/read_labels.hpp"
#include "round_trip.hpp"

/// Bytes of an unknown format, and the same bytes as the files that go beside data.
namespace maxmargin {
namespace {

void read_as_data(const std::string& bytes, const ReadOptions& options) {
  const auto format = read_from(bytes, [](Input& input) { return detect_format(input); });
  check(format != DataFormat::automatic, "a format that is found is one of the formats");
  const auto data = read_from(bytes, [&](Input& input) { return read_data(input, options); });
  if (!data) return;
  check(format.has_value() || options.format != DataFormat::automatic, "the format was found");
  check(data->size() > 0, "data has examples");
  data->validate();
}

/// The bytes as a file beside data of two rows.
void read_as_side_file(const std::string& bytes) {
  namespace fs = std::filesystem;
  static const std::string path = [] {
    const fs::path memory = "/dev/shm";
    const fs::path folder = fs::is_directory(memory) ? memory : fs::temp_directory_path();
    return (folder / ("maxmargin-fuzz-side-" + std::to_string(::getpid()))).string();
  }();
  // Removed at the end, so that a run leaves nothing behind.
  static const struct Cleanup {
    ~Cleanup() { std::remove(path.c_str()); }
  } cleanup;
  std::ofstream(path, std::ios::binary) << bytes;
  const auto read = [](const ReadOptions& options) {
    return read_from("1 1:1\n2 1:2\n", [&](Input& input) { return read_data(input, options); });
  };
  const auto labelled = read({.labels_file = path, .unlabeled = "0", .context = {.threads = 1}});
  if (labelled) check(labelled->labels.size() == 2, "a label a row");
  const auto weighted = read({.weight = path, .context = {.threads = 1}});
  if (weighted) weighted->validate();
  const auto grouped = read({.groups_file = path, .context = {.threads = 1}});
  if (grouped) check(grouped->groups.size() == 2, "a group a row");
  const auto hidden = read({.labeled_rows = path + ":1", .context = {.threads = 1}});
  if (hidden) check(hidden->labels.size() == 2, "hidden labels keep their rows");
  try {
    check(!read_labels(path, {.context = {.threads = 1}}).empty(), "labels that are read are some");
  } catch (const Error&) {  // refused
  }
}

}  // namespace
}  // namespace maxmargin

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(text)) return 0;
  read_as_data(text, {.context = {.threads = 1}});
  read_as_data(text, {.header = true, .label = "1", .unlabeled = "0", .context = {.threads = 1}});
  read_as_data(text,
               {.label_default = CsvLabelDefault::features_if_numeric,
                .model_features = 2,
                .context = {.threads = 1}});
  read_as_data(
      text, {.format = DataFormat::tsv, .label = "none", .weight = "1", .context = {.threads = 1}});
  read_as_data(text, {.strings = "1", .context = {.threads = 1}});
  read_as_data(text,
               {.format = DataFormat::fasta, .label = "last-word", .context = {.threads = 1}});
  read_as_side_file(text);
  return 0;
}
