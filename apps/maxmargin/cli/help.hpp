// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/call.hpp"

/// Help pages, made from the descriptions: they cannot fall behind them.
namespace maxmargin::tool {

/// What the tool is and its commands, one line each.
[[nodiscard]] std::string help_text();
/// A command; with a learner, that learner's options alone.
[[nodiscard]] std::string help_text(const Command& command, const Learner* learner);

/// All commands and learners with their options as tables in Markdown: docs/guide/options.md, which
/// a test holds to it.
[[nodiscard]] std::string options_page();

/// Names with one line each, wrapped: "  name  text".
[[nodiscard]] std::string listed(const std::vector<std::pair<std::string, std::string>>& rows);
/// A group of options under its title, after an empty line.
[[nodiscard]] std::string listed(const OptionGroup& group);
/// A paragraph.
[[nodiscard]] std::string wrapped(std::string_view text);

}  // namespace maxmargin::tool
