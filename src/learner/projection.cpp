// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/learner/projection.hpp"

#include <algorithm>
#include <utility>

#include "io/model/spectral_file.hpp"
#include "learner/feature_checks.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {

namespace {

/// The names of the documents; a classifier by Fisher's discriminant is a model of its own.
constexpr const char* pca_name = "pca";
constexpr const char* kernel_pca_name = "kernel-pca";
constexpr const char* lda_name = "lda-projection";

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

Projection Projection::of(const ModelDocument& document) {
  if (document.learner() == pca_name) {
    PcaModel model{.mean = document.numbers("mean"),
                   .components = document.dense("components"),
                   .variances = document.numbers("variances"),
                   .total_variance = document.number("total_variance")};
    require_fit(model.components.cols() == model.mean.size(), document);
    return Projection(std::move(model));
  }
  if (document.learner() == kernel_pca_name) return Projection(kernel_pca_of(document));
  if (document.learner() == lda_name) {
    LdaProjection model{.mean = document.numbers("mean"),
                        .directions = document.dense("directions"),
                        .ratios = document.numbers("ratios")};
    require_fit(model.directions.cols() == model.mean.size(), document);
    return Projection(std::move(model));
  }
  throw ModelFormatError(
      document.source(), {}, "is a model of " + document.learner() + ", no projection");
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
  if (const auto* pca = std::get_if<PcaModel>(&value_)) {
    ModelDocument document(pca_name);
    document.set_number("total_variance", pca->total_variance);
    document.set_numbers("mean", pca->mean);
    document.set_numbers("variances", pca->variances);
    document.set_dense("components", pca->components);
    return document;
  }
  if (const auto* lda = std::get_if<LdaProjection>(&value_)) {
    ModelDocument document(lda_name);
    document.set_numbers("mean", lda->mean);
    document.set_numbers("ratios", lda->ratios);
    document.set_dense("directions", lda->directions);
    return document;
  }
  ModelDocument document(kernel_pca_name);
  add_kernel_pca(document, std::get<KernelPcaModel>(value_));
  return document;
}

TrainedProjection train_projection(ProjectionKind kind,
                                   const Dataset& data,
                                   const ProjectionOptions& options,
                                   const Context& context) {
  validate(options);
  learning::check_strings(
      data, kind == ProjectionKind::kernel_pca && is_for_strings(options.kernel.kernel()));
  if (kind == ProjectionKind::lda) {
    LdaOptions lda;
    lda.control.context = context;
    return {Projection(first_directions(lda_projection(data, lda), options.components))};
  }
  if (!data.weights.empty()) {
    throw InvalidArgument("--project: example weights are not supported");
  }
  if (kind == ProjectionKind::pca) {
    return {Projection(
        train_pca(data.examples, {.components = options.components, .context = context}))};
  }
  KernelPca found =
      train_kernel_pca(data,
                       {.components = options.components,
                        .kernel = options.kernel.resolved(data.examples, {.context = context}),
                        .allow_indefinite = options.allow_indefinite,
                        .context = context});
  return {Projection(std::move(found.model)), std::move(found.report)};
}

}  // namespace maxmargin
