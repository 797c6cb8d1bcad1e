// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "arguments.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/scaling.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/table/read_data.hpp"
#include "maxmargin/io/table/write_data.hpp"

namespace maxmargin::tool {

/// What the data is read for; it decides which column of a table is the label.
enum class Purpose { look, cluster };

/// Data as the options ask for it.
struct LoadedData {
  Dataset data = {};
  /// With --labeled-rows: the labels as they were, before all but those rows' were hidden.
  std::optional<LabelColumn> all_labels = std::nullopt;
  /// The format it was found in; automatic for built-in data.
  DataFormat format = DataFormat::automatic;
};

/// Reads a file, standard input or a built-in set with the data options of `arguments`.
/// `model_features`: the number of features of the model that the data is for, if any.
[[nodiscard]] LoadedData load_data(const std::string& where,
                                   const Arguments& arguments,
                                   Purpose purpose,
                                   std::optional<std::size_t> model_features = std::nullopt);
/// The same from a file that is open already.
[[nodiscard]] LoadedData load_data(Input& input, const Arguments& arguments, Purpose purpose);

/// The data options of `arguments`.
[[nodiscard]] ReadOptions read_options(const Arguments& arguments, Purpose purpose);

/// The format to write: --to, else by the extension of `to`, else the one the data was found in
/// (CSV for built-in data).
[[nodiscard]] DataFormat format_to_write(const Arguments& arguments,
                                         DataFormat found,
                                         const std::string& to);

/// The scaling that --scale asks for.
[[nodiscard]] ScalingOptions scaling_of(const Arguments& arguments);

/// The option --threads, if given.
[[nodiscard]] std::optional<std::size_t> threads_of(const Arguments& arguments);

}  // namespace maxmargin::tool
