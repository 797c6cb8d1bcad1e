// SPDX-License-Identifier: Apache-2.0
#include "io/structured/dna_fasta.hpp"
#include "maxmargin/core/options.hpp"
#include "round_trip.hpp"

namespace maxmargin {
namespace {

void read_and_write(const std::string& bytes) {
  const auto read = [](Input& input) { return read_dna(input); };
  const auto data = read_from(bytes, read);
  if (!data) return;
  validate(*data);
  const auto copy = read_from(to_fasta(*data), read);
  check(copy.has_value(), "what to_fasta writes can be read");
  check(copy->sequences == data->sequences, "same sequences");
  check(copy->labels == data->labels, "same labels");
  check(copy->weights == data->weights, "same weights");
}

}  // namespace
}  // namespace maxmargin

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  if (!maxmargin::plain_bytes(file)) return 0;
  maxmargin::read_and_write(file);
  return 0;
}
