// SPDX-License-Identifier: Apache-2.0
#include "projection.hpp"

#include <algorithm>
#include <iostream>

#include "maxmargin/core/suggested_names.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

/// The warnings of a run, and whether it came to its end.
void tell(const SolveReport& report) {
  std::cerr << warning_lines(report);
  if (report.status != Status::solved) {
    std::cerr << "warning: the components were not found to the end (" << to_string(report.status)
              << ")\n";
  }
}

/// "pca, kernel-pca, lda".
std::string listed_kinds() {
  std::string words;
  for (const std::string_view name : all_names<ProjectionKind>()) {
    words.append(words.empty() ? "" : ", ").append(name);
  }
  return words;
}

bool describes(const std::vector<OptionDescription>& options, std::string_view name) {
  return std::ranges::any_of(options, [&](const auto& each) { return each.name == name; });
}

/// Options that the projection asked for has no use for.
void refuse_foreign(const OptionTexts& given, std::optional<ProjectionKind> kind) {
  std::vector<OptionDescription> of_kernels;
  KernelChoice kernel;
  bool allow_indefinite = false;
  detail::Describer describer;
  kernel.describe(describer, allow_indefinite);
  of_kernels = std::move(describer.found);
  const std::vector<OptionDescription> of_all = describe_options(ProjectOptions{});
  for (const auto& [name, value] : given) {
    if (describes(of_kernels, name)) {
      if (kind == ProjectionKind::kernel_pca) continue;
      throw UsageError(flag_of(name) + ": belongs to --project " +
                           std::string(to_string(ProjectionKind::kernel_pca)),
                       "convert");
    }
    const bool is_asked = name == of_all.front().name;
    if (!kind && !is_asked && describes(of_all, name)) {
      throw UsageError(flag_of(name) + ": belongs to --project " + listed_kinds(), "convert");
    }
  }
}

}  // namespace

void ProjectOptions::describe(OptionVisitor& visit) {
  static const std::string help =
      "features along directions: " + listed_kinds() + ", or a file that --model wrote";
  SuggestedNames(visit, all_names<ProjectionKind>())
      .text({.name = "project", .help = help, .value = "KIND|FILE"}, project);
  visit.text({.name = "model", .help = "write the projection, for --project FILE", .value = "FILE"},
             model);
  found.describe(visit);
}

Status project(const ProjectOptions& options,
               const OptionTexts& given,
               const Context& context,
               Dataset& data,
               Outputs& outputs) {
  const std::optional<ProjectionKind> kind =
      options.project ? value_named<ProjectionKind>(*options.project) : std::nullopt;
  refuse_foreign(given, kind);
  if (!options.project) return Status::solved;
  Status status = Status::solved;
  const Projection projection = [&] {
    if (kind) {
      TrainedProjection trained = train_projection(*kind, data, options.found, context);
      tell(trained.report);
      status = trained.report.status;
      return std::move(trained.projection);
    }
    return load_projection(*options.project);
  }();
  DenseMatrix scores = projection.transform(data, context);
  if (scores.cols() == 0) {
    throw UsageError("--project: all rows are equal, nothing to project on", "convert");
  }
  data.feature_names.clear();
  const char* const name = projection.kind() == ProjectionKind::lda ? "ld" : "pc";
  for (std::size_t c = 0; c < scores.cols(); ++c) {
    data.feature_names.push_back(name + std::to_string(c + 1));
  }
  data.examples = std::move(scores);
  data.holds_strings = false;
  if (OutputFile* const file = outputs.file("model")) write_model(projection.document(), *file);
  return status;
}

}  // namespace maxmargin::tool
