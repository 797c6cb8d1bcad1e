// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "maxmargin/core/error.hpp"

namespace maxmargin {

/// What require_within_limit throws: its parts, for callers that know of more memory that is taken.
class OverMemoryLimit : public InvalidArgument {
 public:
  OverMemoryLimit(std::size_t bytes, std::size_t limit, std::string what, std::string advice);
  /// The same with `taken` bytes more, of what is needed and of the limit.
  [[nodiscard]] OverMemoryLimit beside(std::size_t taken) const;

 private:
  std::size_t bytes_;
  std::size_t limit_;
  std::string subject_;
  std::string advice_;
};

}  // namespace maxmargin
