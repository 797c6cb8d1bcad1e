// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/io/table/csv.hpp"

namespace maxmargin {

enum class CsvRole {
  feature,
  label,
  weight,
  group,
  /// The examples, where they are strings.
  strings,
  /// Not read.
  ignored,
  /// A feature as long as all its cells are numbers; the label column otherwise.
  feature_or_label,
};

/// What the columns of a table mean.
struct CsvLayout {
  bool header = false;
  std::vector<CsvRole> roles = {};
  /// The header, one name a column; empty without header.
  std::vector<std::string> names = {};

  [[nodiscard]] std::size_t count(CsvRole role) const;
  /// "feature 3 ('width')", for messages.
  [[nodiscard]] std::string describe(std::size_t column) const;
};

/// Decides from the cells of the first row, which is at `place`. Throws ParseError when a column
/// that the options name is not there.
[[nodiscard]] CsvLayout decide_csv_layout(const std::string& file,
                                          FilePlace place,
                                          std::vector<std::string> first_row,
                                          const CsvOptions& options);

/// Options label and header.
void describe_table(OptionVisitor& visit,
                    std::optional<std::string>& label,
                    std::optional<bool>& header);
/// The option strings.
void describe_strings(OptionVisitor& visit, std::optional<std::string>& strings);
/// The option unlabeled.
void describe_unlabeled(OptionVisitor& visit, std::optional<std::string>& unlabeled);

}  // namespace maxmargin
