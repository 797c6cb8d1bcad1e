// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "io/table/binary_elements.hpp"

namespace maxmargin::detail {

/// What the dictionary at the front of an NPY file says.
struct NpyHeader {
  ElementType type = {};
  bool fortran_order = false;
  std::vector<std::size_t> shape = {};  ///< one or two dimensions
};

/// Reads the dictionary, a Python literal: exactly the keys descr, fortran_order and shape, in any
/// order. Throws ParseError, with the column within the header, when it is anything else, and for
/// element types and numbers of dimensions that a data matrix cannot have.
[[nodiscard]] NpyHeader parse_npy_header(const std::string& file, std::string_view text);

}  // namespace maxmargin::detail
