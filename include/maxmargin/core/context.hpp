// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/progress.hpp"

namespace maxmargin {

/// What a run has around it, whatever it computes: it travels through all layers as one value. None
/// of it but the seed decides what the answer is (the memory limit may decide how it is computed).
struct MAXMARGIN_EXPORT Context {
  /// Unset: all cores. The answer does not depend on it.
  std::optional<std::size_t> threads = std::nullopt;
  /// Of every random choice.
  std::uint64_t seed = 0;
  /// Bytes for memory beside the data; unset: half of the machine's.
  std::optional<std::size_t> memory_limit = std::nullopt;
  /// Told where the run stands between its steps; its answer may stop it.
  ProgressCallback on_progress = {};

  void describe(OptionVisitor& visit);
  /// The memory limit in bytes, whether given or not.
  [[nodiscard]] std::size_t memory_bytes() const;
};

}  // namespace maxmargin
