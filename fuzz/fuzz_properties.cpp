// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/properties.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(file)) return 0;
  const auto properties = read_from(file, read_properties);
  if (!properties) return 0;
  const auto copy = read_from(to_text(*properties), read_properties);
  check(copy.has_value(), "what to_text writes can be read");
  check(copy->entries.size() == properties->entries.size(), "same number of keys");
  for (std::size_t i = 0; i < copy->entries.size(); ++i) {
    check(copy->entries[i].key == properties->entries[i].key, "same keys");
    check(copy->entries[i].value == properties->entries[i].value, "same values");
    check(properties->find(copy->entries[i].key) == &properties->entries[i], "keys are unique");
  }
  return 0;
}
