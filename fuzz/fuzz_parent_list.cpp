// SPDX-License-Identifier: Apache-2.0
#include "io/structured/parent_list.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(file)) return 0;
  const auto tree = read_from(file, read_parent_list);
  if (!tree) return 0;
  check(tree->size() > 0, "a tree that is read has nodes");
  const std::string text = to_text(*tree);
  if (text.starts_with("\xef\xbb\xbf") || text.starts_with("BZh") || text.starts_with("\x1f\x8b") ||
      text.starts_with("\xfd\x37zXZ")) {
    return 0;  // a name that would pass for a byte order mark or for compressed data
  }
  const auto copy = read_from(text, read_parent_list);
  check(copy.has_value(), "what to_text writes can be read");
  check(copy->size() == tree->size(), "same number of nodes");
  for (std::uint32_t node = 0; node < tree->size(); ++node) {
    check(copy->name(node) == tree->name(node), "same names");
    check(copy->parent(node) == tree->parent(node), "same parents");
    check(tree->find(tree->name(node)) == node, "nodes are found by name");
    const std::uint32_t parent = tree->parent(node);
    check(parent == Taxonomy::no_parent || parent < node, "parents come first");
  }
  return 0;
}
