// SPDX-License-Identifier: Apache-2.0
#include "learner/feature_checks.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/kernel/choice.hpp"

namespace maxmargin::learning {

namespace {

std::string counts(std::size_t found, std::size_t model) {
  return "has " + std::to_string(found) + " features, the model " + std::to_string(model);
}

}  // namespace

std::string name_of(const std::string& source) { return source.empty() ? "the data" : source; }

std::string name_of(const Dataset& data) { return name_of(data.source); }

bool asks_for_strings(const OptionTexts& options) {
  bool asks = false;
  for (const auto& [name, text] : options) {
    if (name == "kernel") asks = maxmargin::is_for_strings(KernelChoice::parse(text).kernel());
  }
  return asks;
}

void require_finite_score(double score, std::size_t row, const Dataset& data) {
  if (std::isfinite(score)) return;
  throw FileError(name_of(data.source),
                  "row " + std::to_string(row) +
                      " (from 0) has no finite score: its features are too large for the model");
}

void require_finite_scores(const DenseMatrix& scores, const Dataset& data) {
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    for (const double score : scores.row(i)) require_finite_score(score, i, data);
  }
}

void check_strings(const Dataset& data, bool wanted) {
  if (data.holds_strings == wanted) return;
  throw InvalidArgument(
      wanted ? "--kernel spectrum: " + name_of(data.source) +
                   " holds numbers; strings come from FASTA or from --strings COLUMN of a table"
             : name_of(data.source) +
                   " holds strings: they need --kernel spectrum(length=3) or an expression of it");
}

void check_numbers(const Dataset& data, std::string_view who) {
  if (!data.holds_strings) return;
  throw InvalidArgument(name_of(data.source) + " holds strings, " + std::string(who) +
                        " takes numbers");
}

bool is_for_strings(const ModelDocument& document) {
  return std::ranges::any_of(document.fields(), [](const ModelDocument::Field& field) {
    const auto* text = std::get_if<std::string>(&field.value);
    return text != nullptr && *text == "spectrum" &&
           (field.name == "kernel" || field.name.starts_with("kernel."));
  });
}

void check_features(const Dataset& data, std::size_t features, std::vector<std::string>& warnings) {
  if (data.holds_strings) return;  // their length is no number of features
  if (data.features() != features && data.examples.is_dense()) {
    throw FileError(name_of(data.source), counts(data.features(), features));
  }
  check_features(data.source, data.features(), features, warnings);
}

void check_features(const std::string& source,
                    std::size_t found,
                    std::size_t features,
                    std::vector<std::string>& warnings) {
  if (found == features) return;
  warnings.push_back(
      name_of(source) + " " + counts(found, features) +
      (found < features ? ": missing ones count as 0" : ": further ones are ignored"));
}

void check_names(const Dataset& data, const std::vector<std::string>& names) {
  const std::size_t count = std::min(names.size(), data.feature_names.size());
  for (std::size_t j = 0; j < count; ++j) {
    if (names[j] == data.feature_names[j]) continue;
    throw FileError(name_of(data.source),
                    "feature " + std::to_string(j + 1) + " is " + data.feature_names[j] +
                        ", the model has " + names[j] + " there");
  }
}

}  // namespace maxmargin::learning
