// SPDX-License-Identifier: Apache-2.0
//
// maxmargin convert: another format, or scaled features.
#include <iostream>

#include "commands.hpp"
#include "data_source.hpp"
#include "maxmargin/data/scaling.hpp"
#include "maxmargin/io/input.hpp"
#include "maxmargin/io/model_file.hpp"
#include "maxmargin/io/scaler_file.hpp"
#include "maxmargin/io/write_data.hpp"
#include "outputs.hpp"

namespace maxmargin::tool {

namespace {

Scaler wanted_scaler(const Arguments& arguments, const Dataset& data) {
  if (const std::optional<std::string> path = arguments.text("scaler")) {
    if (arguments.has("scale")) throw UsageError("--scale and --scaler exclude each other");
    Input input = Input::open(*path);
    Scaler scaler = load_scaler(read_model(input));
    if (scaler.options.kind == ScalingKind::none) throw FileError(*path, "holds no scaler");
    return scaler;
  }
  return fit_scaler(data.examples, scaling_of(arguments));
}

}  // namespace

int run_convert(const Arguments& arguments) {
  const std::string& from = arguments.positionals.at(0);
  const std::string& to = arguments.positionals.at(1);
  const std::optional<std::string> scaler_path = arguments.text("save-scaler");
  if (scaler_path && !arguments.has("scale")) throw UsageError("--save-scaler needs --scale");
  LoadedData loaded = load_data(from, arguments, Purpose::look);
  Dataset& data = loaded.data;
  const Scaler scaler = wanted_scaler(arguments, data);
  if (data.examples.is_dense() && scaler.options.kind != ScalingKind::none &&
      scaler.features() != data.features()) {
    throw FileError(from,
                    "has " + std::to_string(data.features()) + " features, the scaler " +
                        std::to_string(scaler.features()));
  }
  data.examples = scaler.apply(std::move(data.examples));

  Outputs outputs;
  outputs.open("output", to);
  if (scaler_path) {
    outputs.open("save-scaler", *scaler_path);
    ModelDocument document("scaler");
    store_scaler(scaler, document);
    write_model(document, *outputs.file("save-scaler"));
  }
  write_data(data, *outputs.file("output"), format_to_write(arguments, loaded.format, to));
  outputs.commit();
  if (!arguments.has("quiet") && to != "-") {
    std::cerr << to << ": " << data.size() << " x " << data.features() << "\n";
  }
  return 0;
}

}  // namespace maxmargin::tool
