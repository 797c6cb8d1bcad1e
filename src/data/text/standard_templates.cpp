// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/suggest.hpp"
#include "maxmargin/data/text/feature_templates.hpp"

namespace maxmargin {

namespace {

/// Column 0: the word; column 1: its part of speech.
constexpr std::string_view chunking = R"(# words around
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U03:%x[1,0]
U04:%x[2,0]
U05:%x[-1,0]/%x[0,0]
U06:%x[0,0]/%x[1,0]
# parts of speech around
U10:%x[-2,1]
U11:%x[-1,1]
U12:%x[0,1]
U13:%x[1,1]
U14:%x[2,1]
U15:%x[-2,1]/%x[-1,1]
U16:%x[-1,1]/%x[0,1]
U17:%x[0,1]/%x[1,1]
U18:%x[1,1]/%x[2,1]
U20:%x[-2,1]/%x[-1,1]/%x[0,1]
U21:%x[-1,1]/%x[0,1]/%x[1,1]
U22:%x[0,1]/%x[1,1]/%x[2,1]
# words with parts of speech
U30:%x[0,0]/%x[0,1]
U31:%x[-1,1]/%x[0,0]
U32:%x[0,0]/%x[1,1]
U33:%x[-1,0]/%x[0,1]
U34:%x[0,1]/%x[1,0]
# shapes and affixes
U40:%short[-1,0]/%short[0,0]
U41:%short[0,0]
U42:%short[0,0]/%short[1,0]
U43:%prefix[0,0,2]
U44:%prefix[0,0,3]
U45:%prefix[0,0,4]
U46:%suffix[0,0,2]
U47:%suffix[0,0,3]
U48:%suffix[0,0,4]
B
)";

/// Column 0: the word.
constexpr std::string_view tagging = R"(# words around
U00:%x[0,0]
U01:%lower[-2,0]
U02:%lower[-1,0]
U03:%lower[0,0]
U04:%lower[1,0]
U05:%lower[2,0]
U06:%lower[-2,0]/%lower[-1,0]
U07:%lower[-1,0]/%lower[0,0]
U08:%lower[0,0]/%lower[1,0]
U09:%lower[1,0]/%lower[2,0]
# affixes
U10:%prefix[0,0,1]
U11:%prefix[0,0,2]
U12:%prefix[0,0,3]
U13:%prefix[0,0,4]
U14:%suffix[0,0,1]
U15:%suffix[0,0,2]
U16:%suffix[0,0,3]
U17:%suffix[0,0,4]
U18:%suffix[0,0,5]
U19:%suffix[-1,0,2]
U20:%suffix[-1,0,3]
U21:%suffix[1,0,2]
U22:%suffix[1,0,3]
# shapes
U30:%shape[0,0]
U31:%short[0,0]
U32:%short[-1,0]/%short[0,0]/%short[1,0]
U33:%short[0,0]/%suffix[0,0,3]
U40:%digit[0,0]
U41:%hyphen[0,0]
U42:%capital[0,0]
U43:%capitals[0,0]
U44:%capital[-1,0]/%capital[0,0]
U45:%capital[0,0]/%capital[1,0]
B
)";

constexpr std::array<std::string_view, 2> names = {"chunking", "tagging"};
constexpr std::array<std::string_view, 2> texts = {chunking, tagging};

}  // namespace

std::span<const std::string_view> standard_template_names() { return names; }

FeatureTemplates standard_templates(std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    throw InvalidArgument("there is no template named " + std::string(name) +
                          suggest_names(name, names));
  }
  return parse_templates(texts[static_cast<std::size_t>(found - names.begin())],
                         "template " + std::string(name));
}

}  // namespace maxmargin
