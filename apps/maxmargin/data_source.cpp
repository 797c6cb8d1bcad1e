// SPDX-License-Identifier: Apache-2.0
#include "data_source.hpp"

#include "maxmargin/io/stream/input.hpp"

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
  if (arguments.has("header")) {
    options.header = arguments.choice_or("header", "", {"yes", "no"}) == "yes";
  }
  options.labels_file = arguments.text("labels");
  options.weight = arguments.text("weight");
  options.groups_file = arguments.text("groups");
  options.unlabeled = arguments.text("unlabeled");
  options.labeled_rows = arguments.text("labeled-rows");
  options.threads = threads_of(arguments);
  if (purpose == Purpose::cluster) options.label_default = CsvLabelDefault::features_if_numeric;
  return options;
}

namespace {

LoadedData loaded_from(DataWithTruth read, const ReadOptions& options) {
  LoadedData loaded{.data = std::move(read.data), .format = read.format};
  if (options.labeled_rows) loaded.all_labels = std::move(read.truth);
  return loaded;
}

}  // namespace

LoadedData load_data(const std::string& where,
                     const Arguments& arguments,
                     Purpose purpose,
                     std::optional<std::size_t> model_features) {
  ReadOptions options = read_options(arguments, purpose);
  options.model_features = model_features;
  return loaded_from(read_data_with_truth(where, options), options);
}

LoadedData load_data(Input& input, const Arguments& arguments, Purpose purpose) {
  const ReadOptions options = read_options(arguments, purpose);
  return loaded_from(read_data_with_truth(input, options), options);
}

ScalingOptions scaling_of(const Arguments& arguments) {
  const std::string text = arguments.text_or("scale", "none");
  try {
    return parse_scaling(text);
  } catch (const InvalidArgument&) {
    throw UsageError("--scale " + text + ": must be none, range, range:LOWER,UPPER or standard");
  }
}

DataFormat format_to_write(const Arguments& arguments, DataFormat found, const std::string& to) {
  if (arguments.has("to")) return format_named(arguments.choice_or("to", "", format_names));
  if (const DataFormat by_name = format_of_name(to); by_name != DataFormat::automatic) {
    return by_name;
  }
  return found == DataFormat::automatic ? DataFormat::csv : found;
}

}  // namespace maxmargin::tool
