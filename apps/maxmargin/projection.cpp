// SPDX-License-Identifier: Apache-2.0
#include "projection.hpp"

#include <iostream>

#include "data_source.hpp"
#include "maxmargin/io/model/spectral_file.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/model/projection/pca.hpp"
#include "method_options.hpp"

namespace maxmargin::tool {

namespace {

ModelDocument document_of(const PcaModel& model) {
  ModelDocument document("pca");
  document.set_number("total_variance", model.total_variance);
  document.set_numbers("mean", model.mean);
  document.set_numbers("variances", model.variances);
  document.set_dense("components", model.components);
  return document;
}

PcaModel pca_of(const ModelDocument& document) {
  PcaModel model{.mean = document.numbers("mean"),
                 .components = document.dense("components"),
                 .variances = document.numbers("variances"),
                 .total_variance = document.number("total_variance")};
  if (model.components.cols() != model.mean.size()) {
    throw ModelFormatError(document.source(), {}, "its components do not fit its mean");
  }
  return model;
}

/// The warnings of a run, and whether it came to its end.
void tell(const SolveReport& report) {
  for (const std::string& warning : report.warnings) std::cerr << "warning: " << warning << "\n";
  if (report.status != Status::solved) {
    std::cerr << "warning: the components were not found to the end (" << to_string(report.status)
              << ")\n";
  }
}

/// The components that --project names, found on the data.
ModelDocument found_on(const Arguments& arguments,
                       const Dataset& data,
                       const std::string& kind,
                       Status& status) {
  if (!data.weights.empty()) throw UsageError("--project: example weights are not supported");
  const std::size_t components = arguments.whole("components", 1).value_or(2);
  const std::optional<std::size_t> threads = threads_of(arguments);
  if (kind == "pca") {
    return document_of(train_pca(data.examples, {.components = components, .threads = threads}));
  }
  const KernelPca found = train_kernel_pca(data,
                                           {.components = components,
                                            .kernel = kernel_of_points(arguments, data.examples),
                                            .allow_indefinite = arguments.has("allow-indefinite"),
                                            .threads = threads});
  if (!arguments.has("quiet")) tell(found.report);
  status = found.report.status;
  ModelDocument document("kernel-pca");
  add_kernel_pca(document, found.model);
  return document;
}

ModelDocument read_projection(const std::string& path) {
  Input input = Input::open(path);
  ModelDocument document = read_model(input);
  if (document.learner() == "pca" || document.learner() == "kernel-pca") return document;
  throw FileError(path, "is a model of " + document.learner() + ", no projection");
}

}  // namespace

Status project(const Arguments& arguments, Dataset& data, Outputs& outputs) {
  const std::optional<std::string> wanted = arguments.text("project");
  const bool is_new = wanted == "pca" || wanted == "kernel-pca";
  for (const std::string_view option :
       {"components", "kernel", "gamma", "degree", "coef0", "allow-indefinite", "model"}) {
    const bool for_kernels = option != "components" && option != "model";
    if (!arguments.has(option) || (is_new && (!for_kernels || wanted == "kernel-pca"))) continue;
    throw UsageError("--" + std::string(option) + " belongs to --project " +
                     (for_kernels ? "kernel-pca" : "pca or kernel-pca"));
  }
  Status status = Status::solved;
  if (!wanted) return status;
  const ModelDocument document =
      is_new ? found_on(arguments, data, *wanted, status) : read_projection(*wanted);
  DenseMatrix scores =
      document.learner() == "pca"
          ? pca_of(document).transform(data.examples, threads_of(arguments))
          : kernel_pca_of(document).transform(data.examples, threads_of(arguments));
  if (scores.cols() == 0) throw UsageError("--project: all rows are equal, nothing to project on");
  data.feature_names.clear();
  for (std::size_t c = 0; c < scores.cols(); ++c) {
    data.feature_names.push_back("pc" + std::to_string(c + 1));
  }
  data.examples = std::move(scores);
  if (const std::optional<std::string> path = arguments.text("model")) {
    outputs.open("model", *path);
    write_model(document, *outputs.file("model"));
  }
  return status;
}

}  // namespace maxmargin::tool
