// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"

/// Data sets that need no file, named by text: "builtin:circles,n=200,noise=0.05,seed=1".
namespace maxmargin {

struct BuiltinParameter {
  std::string name = {};
  /// Its default as text; empty when leaving it out is different from any value.
  std::string default_value = {};
  std::string meaning = {};
};

struct BuiltinInfo {
  std::string name = {};
  std::string summary = {};
  std::vector<BuiltinParameter> parameters = {};
};

/// Every built-in data set, in the order help texts print them.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<BuiltinInfo> builtin_list();

/// True when `text` starts with "builtin:".
[[nodiscard]] MAXMARGIN_EXPORT bool is_builtin(std::string_view text) noexcept;

/// Makes the data set `NAME[,key=value...]`, with or without "builtin:" in front. Its source is
/// "builtin:" and the text. Throws InvalidArgument for an unknown name or key (the message lists
/// the known ones and the nearest), for a key given twice, and for a value outside its rule.
[[nodiscard]] MAXMARGIN_EXPORT Dataset make_builtin(std::string_view spec);

/// A small data set of another kind than tables, as the file that would hold it. Sources of
/// learners take it by "builtin:NAME", as they take tables.
struct BuiltinFile {
  std::string_view name = {};
  std::string_view summary = {};
  std::string_view text = {};
};
[[nodiscard]] MAXMARGIN_EXPORT std::span<const BuiltinFile> builtin_files();

}  // namespace maxmargin
