// SPDX-License-Identifier: Apache-2.0
//
// maxmargin predict: a model's answers for new examples.
#include <iostream>

#include "cluster_measures.hpp"
#include "commands.hpp"
#include "data_source.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/input.hpp"
#include "maxmargin/io/scaler_file.hpp"
#include "outputs.hpp"
#include "registry.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

/// Sparse data may have more or fewer features than the model: say so once. Dense data may not.
void check_features(const Dataset& data, std::size_t features, std::vector<std::string>& warnings) {
  if (data.features() == features) return;
  if (data.examples.is_dense()) {
    throw FileError(data.source,
                    "has " + std::to_string(data.features()) + " features, the model " +
                        std::to_string(features));
  }
  warnings.push_back(
      data.source + " has " + std::to_string(data.features()) + " features, the model " +
      std::to_string(features) +
      (data.features() < features ? ": missing ones count as 0" : ": further ones are ignored"));
}

}  // namespace

int run_predict(const Arguments& arguments) {
  const std::string& model_path = arguments.positionals.at(0);
  Outputs outputs;
  const std::optional<std::string> json = arguments.text("json");
  if (json) outputs.open("json", *json);
  if (arguments.has("output") || json != "-") {
    outputs.open("output", arguments.text_or("output", "-"));
  }

  PhaseTimer timer;
  timer.enter("read");
  Input input = Input::open(model_path);
  const ModelDocument model = read_model(input);
  const ModelKind& kind = find_model_kind(model);
  const std::size_t features = kind.features(model);
  LoadedData loaded = load_data(arguments.positionals.at(1), arguments, Purpose::look, features);
  Dataset& data = loaded.data;

  RunReport report{.kind = "learner",
                   .name = model.learner(),
                   .n = data.size(),
                   .d = data.features(),
                   .options = {{"model", model_path}, {"data", arguments.positionals.at(1)}}};
  check_features(data, features, report.solve.warnings);
  timer.enter("predict");
  data.examples = load_scaler(model).apply(std::move(data.examples));
  const Prediction prediction = kind.predict(model, data, threads_of(arguments));
  timer.enter("measure");
  add_label_measures(loaded, prediction.clusters, report);
  report.solve.seconds = timer.finish();

  if (OutputFile* file = outputs.file("output")) file->write(cluster_lines(prediction.clusters));
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  if (!arguments.has("quiet")) std::cerr << summary(report);
  return 0;
}

}  // namespace maxmargin::tool
