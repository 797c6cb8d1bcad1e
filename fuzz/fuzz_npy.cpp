// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/table/npy.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(file)) return 0;
  const auto matrix = read_from(file, read_npy);
  if (!matrix) return 0;
  const std::string written =
      written_by([&](OutputFile& output) { write_npy(matrix->view(), output); });
  const auto copy = read_from(written, read_npy);
  check(copy.has_value(), "what write_npy writes can be read");
  check(copy->rows() == matrix->rows() && copy->cols() == matrix->cols(), "same size");
  check(same_bits(copy->values(), matrix->values()), "same values");
  return 0;
}
