// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "io/structured/class_costs.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(file)) return 0;
  const std::vector<Label> classes = {Label(1.0), Label(2.0), Label(std::string("a"))};
  const auto read = [&](bool skip_others) {
    return read_from(file,
                     [&](Input& input) { return read_class_costs(input, classes, skip_others); });
  };
  const auto strict = read(false);
  const auto loose = read(true);
  check(!strict || loose, "what has no other class needs no skipping");
  if (!loose) return 0;
  for (std::size_t y = 0; y < classes.size(); ++y) {
    check((*loose)(y, y) == 0, "a class for itself costs nothing");
    for (std::size_t z = 0; z < classes.size(); ++z) {
      check(std::isfinite((*loose)(y, z)) && (*loose)(y, z) >= 0, "costs are finite and >= 0");
      check(!strict || (*strict)(y, z) == (*loose)(y, z), "the same costs");
    }
  }
  return 0;
}
