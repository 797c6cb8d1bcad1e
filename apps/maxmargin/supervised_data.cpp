// SPDX-License-Identifier: Apache-2.0
#include "supervised_data.hpp"

#include <algorithm>

#include "data_source.hpp"
#include "maxmargin/io/builtin.hpp"
#include "maxmargin/io/input.hpp"
#include "maxmargin/io/read_data.hpp"
#include "maxmargin/kernel/kernel.hpp"

namespace maxmargin::tool {

namespace {

/// Rows of kernel values, and the serial number of each row where the file gives one.
struct KernelRowsRead {
  Dataset data = {};
  DenseMatrix values = {};
  std::vector<std::size_t> serials = {};
};

KernelRowsRead read_kernel_rows(const std::string& where, const Arguments& arguments) {
  if (is_builtin(where)) throw UsageError("--kernel precomputed: " + where + " holds no kernel");
  ReadOptions options = read_options(arguments, Purpose::look);
  Input input = Input::open(where);
  const DataFormat format = options.format == DataFormat::automatic && input.peek(1).size() == 1
                                ? detect_format(input)
                                : options.format;
  options.precomputed = format == DataFormat::svmlight;
  KernelRowsRead read{.data = read_data(input, options)};
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

std::string shape(const DenseMatrix& matrix) {
  return std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols());
}

/// Row numbers from 0 in place of the serials, which must be 1 to n in some order; the kernel's
/// rows are put in the order of their numbers.
Examples number_rows(KernelRowsRead& read) {
  const std::size_t n = read.serials.size();
  DenseMatrix numbers(n, 1);
  DenseMatrix ordered(n, n);
  std::vector<char> seen(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t serial = read.serials[i];
    if (serial < 1 || serial > n || seen[serial - 1] != 0) {
      throw FileError(read.data.source,
                      "the serial number " + std::to_string(serial) + " of row " +
                          std::to_string(i + 1) + ": must be 1 to " + std::to_string(n) +
                          ", each once");
    }
    seen[serial - 1] = 1;
    numbers(i, 0) = static_cast<double>(serial - 1);
    std::ranges::copy(read.values.row(i), ordered.row(serial - 1).begin());
  }
  read.values = std::move(ordered);
  return numbers;
}

}  // namespace

SupervisedData load_training_data(const std::string& where, const Arguments& arguments) {
  if (arguments.text("kernel") != "precomputed") {
    return {.data = load_data(where, arguments, Purpose::look).data};
  }
  if (arguments.text_or("scale", "none") != "none") {
    throw UsageError("--scale: a precomputed kernel has no features to scale");
  }
  KernelRowsRead read = read_kernel_rows(where, arguments);
  const std::size_t n = read.values.rows();
  if (read.values.cols() != n) {
    throw FileError(where, "is " + shape(read.values) + ": a kernel to train on must be square");
  }
  SupervisedData loaded{.data = std::move(read.data)};
  loaded.data.examples = read.serials.empty() ? index_examples(n) : number_rows(read);
  loaded.data.feature_names.clear();
  loaded.kernel_matrix = std::make_shared<const DenseMatrix>(std::move(read.values));
  return loaded;
}

SupervisedData load_new_data(const std::string& where,
                             const Arguments& arguments,
                             std::size_t features,
                             bool precomputed) {
  if (!precomputed) return {.data = load_data(where, arguments, Purpose::look, features).data};
  KernelRowsRead read = read_kernel_rows(where, arguments);
  SupervisedData loaded{.data = std::move(read.data)};
  loaded.data.examples = index_examples(read.values.rows());
  loaded.data.feature_names.clear();
  loaded.kernel_matrix = std::make_shared<const DenseMatrix>(std::move(read.values));
  return loaded;
}

}  // namespace maxmargin::tool
