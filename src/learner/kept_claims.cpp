// SPDX-License-Identifier: Apache-2.0
#include "learner/kept_claims.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "io/model/machine_file_parts.hpp"
#include "kernel/near_origin.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/kernel/bias.hpp"
#include "model/verify/kernel_rows.hpp"

namespace maxmargin::learning {

namespace {

/// Options that the bodies of clusterings repeat under the same name.
constexpr std::array<std::string_view, 5> repeated = {
    "C", "bias", "balance_form", "linkage", "distance"};

std::string difference(const std::string& key,
                       const OptionScalar& said,
                       const std::string& owner,
                       const OptionScalar& is) {
  if (text_of(said) == text_of(is)) return {};
  return "the header's " + key + " is " + text_of(said) + ", the " + owner + "'s is " + text_of(is);
}

/// Is it a rule for the width? Files of format 1 may keep the words.
bool is_width_rule(const std::string& key, const OptionScalar& said) {
  return key == "gamma" && std::holds_alternative<std::string>(said);
}

/// Says the header that the machine has no offset, or one that costs something?
bool has_no_free_offset(const OptionScalars& said) {
  const auto at = std::ranges::find(said, "bias", &OptionScalars::value_type::first);
  if (at == said.end()) return false;
  if (const auto* is_free = std::get_if<bool>(&at->second)) return !*is_free;
  return at->second != OptionScalar(std::string(to_string(KernelBias::center)));
}

}  // namespace

std::optional<Kernel> kernel_in(const ModelDocument& document) {
  constexpr std::string_view name = "kernel";
  if (!document.has(name)) return std::nullopt;
  const auto is_part = [&](const std::string& field) {
    return field == name || field.starts_with("kernel.");
  };
  ModelDocument part(document.learner(), document.source());
  for (const ModelDocument::Field& field : document.fields()) {
    if (!is_part(field.name)) continue;
    if (const auto* text = std::get_if<std::string>(&field.value)) {
      part.set_string(field.name, *text);
    } else if (const auto* number = std::get_if<double>(&field.value)) {
      part.set_number(field.name, *number);
    } else if (const auto* whole = std::get_if<std::int64_t>(&field.value)) {
      part.set_integer(field.name, *whole);
    }
  }
  for (const ModelDocument::Section& section : document.sections()) {
    if (!is_part(section.name)) continue;
    if (const auto* numbers = std::get_if<std::vector<double>>(&section.content)) {
      part.set_numbers(section.name, *numbers);
    } else if (const auto* dense = std::get_if<DenseMatrix>(&section.content)) {
      part.set_dense(section.name, *dense);
    } else if (const auto* sparse = std::get_if<SparseMatrix>(&section.content)) {
      part.set_sparse(section.name, *sparse);
    }
  }
  return load_kernel(part, std::string(name));
}

std::string false_claim(const Model& model,
                        const Kernel* kernel,
                        const Examples& rows,
                        const Context& context) {
  const OptionScalars& said = model.header().options;
  if (kernel != nullptr) {
    const Kernel asked = at_origin(*kernel);
    if (has_no_free_offset(said) && kernel_expression(asked) != kernel_expression(*kernel)) {
      return "the kernel's examples are moved, which without a free offset is another problem";
    }
    for (const auto& [key, value] : option_values(KernelChoice(asked))) {
      const auto at = std::ranges::find(said, key, &OptionScalars::value_type::first);
      if (at == said.end() || is_width_rule(key, at->second)) continue;
      std::string found = difference(key, at->second, "kernel", value);
      if (!found.empty()) return found;
    }
  }
  for (const ModelDocument::Field& field : model.document().fields()) {
    if (std::ranges::find(repeated, field.name) == repeated.end()) continue;
    const auto at = std::ranges::find(said, field.name, &OptionScalars::value_type::first);
    if (at == said.end()) continue;
    std::string found =
        difference(field.name,
                   at->second,
                   "model",
                   std::visit([](const auto& value) { return OptionScalar(value); }, field.value));
    if (!found.empty()) return found;
  }
  return kernel == nullptr ? std::string() : fault_of_kernel_rows(*kernel, rows, context);
}

}  // namespace maxmargin::learning
