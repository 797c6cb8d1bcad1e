// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "maxmargin/io/sdpa/sdpa.hpp"
#include "round_trip.hpp"

namespace maxmargin {
namespace {

bool same_entries(std::span<const SdpEntry> a, std::span<const SdpEntry> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.block == y.block && x.row == y.row && x.column == y.column && x.value == y.value;
  });
}

}  // namespace
}  // namespace maxmargin

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace maxmargin;
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  if (!plain_bytes(file)) return 0;
  const auto problem = read_from(file, read_sdpa);
  if (!problem) return 0;
  const std::string written =
      written_by([&](OutputFile& output) { write_sdpa(*problem, output, "a\nb"); });
  const auto copy = read_from(written, read_sdpa);
  check(copy.has_value(), "what write_sdpa writes can be read");
  check(std::ranges::equal(copy->blocks(),
                           problem->blocks(),
                           [](const SdpBlock& a, const SdpBlock& b) {
                             return a.cone == b.cone && a.size == b.size;
                           }),
        "same blocks");
  check(std::ranges::equal(copy->rhs(), problem->rhs()), "same right-hand sides");
  check(same_entries(copy->cost(), problem->cost()), "same cost");
  for (std::size_t i = 0; i < problem->constraints(); ++i) {
    check(same_entries(copy->constraint(i), problem->constraint(i)), "same constraints");
  }
  // The same bytes as a solution of a small program: read, written and read again.
  if (problem->order() > 64) return 0;
  const auto read = [&](Input& input) { return read_sdpa_solution(*problem, input); };
  const auto solution = read_from(file, read);
  if (!solution) return 0;
  const std::string text = sdpa_solution_text(*problem, solution->x, solution->y, solution->z);
  const auto again = read_from(text, read);
  check(again.has_value(), "what sdpa_solution_text says can be read");
  check(std::ranges::equal(again->y, solution->y), "same multipliers");
  for (std::size_t k = 0; k < problem->blocks().size(); ++k) {
    check(std::ranges::equal(again->x[k].values(), solution->x[k].values()), "same X");
    check(std::ranges::equal(again->z[k].values(), solution->z[k].values()), "same Z");
  }
  return 0;
}
