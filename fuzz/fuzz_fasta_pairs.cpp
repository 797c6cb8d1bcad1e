// SPDX-License-Identifier: Apache-2.0
#include "io/structured/fasta_pairs.hpp"
#include "round_trip.hpp"

namespace maxmargin {
namespace {

void read_and_write(const std::string& bytes, const FastaPairsOptions& options) {
  const auto read = [&](Input& input) { return read_fasta_pairs(input, options); };
  const auto data = read_from(bytes, read);
  if (!data) return;
  check(data->size() > 0, "data has pairs");
  check(data->families.size() == data->size(), "a family a pair");
  check(data->references.empty() || data->references.size() == data->size(),
        "a reference a pair or none");
  check(options.aligned != true || !data->references.empty(), "aligned pairs have references");
  const auto copy = read_from(to_fasta_pairs(*data), [&](Input& input) {
    return read_fasta_pairs(input, {.aligned = !data->references.empty()});
  });
  check(copy.has_value(), "what to_fasta_pairs writes can be read");
  check(copy->inputs == data->inputs, "same pairs");
  check(copy->references == data->references, "same references");
  check(copy->families == data->families, "same families");
}

}  // namespace
}  // namespace maxmargin

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(file)) return 0;
  read_and_write(file, {});
  read_and_write(file, {.aligned = false});
  return 0;
}
