// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/suggest.hpp"
#include "maxmargin/structured/tasks/alignment.hpp"

namespace maxmargin {

namespace {

/// In the order of the enumerations.
constexpr std::array<std::string_view, 8> substitution_names = {
    "residues", "residue-windows", "simple", "anova2", "tensor", "combined", "window", "profile"};
constexpr std::array<std::string_view, 3> gap_names = {"constant", "residues", "context"};
constexpr std::array<std::string_view, 2> kind_names = {"global", "local"};

template <class Enum, std::size_t count>
Enum parse(const std::array<std::string_view, count>& names,
           std::string_view name,
           const std::string& what) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    throw InvalidArgument(what + " " + std::string(name) + " is not known" +
                          suggest_names(name, names));
  }
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view to_string(SubstitutionModel model) noexcept {
  return substitution_names[static_cast<std::size_t>(model)];
}
std::string_view to_string(GapModel model) noexcept {
  return gap_names[static_cast<std::size_t>(model)];
}
std::string_view to_string(AlignmentKind kind) noexcept {
  return kind_names[static_cast<std::size_t>(kind)];
}

SubstitutionModel parse_substitution_model(std::string_view name) {
  return parse<SubstitutionModel>(substitution_names, name, "the substitution model");
}
GapModel parse_gap_model(std::string_view name) {
  return parse<GapModel>(gap_names, name, "the gap model");
}
AlignmentKind parse_alignment_kind(std::string_view name) {
  return parse<AlignmentKind>(kind_names, name, "the kind of alignment");
}

}  // namespace maxmargin
