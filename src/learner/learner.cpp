// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/learner/learner.hpp"

#include "maxmargin/core/error.hpp"

namespace maxmargin {

namespace {

/// A section of a model by its kind and size.
std::string size_of(const ModelDocument::Content& content) {
  struct Visitor {
    std::string operator()(const std::vector<std::string>& list) const {
      return std::to_string(list.size()) + " names";
    }
    std::string operator()(const std::vector<double>& list) const {
      return std::to_string(list.size()) + " numbers";
    }
    std::string operator()(const std::vector<Label>& list) const {
      return std::to_string(list.size()) + " labels";
    }
    std::string operator()(const DenseMatrix& matrix) const {
      return std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols());
    }
    std::string operator()(const SparseMatrix& matrix) const {
      return std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols()) + ", " +
             std::to_string(matrix.entries()) + " entries";
    }
  };
  return std::visit(Visitor{}, content);
}

}  // namespace

ModelFigures figures_of(const ModelDocument& document) {
  ModelFigures figures;
  figures.fields.emplace_back("source", document.source());
  figures.fields.emplace_back("learner", document.learner());
  for (const ModelDocument::Field& field : document.fields()) {
    figures.fields.emplace_back(
        field.name, std::visit([](const auto& value) { return ReportValue(value); }, field.value));
  }
  for (const ModelDocument::Section& section : document.sections()) {
    figures.fields.emplace_back(section.name, size_of(section.content));
  }
  return figures;
}

ModelFigures Learner::figures(const Model& model) const { return figures_of(model.document()); }

void add_verification(const Verification& found, RunReport& report) {
  const SolveReport& solve = report.solve;
  if (found.primal && !found.dual) {
    const bool has_bound = solve.dual_objective || solve.lower_bound;
    ReportValue difference;
    if (solve.primal_objective) difference = relative_gap(*found.primal, *solve.primal_objective);
    report.objects.emplace_back(
        "verification",
        ReportFields{{"primal_objective", *found.primal},
                     {"relative_difference", difference},
                     {"bound", std::string(has_bound ? "not recomputed" : "none")}});
  }
  report.verified = found.agrees;
  report.verify_reason = found.complaint;
}

std::optional<Examples> Learner::support_vectors(const Model& /*model*/) const {
  return std::nullopt;
}

std::optional<std::size_t> Learner::model_features(const Model& /*model*/) const {
  return std::nullopt;
}

RunReport Learner::evaluate(const std::string& /*truth*/,
                            const std::string& /*predicted*/,
                            const OptionTexts& /*options*/,
                            const Context& /*context*/) const {
  throw InvalidArgument("the learner " + std::string(info_.name) +
                        " has no measures of its own: its predictions are labels");
}

}  // namespace maxmargin
