// SPDX-License-Identifier: Apache-2.0
//
// maxmargin convert: another format, or scaled features.
#include <iostream>

#include "commands.hpp"
#include "data_source.hpp"
#include "maxmargin/data/scaling.hpp"
#include "maxmargin/io/input.hpp"
#include "maxmargin/io/model_file.hpp"
#include "maxmargin/io/output.hpp"
#include "maxmargin/io/scaler_file.hpp"
#include "maxmargin/io/write_data.hpp"

namespace maxmargin::tool {

namespace {

Scaler wanted_scaler(const Arguments& arguments, const Dataset& data) {
  if (const std::optional<std::string> path = arguments.text("scaler")) {
    if (arguments.has("scale")) throw UsageError("--scale and --scaler exclude each other");
    Input input = Input::open(*path);
    return load_scaler(read_model(input));
  }
  return fit_scaler(data.examples, parse_scaling(arguments.text_or("scale", "none")));
}

}  // namespace

int run_convert(const Arguments& arguments) {
  const std::string& from = arguments.positionals.at(0);
  const std::string& to = arguments.positionals.at(1);
  if (arguments.has("save-scaler") && !arguments.has("scale")) {
    throw UsageError("--save-scaler needs --scale");
  }
  Dataset data = load_data(from, arguments, Purpose::look).data;
  const Scaler scaler = wanted_scaler(arguments, data);
  data.examples = scaler.apply(std::move(data.examples));

  if (const std::optional<std::string> path = arguments.text("save-scaler")) {
    ModelDocument document("scaler");
    store_scaler(scaler, document);
    OutputFile scaler_file(*path);
    write_model(document, scaler_file);
    scaler_file.commit();
  }
  write_data(data, to, format_to_write(arguments, from, to));
  if (!arguments.is_set("quiet") && to != "-") {
    std::cerr << to << ": " << data.size() << " x " << data.features() << "\n";
  }
  return 0;
}

}  // namespace maxmargin::tool
