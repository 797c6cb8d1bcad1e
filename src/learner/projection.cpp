// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/learner/projection.hpp"

#include <algorithm>
#include <utility>

#include "io/model/spectral_file.hpp"
#include "learner/feature_checks.hpp"
#include "learner/header.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/version.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"

namespace maxmargin {

namespace {

/// The names of the documents; a classifier by Fisher's discriminant is a model of its own.
constexpr const char* pca_name = "pca";
constexpr const char* kernel_pca_name = "kernel-pca";
constexpr const char* lda_name = "lda-projection";
constexpr const char* task_name = "projection";

std::string document_name(const Projection& projection) {
  const ProjectionKind kind = projection.kind();
  return kind == ProjectionKind::lda ? lda_name : std::string(to_string(kind));
}

/// The options that a projection of this kind has, with values that no rule decides any more.
OptionScalars options_of(ProjectionKind kind, const ProjectionOptions& options) {
  OptionScalars values = option_values(options);
  if (kind != ProjectionKind::kernel_pca) {
    std::erase_if(values, [](const auto& value) { return value.first != "components"; });
  }
  return values;
}

ModelHeader header_for(const ModelDocument& document) {
  ModelHeader header = learning::header_of(document);
  if (!header.task.empty() && header.task != task_name) {
    throw ModelFormatError(document.source(),
                           {},
                           "the model's 'task' is " + header.task + ", that of " +
                               document.learner() + " is " + task_name);
  }
  learning::check_kept_options(
      header,
      describe_options(ProjectionOptions{}),
      "the projection " + document.learner(),
      [](const OptionTexts& texts) { check_option_values(ProjectionOptions{}, texts); },
      document.source());
  return header;
}

void require_fit(bool fits, const ModelDocument& document) {
  if (!fits) {
    throw ModelFormatError(document.source(), {}, "its components do not fit its mean");
  }
}

LdaProjection first_directions(LdaProjection all, std::size_t count) {
  if (all.directions.rows() <= count) return all;
  DenseMatrix kept(count, all.directions.cols());
  for (std::size_t r = 0; r < count; ++r) {
    std::ranges::copy(all.directions.row(r), kept.row(r).begin());
  }
  all.directions = std::move(kept);
  all.ratios.resize(count);
  return all;
}

}  // namespace

void ProjectionOptions::describe(OptionVisitor& visit) {
  visit.whole(
      {.name = "components", .help = "directions to keep", .value = "N"}, components, {.least = 1});
  kernel.describe(visit, allow_indefinite);
}

Projection::Projection(Value value, ModelHeader header)
    : value_(std::move(value)), header_(std::move(header)) {
  header_.learner = document_name(*this);
  header_.task = task_name;
}

bool Projection::is_known(const ModelDocument& document) {
  const std::string& name = document.learner();
  return name == pca_name || name == kernel_pca_name || name == lda_name;
}

Projection Projection::of(const ModelDocument& document) {
  if (!is_known(document)) {
    throw ModelFormatError(
        document.source(), {}, "is a model of " + document.learner() + ", no projection");
  }
  ModelHeader header = header_for(document);
  if (document.learner() == pca_name) {
    PcaModel model{.mean = document.numbers("mean"),
                   .components = document.dense("components"),
                   .variances = document.numbers("variances"),
                   .total_variance = document.number("total_variance")};
    require_fit(model.components.cols() == model.mean.size(), document);
    return Projection(std::move(model), std::move(header));
  }
  if (document.learner() == kernel_pca_name) {
    return Projection(kernel_pca_of(document), std::move(header));
  }
  LdaProjection model{.mean = document.numbers("mean"),
                      .directions = document.dense("directions"),
                      .ratios = document.numbers("ratios")};
  require_fit(model.directions.cols() == model.mean.size(), document);
  return Projection(std::move(model), std::move(header));
}

ProjectionKind Projection::kind() const noexcept {
  return static_cast<ProjectionKind>(value_.index());
}

DenseMatrix Projection::transform(const Examples& examples, const Context& context) const {
  return std::visit([&](const auto& model) { return model.transform(examples, context.threads); },
                    value_);
}

DenseMatrix Projection::transform(const Dataset& data, const Context& context) const {
  const auto* kernel_pca = std::get_if<KernelPcaModel>(&value_);
  learning::check_strings(data, kernel_pca != nullptr && is_for_strings(kernel_pca->kernel));
  return transform(data.examples, context);
}

ModelDocument Projection::document() const {
  ModelDocument document = learning::document_with_header(header_);
  if (const auto* pca = std::get_if<PcaModel>(&value_)) {
    document.set_number("total_variance", pca->total_variance);
    document.set_numbers("mean", pca->mean);
    document.set_numbers("variances", pca->variances);
    document.set_dense("components", pca->components);
  } else if (const auto* lda = std::get_if<LdaProjection>(&value_)) {
    document.set_numbers("mean", lda->mean);
    document.set_numbers("ratios", lda->ratios);
    document.set_dense("directions", lda->directions);
  } else {
    add_kernel_pca(document, std::get<KernelPcaModel>(value_));
  }
  return document;
}

void save_projection(const Projection& projection, const std::string& path, ModelFormat format) {
  OutputFile file(path);
  write_model(projection.document(), file, format);
  file.commit();
}

Projection load_projection(const std::string& path) {
  Input input = Input::open(path);
  return Projection::of(read_model(input));
}

namespace {

/// Finds the directions; the options are those of the run already.
std::pair<Projection::Value, SolveReport> find_directions(ProjectionKind kind,
                                                          const Dataset& data,
                                                          const ProjectionOptions& options,
                                                          const Context& context) {
  if (kind == ProjectionKind::lda) {
    LdaOptions lda;
    lda.control.context = context;
    return {first_directions(lda_projection(data, lda), options.components), SolveReport{}};
  }
  if (!data.weights.empty()) {
    throw InvalidArgument("--project: example weights are not supported");
  }
  if (kind == ProjectionKind::pca) {
    return {train_pca(data.examples, {.components = options.components, .context = context}),
            SolveReport{}};
  }
  KernelPca found = train_kernel_pca(data,
                                     {.components = options.components,
                                      .kernel = options.kernel.kernel(),
                                      .allow_indefinite = options.allow_indefinite,
                                      .context = context});
  return {std::move(found.model), std::move(found.report)};
}

}  // namespace

TrainedProjection train_projection(ProjectionKind kind,
                                   const Dataset& data,
                                   const ProjectionOptions& given,
                                   const Context& context) {
  validate(given);
  learning::check_strings(
      data, kind == ProjectionKind::kernel_pca && is_for_strings(given.kernel.kernel()));
  ProjectionOptions options = given;
  if (kind == ProjectionKind::kernel_pca) {
    options.kernel = given.kernel.resolved(data.examples, {.context = context});
  }
  auto [value, report] = find_directions(kind, data, options, context);
  ModelHeader header{.library = MAXMARGIN_VERSION,
                     .options = options_of(kind, options),
                     .seed = context.seed,
                     .examples = data.size(),
                     .status = report.status};
  return {Projection(std::move(value), std::move(header)), std::move(report)};
}

}  // namespace maxmargin
