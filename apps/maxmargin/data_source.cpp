// SPDX-License-Identifier: Apache-2.0
#include "data_source.hpp"

#include "maxmargin/io/input.hpp"

namespace maxmargin::tool {

namespace {

const std::vector<std::string> format_names = {"svmlight", "csv", "tsv", "npy", "idx"};

DataFormat format_named(const std::string& name) {
  if (name == "svmlight") return DataFormat::svmlight;
  if (name == "csv") return DataFormat::csv;
  if (name == "tsv") return DataFormat::tsv;
  if (name == "npy") return DataFormat::npy;
  if (name == "idx") return DataFormat::idx;
  return DataFormat::automatic;
}

}  // namespace

std::optional<std::size_t> threads_of(const Arguments& arguments) {
  return arguments.whole("threads", 1);
}

ReadOptions read_options(const Arguments& arguments, Purpose purpose) {
  ReadOptions options;
  if (arguments.has("format")) {
    options.format = format_named(arguments.choice_or("format", "", format_names));
  }
  options.label = arguments.text("label");
  options.labels_file = arguments.text("labels");
  options.weight = arguments.text("weight");
  options.groups_file = arguments.text("groups");
  options.unlabeled = arguments.text("unlabeled");
  options.labeled_rows = arguments.text("labeled-rows");
  options.threads = threads_of(arguments);
  if (purpose == Purpose::cluster) options.label_default = CsvLabelDefault::features_if_numeric;
  return options;
}

LoadedData load_data(const std::string& where,
                     const Arguments& arguments,
                     Purpose purpose,
                     std::optional<std::size_t> model_features) {
  ReadOptions options = read_options(arguments, purpose);
  options.model_features = model_features;
  DataWithTruth read = read_data_with_truth(where, options);
  LoadedData loaded{.data = std::move(read.data)};
  if (options.labeled_rows) loaded.all_labels = std::move(read.truth);
  return loaded;
}

DataFormat format_to_write(const Arguments& arguments,
                           const std::string& from,
                           const std::string& to) {
  if (arguments.has("to")) return format_named(arguments.choice_or("to", "", format_names));
  if (const DataFormat by_name = format_of_name(to); by_name != DataFormat::automatic) {
    return by_name;
  }
  if (from == "-" || from.starts_with("builtin:")) return DataFormat::csv;
  if (arguments.has("format")) {
    return format_named(arguments.choice_or("format", "", format_names));
  }
  Input input = Input::open(from);
  return detect_format(input);
}

}  // namespace maxmargin::tool
