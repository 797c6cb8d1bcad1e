// SPDX-License-Identifier: Apache-2.0
#include "bias_names.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "maxmargin/core/error.hpp"

namespace maxmargin::tool {

namespace {

/// to_string has their names.
constexpr std::array biases = {KernelBias::center, KernelBias::constant, KernelBias::none};

std::optional<KernelBias> bias_named(std::string_view name) {
  for (const KernelBias bias : biases) {
    if (to_string(bias) == name) return bias;
  }
  return std::nullopt;
}

}  // namespace

KernelBias bias_of(const Arguments& arguments, KernelBias fallback) {
  std::vector<std::string> names;
  for (const KernelBias bias : biases) names.emplace_back(to_string(bias));
  return bias_named(arguments.choice_or("bias", to_string(fallback), names)).value();
}

KernelBias bias_of(const ModelDocument& model, const std::string& field) {
  const std::string& name = model.string(field);
  const std::optional<KernelBias> bias = bias_named(name);
  if (bias) return *bias;
  throw ModelFormatError(model.source(), {}, "the model's '" + field + "' is unknown: " + name);
}

}  // namespace maxmargin::tool
