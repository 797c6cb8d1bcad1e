// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "core/stoppable.hpp"
#include "maxmargin/core/context.hpp"

/// How the recomputation of a certificate asks whether it goes on. Half of one proves nothing, so
/// it ends with Stopped, which the verification of the learner turns into "nothing was verified".
namespace maxmargin {

/// The phase that all of them show.
inline constexpr std::string_view verify_phase = "verify";

/// Throws Stopped when the run is told to stop.
inline void ask_in_verify(const Context& context) {
  const Continue answer = context.ask({.phase = verify_phase});
  if (answer != Continue::yes) throw Stopped(answer);
}

/// Chunks of the rows side by side, asked before each; a row costs as much as all rows together do
/// in a simple loop. Throws Stopped.
inline void verify_chunks(const Context& context, std::size_t n, const ChunkBody& body) {
  constexpr std::size_t rows_at_a_time = 16;
  SharedProgress progress(context.on_progress);
  parallel_chunks(thread_count(context.threads),
                  n,
                  rows_at_a_time,
                  [&](std::size_t chunk, std::size_t begin, std::size_t end) {
                    if (progress({.phase = verify_phase}) == Continue::yes) body(chunk, begin, end);
                  });
  if (progress.answer() != Continue::yes) throw Stopped(progress.answer());
}

/// The context for a part of a recomputation that other code does: what it asks is of the phase.
[[nodiscard]] inline Context in_verify(const Context& context) {
  return context.with_progress([callback = context.on_progress](Progress progress) {
    progress.phase = verify_phase;
    return maxmargin::ask(callback, progress);
  });
}

/// Of one loop: asks at its first step, and then once in so many operations.
class VerifyWatch {
 public:
  explicit VerifyWatch(const Context& context) : context_(context) { ask_in_verify(context); }
  /// Before a step that takes so many operations. Throws Stopped.
  void spend(std::size_t operations) {
    spent_ += operations;
    if (spent_ < operations_between) return;
    spent_ = 0;
    ask_in_verify(context_);
  }

 private:
  static constexpr std::size_t operations_between = 1'000'000;
  const Context& context_;
  std::size_t spent_ = 0;
};

}  // namespace maxmargin
