// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "maxmargin/io/stream/input.hpp"

namespace maxmargin {

/// All bytes of an input as one block: the mapped file itself where there is one, else a copy.
/// Valid while this object and the input live.
class WholeInput {
 public:
  explicit WholeInput(Input& input) {
    if (const auto mapped = input.mapped()) {
      bytes_ = *mapped;
    } else {
      copy_ = input.read_all();
      bytes_ = copy_;
    }
  }
  WholeInput(const WholeInput&) = delete;
  WholeInput& operator=(const WholeInput&) = delete;

  [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }

 private:
  std::string copy_;
  std::string_view bytes_;
};

}  // namespace maxmargin
