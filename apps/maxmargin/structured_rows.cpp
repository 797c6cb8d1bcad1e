// SPDX-License-Identifier: Apache-2.0
#include "structured_rows.hpp"

#include <algorithm>
#include <cmath>

#include "data_source.hpp"
#include "fingerprint.hpp"
#include "structured_options.hpp"

namespace maxmargin::tool {

namespace {

bool has_gap(StructuralMethod method) {
  return method != StructuralMethod::subgradient && method != StructuralMethod::mira;
}

}  // namespace

StructuralOptions row_solving_of(const Arguments& arguments, StructuralMethod method) {
  StructuralOptions options = structural_options_of(arguments);
  if (!arguments.has("max-iterations") && has_gap(method)) {
    options.max_passes = 1'000'000;
  }
  return options;
}

std::optional<Scaler> scale_rows(const Arguments& arguments, Dataset& data) {
  const ScalingOptions options = scaling_of(arguments);
  if (options.kind == ScalingKind::none) return std::nullopt;
  Scaler scaler = fit_scaler(data.examples, options);
  data.examples = scaler.apply(std::move(data.examples));
  return scaler;
}

std::uint64_t fingerprint(const Dataset& data, std::string_view side_files) {
  Fingerprint hash;
  hash.mix(side_files);
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    if (const std::optional<Label> label = data.labels.at(i)) hash.mix(label->text());
  }
  for (const std::vector<Label>& set : data.label_sets) {
    for (const Label& label : set) hash.mix(label.text());
    hash.mix(static_cast<std::uint64_t>(set.size()));
  }
  for (const std::int64_t group : data.groups) hash.mix(static_cast<std::uint64_t>(group));
  for (const double weight : data.weights) hash.mix(weight);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data.examples.row(i).for_each([&](std::size_t column, double value) {
      hash.mix(static_cast<std::uint64_t>(column));
      hash.mix(value);
    });
    hash.mix(static_cast<std::uint64_t>(i));
  }
  return hash.value();
}

}  // namespace maxmargin::tool
