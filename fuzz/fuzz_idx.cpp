// SPDX-License-Identifier: Apache-2.0
#include "io/table/idx.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(file)) return 0;
  const auto array = read_from(file, read_idx);
  if (!array) return 0;
  const std::string written = written_by([&](OutputFile& output) { write_idx(*array, output); });
  const auto copy = read_from(written, read_idx);
  check(copy.has_value(), "what write_idx writes can be read");
  check(copy->shape == array->shape, "same shape");
  check(same_bits(copy->values.values(), array->values.values()), "same values");
  return 0;
}
