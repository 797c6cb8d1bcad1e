// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/table/write_data.hpp"

#include "io/stream/compression.hpp"
#include "io/table/idx.hpp"
#include "io/table/svmlight.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/io/table/csv.hpp"
#include "maxmargin/io/table/npy.hpp"

namespace maxmargin {

namespace {

/// Formats of features alone do not lose anything without a word.
void require_features_alone(const Dataset& data, const char* format) {
  require(
      !data.has_labels() && data.label_sets.empty() && data.weights.empty() && data.groups.empty(),
      std::string(format) +
          " holds features alone, not labels, weights or groups; read the data without them"
          " (a table with the label column none) and keep the labels in a file of their own, or"
          " write CSV or svmlight");
}

void write_features(const Dataset& data, DataFormat format, OutputFile& file) {
  DenseMatrix dense = data.examples.to_dense();
  if (format == DataFormat::npy) {
    write_npy(dense.view(), file);
  } else {
    write_idx({.shape = {dense.rows(), dense.cols()}, .values = std::move(dense)}, file);
  }
}

}  // namespace

DataFormat format_of_name(std::string_view path) noexcept {
  const std::string_view name = without_compression_suffix(path);
  const auto ends = [name](auto... endings) { return (name.ends_with(endings) || ...); };
  if (ends(".csv")) return DataFormat::csv;
  if (ends(".tsv", ".tab")) return DataFormat::tsv;
  if (ends(".npy")) return DataFormat::npy;
  if (ends(".idx", "-ubyte")) return DataFormat::idx;
  if (ends(".svm", ".svmlight", ".libsvm")) return DataFormat::svmlight;
  return DataFormat::automatic;
}

void write_data(const Dataset& data, const std::string& path, DataFormat format) {
  if (format == DataFormat::automatic) format = format_of_name(path);
  OutputFile file(path);
  write_data(data, file, format);
  file.commit();
}

void write_data(const Dataset& data, OutputFile& file, DataFormat format) {
  require(!data.holds_strings, data.source + " holds strings, no features to write");
  if (format == DataFormat::npy) require_features_alone(data, "NPY");
  if (format == DataFormat::idx) require_features_alone(data, "IDX");
  switch (format) {
    case DataFormat::automatic:
    case DataFormat::svmlight:
      write_svmlight(data, file);
      break;
    case DataFormat::csv:
      write_csv(data, file, ',');
      break;
    case DataFormat::tsv:
      write_csv(data, file, '\t');
      break;
    case DataFormat::npy:
    case DataFormat::idx:
      write_features(data, format, file);
      break;
    case DataFormat::fasta:
      throw InvalidArgument("FASTA holds strings; write svmlight, CSV, TSV, NPY or IDX");
  }
}

}  // namespace maxmargin
