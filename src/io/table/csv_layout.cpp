// SPDX-License-Identifier: Apache-2.0
#include "io/table/csv_layout.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "io/quote.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin {

/// How a yes-no is said where there is a third answer, none.
enum class YesNo { yes, no };

template <>
inline constexpr auto names_of<YesNo> = name_table<YesNo>({{"yes", YesNo::yes}, {"no", YesNo::no}});

}  // namespace maxmargin

namespace maxmargin {

namespace {

constexpr std::string_view no_label = "none";
constexpr std::string_view no_name = "\"\"";

/// A name that is hardly ever a label itself, in any case of letters.
bool is_sure_label_name(std::string_view name) {
  constexpr std::array<std::string_view, 3> names = {"target", "label", "class"};
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return std::ranges::find(names, lower) != names.end();
}

/// Also `y`, which is a name in a header, but often means "yes" in a row of data.
bool is_label_name(std::string_view name) {
  return name == "y" || name == "Y" || is_sure_label_name(name);
}

bool is_column_name(const std::optional<std::string>& column) {
  return column && *column != no_label && !parse_integer(*column);
}

/// The last column for which `holds`, if there is one.
template <class Holds>
std::optional<std::size_t> last_column(std::size_t count, const Holds& holds) {
  for (std::size_t column = count; column-- > 0;) {
    if (holds(column)) return column;
  }
  return std::nullopt;
}

class LayoutFinder {
 public:
  LayoutFinder(const std::string& file,
               FilePlace place,
               std::vector<std::string> first_row,
               const CsvOptions& options)
      : file_(file), place_(place), row_(std::move(first_row)), options_(options) {}

  CsvLayout find() {
    CsvLayout layout;
    layout.header = options_.header ? *options_.header : looks_like_header();
    header_ = layout.header;
    layout.roles.assign(row_.size(), options_.strings ? CsvRole::ignored : CsvRole::feature);
    const std::optional<std::size_t> weight = chosen_column(options_.weight, "weight");
    if (weight) layout.roles[*weight] = CsvRole::weight;
    group_ = chosen_column(options_.group, "bag");
    if (group_ && group_ == weight) fail("bags and weights cannot be the same column");
    strings_ = chosen_column(options_.strings, "strings");
    if (strings_ && strings_ == weight) fail("strings and weights cannot be the same column");
    std::optional<std::size_t> label;
    CsvRole role = CsvRole::label;
    if (options_.label) {
      if (*options_.label != no_label) label = chosen_column(options_.label, "label");
      if (label && label == weight) fail("labels and weights cannot be the same column");
      if (label && label == group_) fail("labels and bags cannot be the same column");
    } else if (!is_models_table(weight)) {
      label = default_label(weight, role);
    }
    if (label && label == strings_) fail("strings and labels cannot be the same column");
    if (label) layout.roles[*label] = role;
    if (strings_) layout.roles[*strings_] = CsvRole::strings;
    if (group_) layout.roles[*group_] = CsvRole::group;
    if (header_) layout.names = std::move(row_);
    return layout;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw ParseError(file_, place_, problem);
  }

  /// The column that the caller gave by number (from 1), if it is one of the table's.
  [[nodiscard]] std::optional<std::size_t> numbered(const std::optional<std::string>& text) const {
    const auto number = text ? parse_integer(*text) : std::nullopt;
    if (!number || *number < 1 || static_cast<std::size_t>(*number) > row_.size()) {
      return std::nullopt;
    }
    return static_cast<std::size_t>(*number) - 1;
  }

  /// Does the table have as many columns as the model has features?
  [[nodiscard]] bool is_models_table(std::optional<std::size_t> weight) const {
    const std::size_t others = (weight ? 1U : 0U) + (options_.group ? 1U : 0U);
    return options_.model_features && *options_.model_features + others == row_.size();
  }

  /// Does one of the cells name the label column?
  [[nodiscard]] bool names_the_label() const {
    if (std::ranges::any_of(row_, is_sure_label_name)) return true;
    return std::ranges::any_of(row_, is_label_name) &&
           std::ranges::none_of(
               row_, [](const std::string& cell) { return parse_number(cell).has_value(); });
  }

  [[nodiscard]] bool looks_like_header() const {
    if (is_column_name(options_.label) || is_column_name(options_.weight) ||
        is_column_name(options_.strings) || is_column_name(options_.group)) {
      return true;
    }
    if (!options_.label && names_the_label()) return true;
    const std::optional<std::size_t> weight = numbered(options_.weight);
    const std::optional<std::size_t> strings = numbered(options_.strings);
    const std::optional<std::size_t> group = numbered(options_.group);
    std::optional<std::size_t> label = numbered(options_.label);
    if (!options_.label && !is_models_table(weight) &&
        options_.label_default == CsvLabelDefault::last_column) {
      label = last_column(row_.size(), [&](std::size_t column) {
        return column != weight && column != strings && column != group;
      });
    }
    bool has_name = false;
    for (std::size_t column = 0; column < row_.size(); ++column) {
      const std::string& cell = row_[column];
      if (column == label || column == weight || column == strings || column == group ||
          cell.empty() || cell == "?")
        continue;
      if (parse_number(cell)) return false;
      has_name = true;
    }
    return has_name;
  }

  [[nodiscard]] std::optional<std::size_t> chosen_column(const std::optional<std::string>& choice,
                                                         const std::string& what) const {
    if (!choice) return std::nullopt;
    if (!is_column_name(choice) && *choice != no_label) {
      if (const auto column = numbered(choice)) return column;
      fail("the " + what + " column is to be number " + *choice + ", but there are columns 1 to " +
           std::to_string(row_.size()));
    }
    if (!header_) {
      fail("the " + what + " column " + quote(*choice, no_name) +
           " is given by name, but there is no header");
    }
    const auto column = last_column(row_.size(), [&](std::size_t c) { return row_[c] == *choice; });
    if (!column)
      fail("no column is named " + quote(*choice, no_name) + "; the names are " + name_list());
    return column;
  }

  [[nodiscard]] std::optional<std::size_t> default_label(std::optional<std::size_t> weight,
                                                         CsvRole& role) const {
    if (header_) {
      const auto named = last_column(row_.size(), [&](std::size_t c) {
        return c != weight && c != strings_ && c != group_ && is_label_name(row_[c]);
      });
      if (named) return named;
      // A table of strings without a label column called so has none for clusterings.
      if (strings_ && options_.label_default == CsvLabelDefault::features_if_numeric) {
        return std::nullopt;
      }
      if (options_.label_default == CsvLabelDefault::features_if_numeric) {
        role = CsvRole::feature_or_label;
      }
    }
    return last_column(row_.size(), [&](std::size_t c) {
      return c != weight && c != strings_ && c != group_;
    });
  }

  [[nodiscard]] std::string name_list() const {
    constexpr std::size_t longest = 20;
    std::string list;
    for (std::size_t c = 0; c < std::min(longest, row_.size()); ++c) {
      list += (c > 0 ? ", " : "") + quote(row_[c], no_name);
    }
    return row_.size() > longest ? list + ", ..." : list;
  }

  const std::string& file_;
  FilePlace place_;
  std::vector<std::string> row_;
  const CsvOptions& options_;
  bool header_ = false;
  std::optional<std::size_t> strings_ = std::nullopt;
  std::optional<std::size_t> group_ = std::nullopt;
};

}  // namespace

std::size_t CsvLayout::count(CsvRole role) const {
  return static_cast<std::size_t>(std::ranges::count(roles, role));
}

std::string CsvLayout::describe(std::size_t column) const {
  const std::string name = names.empty() ? "" : " (" + quote(names[column], no_name) + ")";
  return (roles[column] == CsvRole::weight ? "the weight in column " : "the feature in column ") +
         std::to_string(column + 1) + name;
}

CsvLayout decide_csv_layout(const std::string& file,
                            FilePlace place,
                            std::vector<std::string> first_row,
                            const CsvOptions& options) {
  return LayoutFinder(file, place, std::move(first_row), options).find();
}

void describe_table(OptionVisitor& visit,
                    std::optional<std::string>& label,
                    std::optional<bool>& header) {
  visit.text(
      {.name = "label",
       .help = "label column of a table: a name, a number from 1, or none; last-word of FASTA",
       .value = "COLUMN",
       .fallback = "target, label, class or y, else the last"},
      label);
  std::optional<YesNo> said;
  if (header) said = *header ? YesNo::yes : YesNo::no;
  visit.name({.name = "header",
              .help = "whether the first row of a table holds names",
              .value = "yes|no",
              .fallback = "by content"},
             said);
  header = said ? std::optional(*said == YesNo::yes) : std::nullopt;
}

void describe_strings(OptionVisitor& visit, std::optional<std::string>& strings) {
  visit.text({.name = "strings",
              .help = "column of a table that holds strings, for the spectrum kernel",
              .value = "COLUMN"},
             strings);
}

void describe_unlabeled(OptionVisitor& visit, std::optional<std::string>& unlabeled) {
  visit.text({.name = "unlabeled",
              .help = "this label means: not labelled (as 0 in SVM-light files)",
              .value = "LABEL",
              .fallback = "?"},
             unlabeled);
}

}  // namespace maxmargin
