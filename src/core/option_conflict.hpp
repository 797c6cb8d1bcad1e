// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/core/error.hpp"

namespace maxmargin {

/// What OptionValue::set throws for a value that keeps its own rule, but that other options have no
/// use for: a gamma beside a kernel without one. Any other InvalidArgument of a setter says that
/// the value itself is illegal.
class OptionConflict final : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

}  // namespace maxmargin
