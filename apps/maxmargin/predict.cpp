// SPDX-License-Identifier: Apache-2.0
//
// maxmargin predict: a model's answers for new examples.
#include <iostream>

#include "cluster_measures.hpp"
#include "commands.hpp"
#include "data_source.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/input.hpp"
#include "maxmargin/io/output.hpp"
#include "maxmargin/io/scaler_file.hpp"
#include "registry.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

/// Sparse data may have more or fewer features than the model; say so once.
void warn_of_other_features(const Dataset& data,
                            std::size_t features,
                            std::vector<std::string>& warnings) {
  if (data.examples.is_dense() || data.features() == features) return;
  warnings.push_back(
      data.source + " has " + std::to_string(data.features()) + " features, the model " +
      std::to_string(features) +
      (data.features() < features ? ": missing ones count as 0" : ": further ones are ignored"));
}

}  // namespace

int run_predict(const Arguments& arguments) {
  const std::string& model_path = arguments.positionals.at(0);
  PhaseTimer timer;
  timer.enter("read");
  Input input = Input::open(model_path);
  const ModelDocument model = read_model(input);
  const ModelKind& kind = find_model_kind(model);
  const std::size_t features = kind.features(model);
  LoadedData loaded = load_data(arguments.positionals.at(1), arguments, Purpose::predict, features);
  Dataset& data = loaded.data;

  RunReport report{.kind = "learner",
                   .name = model.learner(),
                   .n = data.size(),
                   .d = data.features(),
                   .options = {{"model", model_path}, {"data", arguments.positionals.at(1)}}};
  warn_of_other_features(data, features, report.solve.warnings);
  timer.enter("predict");
  data.examples = load_scaler(model).apply(std::move(data.examples));
  const Prediction prediction = kind.predict(model, data, threads_of(arguments));
  timer.enter("measure");
  add_label_measures(loaded, prediction.clusters, report);
  report.solve.seconds = timer.finish();

  const std::string lines = cluster_lines(prediction.clusters);
  const std::optional<std::string> json = arguments.text("json");
  if (const std::optional<std::string> output = arguments.text("output")) {
    write_file(*output, lines);
  } else if (json != "-") {
    std::cout << lines;
  }
  if (json) write_file(*json, to_json(report));
  if (!arguments.is_set("quiet")) std::cerr << summary(report);
  return 0;
}

}  // namespace maxmargin::tool
