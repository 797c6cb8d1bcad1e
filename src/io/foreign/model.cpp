// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/foreign/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/foreign/parts.hpp"
#include "io/stream/whole_input.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr auto least_label = std::int64_t{std::numeric_limits<std::int32_t>::min()};
constexpr auto largest_label = std::int64_t{std::numeric_limits<std::int32_t>::max()};
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<Label> parse_foreign_labels(ForeignText& text) {
  std::vector<Label> labels;
  while (!text.at_line_end()) {
    labels.emplace_back(static_cast<double>(text.whole("a label", least_label, largest_label)));
  }
  std::vector<Label> sorted = labels;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) text.fail("a label occurs twice");
  return labels;
}

std::string foreign_labels(const std::vector<Label>& classes) {
  std::string line;
  for (const Label& label : classes) {
    const bool fits = label.is_number() && label.number() >= static_cast<double>(least_label) &&
                      label.number() <= static_cast<double>(largest_label) &&
                      label.number() == std::floor(label.number());
    require_field(fits, "label", label.text(), "a whole number of 32 bits in this format");
    line += ' ';
    append_number(line, static_cast<std::int64_t>(label.number()));
  }
  return line;
}

void require_foreign_scaler(const std::optional<Scaler>& scaler) {
  require(!scaler || scaler->options.kind == ScalingKind::none,
          "the model scales its features, which this format cannot hold; scale the data first "
          "(convert --scale) and train on the result");
}

void require_foreign_classifier(const Classifier& model) {
  model.code.validate();
  require_foreign_scaler(model.scaler);
  require(model.classes.size() == model.code.classes,
          "the model's classes are not as many as its code has");
}

double offset_of_strict_rho(double rho) { return -std::nextafter(rho, infinity); }
double strict_rho_of_offset(double offset) {
  // No sum lies below the least double, so the border may stay there.
  return std::max(std::nextafter(-offset, -infinity), std::numeric_limits<double>::lowest());
}

bool looks_like_foreign_model(Input& input) {
  const std::string_view start = input.peek(liblinear_start.size());
  return start.starts_with(libsvm_start) || start.starts_with(liblinear_start);
}

ForeignModel read_foreign_model(Input& input) {
  const bool libsvm = input.peek(libsvm_start.size()).starts_with(libsvm_start);
  if (!looks_like_foreign_model(input)) {
    throw ModelFormatError(input.name(),
                           {.line = 1, .column = 1},
                           "not a model of LIBSVM or LIBLINEAR, expected 'svm_type' or "
                           "'solver_type'");
  }
  const WholeInput whole(input);
  ForeignText text(input.name(), whole.bytes());
  return libsvm ? parse_libsvm_model(text) : parse_liblinear_model(text);
}

void widen_features(ForeignModel& model, std::size_t features) {
  auto* classifier = std::get_if<Classifier>(&model.machine);
  DecisionFunction& functions =
      classifier != nullptr ? classifier->functions : std::get<Regressor>(model.machine).function;
  auto* expansion = std::get_if<KernelExpansion>(&functions);
  if (expansion == nullptr || expansion->vectors.is_dense()) return;
  const SparseView vectors = expansion->vectors.sparse();
  if (vectors.cols >= features) return;
  expansion->vectors = SparseMatrix(features,
                                    Buffer<std::int64_t>(vectors.offsets),
                                    Buffer<std::int32_t>(vectors.columns),
                                    Buffer<double>(vectors.values));
}

}  // namespace maxmargin
