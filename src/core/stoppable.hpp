// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <string_view>

#include "core/parallel.hpp"
#include "maxmargin/core/progress.hpp"

/// Preparations that have nothing to show until they are complete: distances, similarities.
namespace maxmargin {

/// Thrown when the callback says stop in the midst of such a preparation, to the function that has
/// an answer without it. Never leaves the library.
class Stopped : public std::exception {
 public:
  explicit Stopped(Continue answer) : answer_(answer) {}
  [[nodiscard]] Continue answer() const noexcept { return answer_; }
  [[nodiscard]] const char* what() const noexcept override { return "stopped"; }

 private:
  Continue answer_;
};

/// Matrices of so few rows are finished in any case: they take less time than anybody notices, and
/// an answer that rests on them is better than one without.
inline constexpr std::size_t rows_finished_anyway = 2048;

/// As parallel_chunks, but asks before every chunk unless there are few rows. Throws Stopped.
inline void stoppable_chunks(std::size_t threads,
                             std::size_t n,
                             std::size_t chunk,
                             SharedProgress& progress,
                             std::string_view phase,
                             const ChunkBody& body) {
  if (n <= rows_finished_anyway) {
    parallel_chunks(threads, n, chunk, body);
    return;
  }
  parallel_chunks(threads, n, chunk, [&](std::size_t c, std::size_t begin, std::size_t end) {
    if (progress({.phase = phase}) == Continue::yes) body(c, begin, end);
  });
  if (progress.answer() != Continue::yes) throw Stopped(progress.answer());
}

}  // namespace maxmargin
