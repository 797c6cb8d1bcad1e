// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "maxmargin/data/examples.hpp"

namespace maxmargin {

/// Calls change(value) for every stored value, to write to it.
template <class Change>
void change_values(Examples& examples, const Change& change) {
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    for (double& value : examples.writable_values(i)) change(value);
  }
}

}  // namespace maxmargin
