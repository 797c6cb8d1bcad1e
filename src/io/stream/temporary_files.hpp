// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

namespace maxmargin::detail {

/// Notes the name of a temporary file while this object lives, so that remove_temporary_files
/// (io/stream/output.hpp) finds it. Does nothing when the table of names is full or the name is too
/// long.
class NotedTemporary {
 public:
  explicit NotedTemporary(const char* path) noexcept;
  NotedTemporary(const NotedTemporary&) = delete;
  NotedTemporary& operator=(const NotedTemporary&) = delete;
  ~NotedTemporary();

 private:
  std::optional<std::size_t> slot_;
};

}  // namespace maxmargin::detail
