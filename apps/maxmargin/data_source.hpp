// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "arguments.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/read_data.hpp"
#include "maxmargin/io/write_data.hpp"

namespace maxmargin::tool {

/// What the data is read for; it decides which column of a table is the label.
enum class Purpose { look, cluster, predict };

/// Data as the options ask for it.
struct LoadedData {
  Dataset data = {};
  /// With --labeled-rows: the labels as they were, before all but those rows' were hidden.
  std::optional<LabelColumn> all_labels = std::nullopt;
};

/// Reads a file, standard input or a built-in set with the data options of `arguments`.
/// `model_features`: the number of features of the model that the data is for (Purpose::predict).
[[nodiscard]] LoadedData load_data(const std::string& where,
                                   const Arguments& arguments,
                                   Purpose purpose,
                                   std::optional<std::size_t> model_features = std::nullopt);

/// The data options of `arguments`.
[[nodiscard]] ReadOptions read_options(const Arguments& arguments, Purpose purpose);

/// The format to write: --to, else by the extension of `to`, else the format of `from` (CSV for
/// built-in data and standard input).
[[nodiscard]] DataFormat format_to_write(const Arguments& arguments,
                                         const std::string& from,
                                         const std::string& to);

/// The option --threads, if given.
[[nodiscard]] std::optional<std::size_t> threads_of(const Arguments& arguments);

}  // namespace maxmargin::tool
