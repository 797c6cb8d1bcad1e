// SPDX-License-Identifier: Apache-2.0
#include "learner/source/table_source.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "learner/data_checks.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/kernel/kernel.hpp"

namespace maxmargin::learning {

namespace {

/// Rows of kernel values, and the serial number of each row where the file gives one.
struct KernelRows {
  TableData table = {};
  DenseMatrix values = {};
  std::vector<std::size_t> serials = {};
};

/// With `only_kernel` all columns of a table are kernel values unless a label column is named.
KernelRows read_kernel_rows(const std::string& where, ReadOptions options, bool only_kernel) {
  if (is_builtin(where)) {
    throw InvalidArgument("--kernel precomputed: " + where + " holds no kernel");
  }
  Input input = Input::open(where);
  const DataFormat format = options.format == DataFormat::automatic && input.peek(1).size() == 1
                                ? detect_format(input)
                                : options.format;
  options.precomputed = format == DataFormat::svmlight;
  const bool is_table = format == DataFormat::csv || format == DataFormat::tsv;
  if (only_kernel && is_table && !options.label) options.label = "none";
  DataWithTruth found = read_data_with_truth(input, options);
  KernelRows read{.table = {.data = std::move(found.data), .format = found.format}};
  if (options.labeled_rows) read.table.all_labels = std::move(found.truth);
  const Examples& examples = read.table.data.examples;
  if (!options.precomputed) {
    read.values = examples.to_dense();
    return read;
  }
  // Column 0 holds the serial numbers, column j the kernel with training example j.
  const DenseMatrix all = examples.to_dense();
  read.values = DenseMatrix(all.rows(), all.cols() - 1);
  for (std::size_t i = 0; i < all.rows(); ++i) {
    read.serials.push_back(static_cast<std::size_t>(all(i, 0)));
    std::ranges::copy(all.row(i).subspan(1), read.values.row(i).begin());
  }
  return read;
}

/// Svmlight leaves zeros out, so that the last columns may be missing: they are added.
void widen(KernelRows& read, std::size_t columns) {
  if (read.serials.empty() || read.values.cols() >= columns) return;
  DenseMatrix whole(read.values.rows(), columns);
  for (std::size_t i = 0; i < whole.rows(); ++i) {
    std::ranges::copy(read.values.row(i), whole.row(i).begin());
  }
  read.values = std::move(whole);
}

std::string shape(const DenseMatrix& matrix) {
  return std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols());
}

/// Row numbers from 0 in place of the serials, which must be 1 to n in some order; the kernel's
/// rows are put in the order of their numbers.
Examples number_rows(KernelRows& read) {
  const std::size_t n = read.serials.size();
  DenseMatrix numbers(n, 1);
  DenseMatrix ordered(n, n);
  std::vector<char> seen(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t serial = read.serials[i];
    if (serial < 1 || serial > n || seen[serial - 1] != 0) {
      throw FileError(read.table.data.source,
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

void check_symmetry(const std::string& where, const DenseMatrix& kernel) {
  const std::string problem = asymmetry_of(kernel);
  if (!problem.empty()) throw FileError(where, problem);
}

/// The rows as numbers of a kernel matrix.
TableData numbered(KernelRows read, Examples numbers) {
  TableData table = std::move(read.table);
  table.data.examples = std::move(numbers);
  table.data.feature_names.clear();
  table.kernel_matrix = std::make_shared<const DenseMatrix>(std::move(read.values));
  return table;
}

}  // namespace

ReadOptions table_options(const OptionTexts& source, const Context& context) {
  ReadOptions options;
  set_options(options, source, "a table");
  options.context = context;
  return options;
}

namespace {

TableData table_of(DataWithTruth read, const ReadOptions& options) {
  TableData table{.data = std::move(read.data), .format = read.format};
  if (options.labeled_rows) table.all_labels = std::move(read.truth);
  return table;
}

}  // namespace

TableData read_rows(const std::string& where, const ReadOptions& options) {
  return table_of(read_data_with_truth(where, options), options);
}

TableData read_rows(Input& input, const ReadOptions& options) {
  return table_of(read_data_with_truth(input, options), options);
}

TableData read_training_kernel(const std::string& where, const ReadOptions& options) {
  KernelRows read = read_kernel_rows(where, options, false);
  const std::size_t n = read.values.rows();
  if (read.values.cols() != n) {
    throw FileError(where, "is " + shape(read.values) + ": a kernel to train on must be square");
  }
  Examples numbers = read.serials.empty() ? index_examples(n) : number_rows(read);
  check_symmetry(where, read.values);
  return numbered(std::move(read), std::move(numbers));
}

TableData read_new_kernel(const std::string& where,
                          ReadOptions options,
                          std::optional<std::size_t> trained_on) {
  options.model_features = trained_on;
  KernelRows read = read_kernel_rows(where, std::move(options), !trained_on);
  if (trained_on) widen(read, *trained_on);
  if (trained_on && read.values.cols() != *trained_on) {
    throw FileError(where,
                    "has " + std::to_string(read.values.cols()) +
                        " columns of kernel values, the training had " +
                        std::to_string(*trained_on) + " rows");
  }
  const std::size_t rows = read.values.rows();
  return numbered(std::move(read), index_examples(rows));
}

TableData read_kernel_points(const std::string& where,
                             ReadOptions options,
                             std::optional<std::size_t> features) {
  options.model_features = features;
  KernelRows read = read_kernel_rows(where, std::move(options), false);
  // A clustering numbers its points as the file does, and so do the columns of new rows: LIBSVM's
  // serials must say the same.
  for (std::size_t i = 0; !features && i < read.serials.size(); ++i) {
    if (read.serials[i] == i + 1) continue;
    throw FileError(where,
                    "the serial number " + std::to_string(read.serials[i]) + " of row " +
                        std::to_string(i + 1) + ": must be the row's, 1 to " +
                        std::to_string(read.serials.size()) + " in order");
  }
  widen(read, features.value_or(read.values.rows()));
  TableData table = std::move(read.table);
  table.data.examples = std::move(read.values);
  return table;
}

}  // namespace maxmargin::learning
