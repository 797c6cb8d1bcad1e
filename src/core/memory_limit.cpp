// SPDX-License-Identifier: Apache-2.0
#include "core/memory_limit.hpp"

#include <utility>

#include "core/over_memory_limit.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

/// In MiB from 1 MiB on, in KiB from 1 KiB on, else in bytes; `up` rounds up.
std::string size_text(std::size_t bytes, bool up) {
  const auto in = [&](unsigned shift, const char* unit) {
    const std::size_t rest = bytes & ((std::size_t{1} << shift) - 1);
    return std::to_string((bytes >> shift) + (up && rest != 0 ? 1 : 0)) + unit;
  };
  return bytes >> 20 != 0 ? in(20, " MiB") : bytes >> 10 != 0 ? in(10, " KiB") : in(0, " bytes");
}

}  // namespace

std::string over_limit_text(std::size_t bytes, std::size_t limit) {
  return "needs " + size_text(bytes, true) + ", more than the memory limit of " +
         size_text(limit, false);
}

OverMemoryLimit::OverMemoryLimit(std::size_t bytes,
                                 std::size_t limit,
                                 std::string what,
                                 std::string advice)
    : InvalidArgument(what + " " + over_limit_text(bytes, limit) + ": " + advice),
      bytes_(bytes),
      limit_(limit),
      subject_(std::move(what)),
      advice_(std::move(advice)) {}

OverMemoryLimit OverMemoryLimit::beside(std::size_t taken) const {
  return {checked_add(bytes_, taken), checked_add(limit_, taken), subject_, advice_};
}

void require_within_limit(std::size_t bytes,
                          std::optional<std::size_t> memory_limit,
                          const std::string& what,
                          const std::string& advice) {
  const std::size_t limit = memory_limit.value_or(machine_memory() / 2);
  if (bytes <= limit) return;
  throw OverMemoryLimit(bytes, limit, what, advice);
}

}  // namespace maxmargin
