// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/text/tagged_text.hpp"

/// Templates that make features of tokens: docs/guide/sequence-templates.md.
namespace maxmargin {

/// What a macro makes of a cell.
enum class CellFunction {
  whole,         ///< %x: the cell as it is
  lower,         ///< %lower: without capitals
  shape,         ///< %shape: X for a capital, x for another letter, 0 for a digit, else the sign
  short_shape,   ///< %short: the shape with runs of one sign written once
  prefix,        ///< %prefix: the first characters; no feature when the cell is shorter
  suffix,        ///< %suffix: the last ones, likewise
  has_digit,     ///< %digit: holds when there is a digit
  has_hyphen,    ///< %hyphen: holds when there is a hyphen
  is_capital,    ///< %capital: holds when the first character is a capital
  all_capitals,  ///< %capitals: holds when there are letters and all of them are capitals
};

/// A piece of a template: text as it stands, or a macro.
struct TemplatePart {
  bool is_macro = false;
  std::string text = {};
  CellFunction function = CellFunction::whole;
  /// The token, counted from the one at hand.
  int row = 0;
  /// The observed column, from 0.
  std::size_t column = 0;
  /// Characters of an affix.
  std::size_t length = 0;
};

/// One line of a template file.
struct FeatureTemplate {
  std::vector<TemplatePart> parts = {};
  /// As it was written, and in which line.
  std::string text = {};
  std::size_t line = 0;
};

/// All lines of a template file.
struct MAXMARGIN_EXPORT FeatureTemplates {
  /// The file's name for messages.
  std::string source = {};
  /// U lines: features of a position.
  std::vector<FeatureTemplate> positions = {};
  /// B lines with a macro: features of the step into a position, which count for the pair of
  /// labels.
  std::vector<FeatureTemplate> steps = {};
  /// There is a B line without a macro: label pairs themselves have weights.
  bool transitions = false;

  /// Throws ParseError, naming the line and the macro, when a macro wants a column that a text of
  /// so many columns has not.
  void require_columns(std::size_t columns, const std::string& text_source) const;
};

/// Reads template lines. Throws ParseError with line and column for whatever is not a template.
[[nodiscard]] MAXMARGIN_EXPORT FeatureTemplates parse_templates(std::string_view text,
                                                                std::string source = "template");

/// The lines without comments: what parse_templates reads as the same templates.
[[nodiscard]] MAXMARGIN_EXPORT std::string to_text(const FeatureTemplates& templates);

/// Ready templates by name: chunking, tagging. Throws InvalidArgument for another name, with the
/// known ones.
[[nodiscard]] MAXMARGIN_EXPORT FeatureTemplates standard_templates(std::string_view name);
[[nodiscard]] MAXMARGIN_EXPORT std::span<const std::string_view> standard_template_names();

/// The feature that a template makes at a token of a sentence, in `feature`; false when it makes
/// none there (a flag that does not hold, a word too short for the affix). Requires columns that
/// are there.
[[nodiscard]] MAXMARGIN_EXPORT bool expand_template(const FeatureTemplate& pattern,
                                                    const TaggedText& text,
                                                    std::size_t sentence,
                                                    std::size_t token,
                                                    std::string& feature);

}  // namespace maxmargin
