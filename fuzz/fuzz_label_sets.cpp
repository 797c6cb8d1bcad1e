// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "io/structured/label_sets.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(file)) return 0;
  const auto sets = read_from(file, [](Input& input) { return read_label_sets(input, 1); });
  if (!sets) return 0;
  check(!sets->empty(), "sets that are read are there");
  for (const std::vector<Label>& set : *sets) {
    check(std::ranges::is_sorted(set), "sets are sorted");
    check(std::ranges::adjacent_find(set) == set.end(), "every label once");
  }
  return 0;
}
