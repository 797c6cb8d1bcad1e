// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/table/read_data.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Files with rows of a precomputed kernel, as all commands read them.
namespace maxmargin::tool {

/// Rows of kernel values, and the serial number of each row where the file gives one.
struct KernelRowsRead {
  Dataset data = {};
  DataFormat format = DataFormat::automatic;
  DenseMatrix values = {};
  std::vector<std::size_t> serials = {};
  std::optional<LabelColumn> all_labels = std::nullopt;
};

/// With `only_kernel` all columns of a table are kernel values unless --label says otherwise.
[[nodiscard]] KernelRowsRead read_kernel_rows(const std::string& where,
                                              ReadOptions options,
                                              bool only_kernel);

/// Svmlight leaves zeros out, so that the last columns may be missing: they are added.
void widen_kernel_rows(KernelRowsRead& read, std::size_t columns);

}  // namespace maxmargin::tool
