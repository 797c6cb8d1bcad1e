// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "maxmargin/core/context.hpp"

/// How a run that is made of smaller ones lets them ask whether to continue.
namespace maxmargin {

/// The callback for runs side by side: they call it in turn. It owns what that needs, and is empty
/// where `callback` is.
[[nodiscard]] inline ProgressCallback called_in_turn(ProgressCallback callback) {
  if (!callback) return {};
  return [callback = std::move(callback),
          mutex = std::make_shared<std::mutex>()](const Progress& progress) {
    const std::lock_guard lock(*mutex);
    return callback(progress);
  };
}

/// The callback for parts that have no progress of their own to show: it is asked with an empty
/// Progress, whatever a part says.
[[nodiscard]] inline ProgressCallback asked_by_parts(ProgressCallback callback) {
  if (!callback) return {};
  return [callback = std::move(callback)](const Progress& /*of_part*/) { return callback({}); };
}

/// The context for runs side by side.
[[nodiscard]] inline Context shared_by_threads(const Context& context) {
  return context.with_progress(called_in_turn(context.on_progress));
}

}  // namespace maxmargin
