// SPDX-License-Identifier: Apache-2.0
//
// maxmargin convert: another format of data or of a model, scaled features, principal components.
#include <iostream>

#include "commands.hpp"
#include "data_source.hpp"
#include "machine.hpp"
#include "machine_document.hpp"
#include "maxmargin/data/scaling.hpp"
#include "maxmargin/io/foreign/model.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/io/model/scaler_file.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/io/table/write_data.hpp"
#include "outputs.hpp"
#include "projection.hpp"

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

/// The format of a model to write: --to, else ours for OUT.mm, else the one that suits the machine.
std::string model_format_to_write(const Arguments& arguments,
                                  const Machine& machine,
                                  const std::string& to) {
  if (arguments.has("to")) {
    return arguments.choice_or("to", "", {"maxmargin", "libsvm", "liblinear"});
  }
  if (to.ends_with(".mm")) return "maxmargin";
  return kernel_of(machine) != nullptr ? "libsvm" : "liblinear";
}

/// A supervised model from one program's file to another's.
int convert_model(Input& input, const Arguments& arguments) {
  for (const std::string_view option : {"scale", "scaler", "save-scaler", "project"}) {
    if (arguments.has(option)) throw UsageError("--" + std::string(option) + " is for data");
  }
  const std::string& from = arguments.positionals.at(0);
  const std::string& to = arguments.positionals.at(1);
  LoadedMachine loaded = [&] {
    if (looks_like_foreign_model(input)) return foreign_machine_of(input);
    const ModelDocument document = read_model(input);
    if (!holds_machine(document)) {
      throw ModelFormatError(
          from, {.line = 1}, "this is a model of " + document.learner() + ", only ours to read");
    }
    return machine_of(document);
  }();
  if (auto* classifier = std::get_if<Classifier>(&loaded.machine); loaded.calibration) {
    if (classifier != nullptr) classifier->calibration = std::move(loaded.calibration);
  }
  const std::string format = model_format_to_write(arguments, loaded.machine, to);
  OutputFile file(to);
  const ForeignModel foreign{.learner = loaded.learner, .machine = loaded.machine};
  if (format == "libsvm") {
    write_libsvm_model(foreign, file);
  } else if (format == "liblinear") {
    write_liblinear_model(foreign, file);
  } else {
    write_model(loaded.document ? *loaded.document
                                : document_of(loaded.learner, loaded.task, loaded.machine),
                file);
  }
  file.commit();
  return 0;
}

}  // namespace

int run_convert(const Arguments& arguments) {
  const std::string& from = arguments.positionals.at(0);
  const std::string& to = arguments.positionals.at(1);
  std::optional<Input> input;
  if (!is_builtin(from)) {
    input = Input::open(from);  // once: a pipe can be read only once
    if (looks_like_model(*input) || looks_like_foreign_model(*input)) {
      return convert_model(*input, arguments);
    }
  }
  const std::optional<std::string> scaler_path = arguments.text("save-scaler");
  if (scaler_path && !arguments.has("scale")) throw UsageError("--save-scaler needs --scale");
  LoadedData loaded = input ? load_data(*input, arguments, Purpose::look)
                            : load_data(from, arguments, Purpose::look);
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
  const Status status = project(arguments, data, outputs);
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
  return status == Status::solved ? 0 : 2;
}

}  // namespace maxmargin::tool
