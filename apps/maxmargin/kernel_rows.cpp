// SPDX-License-Identifier: Apache-2.0
#include "kernel_rows.hpp"

#include <algorithm>

#include "arguments.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/table/builtin.hpp"

namespace maxmargin::tool {

KernelRowsRead read_kernel_rows(const std::string& where, ReadOptions options, bool only_kernel) {
  if (is_builtin(where)) throw UsageError("--kernel precomputed: " + where + " holds no kernel");
  Input input = Input::open(where);
  const DataFormat format = options.format == DataFormat::automatic && input.peek(1).size() == 1
                                ? detect_format(input)
                                : options.format;
  options.precomputed = format == DataFormat::svmlight;
  const bool is_table = format == DataFormat::csv || format == DataFormat::tsv;
  if (only_kernel && is_table && !options.label) options.label = "none";
  DataWithTruth found = read_data_with_truth(input, options);
  KernelRowsRead read{.data = std::move(found.data), .format = found.format};
  if (options.labeled_rows) read.all_labels = std::move(found.truth);
  if (!options.precomputed) {
    read.values = read.data.examples.to_dense();
    return read;
  }
  // Column 0 holds the serial numbers, column j the kernel with training example j.
  const DenseMatrix all = read.data.examples.to_dense();
  read.values = DenseMatrix(all.rows(), all.cols() - 1);
  for (std::size_t i = 0; i < all.rows(); ++i) {
    read.serials.push_back(static_cast<std::size_t>(all(i, 0)));
    std::ranges::copy(all.row(i).subspan(1), read.values.row(i).begin());
  }
  return read;
}

void widen_kernel_rows(KernelRowsRead& read, std::size_t columns) {
  if (read.serials.empty() || read.values.cols() >= columns) return;
  DenseMatrix whole(read.values.rows(), columns);
  for (std::size_t i = 0; i < whole.rows(); ++i) {
    std::ranges::copy(read.values.row(i), whole.row(i).begin());
  }
  read.values = std::move(whole);
}

}  // namespace maxmargin::tool
