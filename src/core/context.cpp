// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/context.hpp"

#include <string>
#include <utility>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/threads_option.hpp"

namespace maxmargin {

namespace {

/// A size such as 500M or 4G.
class SizeValue final : public OptionValue {
 public:
  explicit SizeValue(std::optional<std::size_t>& member) : member_(member) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override { return "a size such as 500M or 4G"; }
  [[nodiscard]] bool set(std::string_view text) override {
    const std::optional<std::uint64_t> bytes = parse_byte_size(text);
    if (!bytes || *bytes == 0) return false;
    member_ = static_cast<std::size_t>(*bytes);
    return true;
  }
  [[nodiscard]] bool holds() const override { return !member_ || *member_ > 0; }
  [[nodiscard]] OptionScalar scalar() const override {
    return member_ ? OptionScalar(std::to_string(*member_)) : OptionScalar{};
  }

 private:
  std::optional<std::size_t>& member_;
};

}  // namespace

void describe_threads(OptionVisitor& visit, std::optional<std::size_t>& threads) {
  visit.whole(
      {.name = "threads", .help = "threads to use, with the same answer", .fallback = "all cores"},
      threads,
      {.least = 1});
}

void describe_memory_limit(OptionVisitor& visit, std::optional<std::size_t>& memory_limit) {
  SizeValue size(memory_limit);
  visit.option({.name = "memory-limit",
                .help = "memory of the process, like 4G",
                .value = "SIZE",
                .fallback = "half of the machine's"},
               size);
}

void Context::describe(OptionVisitor& visit) {
  describe_threads(visit, threads);
  visit.whole({.name = "seed", .help = "seed of every random choice"}, seed);
  describe_memory_limit(visit, memory_limit);
}

std::size_t Context::memory_bytes() const {
  return memory_limit ? *memory_limit : machine_memory() / 2;
}

Context Context::with_threads(std::optional<std::size_t> count) const {
  Context part = *this;
  part.threads = count;
  return part;
}

Context Context::with_seed(std::uint64_t of_part) const {
  Context part = *this;
  part.seed = of_part;
  return part;
}

Context Context::with_progress(ProgressCallback callback) const {
  return {.threads = threads,
          .seed = seed,
          .memory_limit = memory_limit,
          .on_progress = std::move(callback)};
}

}  // namespace maxmargin
