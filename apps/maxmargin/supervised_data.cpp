// SPDX-License-Identifier: Apache-2.0
#include "supervised_data.hpp"

#include <algorithm>
#include <cmath>

#include "data_source.hpp"
#include "kernel_rows.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/table/read_data.hpp"
#include "maxmargin/kernel/kernel.hpp"

namespace maxmargin::tool {

namespace {

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

namespace {

/// Kernel trainings read one triangle alone, so that a difference would go unnoticed.
void check_symmetry(const std::string& where, const DenseMatrix& kernel) {
  double largest = 0;
  for (const double value : kernel.values()) largest = std::max(largest, std::abs(value));
  constexpr double rounding = 1e-6;  // as gram() allows
  for (std::size_t i = 0; i < kernel.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(kernel(i, j) - kernel(j, i)) <= rounding * largest) continue;
      throw FileError(where,
                      "is not symmetric: example " + std::to_string(i + 1) + " with example " +
                          std::to_string(j + 1) + " is " + format_number(kernel(i, j)) +
                          ", the other way round " + format_number(kernel(j, i)));
    }
  }
}

}  // namespace

SupervisedData load_training_data(const std::string& where, const Arguments& arguments) {
  if (arguments.text("kernel") != "precomputed") {
    LoadedData loaded = load_data(where, arguments, Purpose::look);
    return {.data = std::move(loaded.data), .all_labels = std::move(loaded.all_labels)};
  }
  if (arguments.text_or("scale", "none") != "none") {
    throw UsageError("--scale: a precomputed kernel has no features to scale");
  }
  KernelRowsRead read = read_kernel_rows(where, read_options(arguments, Purpose::look), false);
  const std::size_t n = read.values.rows();
  if (read.values.cols() != n) {
    throw FileError(where, "is " + shape(read.values) + ": a kernel to train on must be square");
  }
  SupervisedData loaded{.data = std::move(read.data), .all_labels = std::move(read.all_labels)};
  loaded.data.examples = read.serials.empty() ? index_examples(n) : number_rows(read);
  check_symmetry(where, read.values);
  loaded.data.feature_names.clear();
  loaded.kernel_matrix = std::make_shared<const DenseMatrix>(std::move(read.values));
  return loaded;
}

SupervisedData load_new_data(const std::string& where,
                             const Arguments& arguments,
                             std::size_t features,
                             bool precomputed,
                             std::optional<std::size_t> trained_on) {
  if (!precomputed) return {.data = load_data(where, arguments, Purpose::look, features).data};
  ReadOptions options = read_options(arguments, Purpose::look);
  options.model_features = trained_on;
  KernelRowsRead read = read_kernel_rows(where, std::move(options), !trained_on);
  if (trained_on) widen_kernel_rows(read, *trained_on);
  if (trained_on && read.values.cols() != *trained_on) {
    throw FileError(where,
                    "has " + std::to_string(read.values.cols()) +
                        " columns of kernel values, the training had " +
                        std::to_string(*trained_on) + " rows");
  }
  SupervisedData loaded{.data = std::move(read.data)};
  loaded.data.examples = index_examples(read.values.rows());
  loaded.data.feature_names.clear();
  loaded.kernel_matrix = std::make_shared<const DenseMatrix>(std::move(read.values));
  return loaded;
}

}  // namespace maxmargin::tool
