// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/io/table/read_data.hpp"

namespace maxmargin {

/// The format that the ending of a file name stands for, after .gz, .bz2 or .xz is taken off:
/// .csv, .tsv or .tab, .npy, .idx or -ubyte, and svmlight for .svm, .svmlight, .libsvm. Any other
/// name gives `automatic`.
[[nodiscard]] MAXMARGIN_EXPORT DataFormat format_of_name(std::string_view path) noexcept;

/// Writes a data set to `path`, whole or not at all ("-" is standard output). `automatic` means by
/// the name, and svmlight when the name says nothing. NPY and IDX hold the features alone, as a
/// matrix: images that were read from IDX are written as rows of pixels. Throws InvalidArgument for
/// data that the format cannot hold, and FileError.
MAXMARGIN_EXPORT void write_data(const Dataset& data,
                                 const std::string& path,
                                 DataFormat format = DataFormat::automatic);
/// The same to a file that is open; the caller commits it. `automatic` means svmlight.
MAXMARGIN_EXPORT void write_data(const Dataset& data, OutputFile& file, DataFormat format);

}  // namespace maxmargin
