// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/progress.hpp"

namespace maxmargin {

class OptionVisitor;

/// The settings of a run, whatever it computes: they travel through all layers as one value, the
/// member `context` of options, which is handed on as a whole. Of them only the seed decides what
/// the answer is (the memory limit may change last digits). A run reads what it needs of it.
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
  /// Shows where the run stands and asks whether it goes on: `yes` without a callback.
  [[nodiscard]] Continue ask(const Progress& progress) const {
    return maxmargin::ask(on_progress, progress);
  }

  /// The same for a part of the run, one thing of it changed.
  [[nodiscard]] Context with_threads(std::optional<std::size_t> count) const;
  [[nodiscard]] Context with_seed(std::uint64_t of_part) const;
  [[nodiscard]] Context with_progress(ProgressCallback callback) const;
  /// For a part that nobody watches: it runs to its end.
  [[nodiscard]] Context quiet() const { return with_progress({}); }
};

}  // namespace maxmargin
