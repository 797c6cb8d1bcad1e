// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/learner/remarks.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "learner/option_texts.hpp"
#include "learner/supervised/fitting.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/learner/source.hpp"

namespace maxmargin {

namespace {

/// The option as given, or its default.
std::optional<std::string> text_of(const Learner& learner,
                                   const OptionTexts& options,
                                   std::string_view name) {
  if (std::optional<std::string> given = learning::last_of(options, name)) return given;
  const std::vector<OptionDescription> known = learner.options();
  const auto at = std::ranges::find(known, name, &OptionDescription::name);
  return at == known.end() ? std::nullopt : std::optional(at->fallback);
}

}  // namespace

std::vector<std::string> remarks_before(const Learner& learner,
                                        const LearnerData& data,
                                        const OptionTexts& options) {
  const Learner& trained = effective_learner(learner, options);
  const auto* rows = std::get_if<TableData>(&data);
  const bool is_supervised = dynamic_cast<const learning::SupervisedLearner*>(&trained) != nullptr;
  // What is solved to no tolerance takes what comes.
  if (rows == nullptr || !is_supervised || !text_of(trained, options, "tolerance")) return {};
  if (rows->data.holds_strings || asks_for_kernel_values(options)) return {};
  const std::optional<std::string> scale = learning::last_of(options, "scale");
  if (scale && *scale != "none") return {};
  const std::optional<std::string> text = text_of(trained, options, "kernel");
  const KernelChoice chosen = text ? KernelChoice::parse(*text) : KernelChoice();
  std::string remark = learning::remark_on_ranges(rows->data, text ? &chosen.kernel() : nullptr);
  return remark.empty() ? std::vector<std::string>{} : std::vector{std::move(remark)};
}

}  // namespace maxmargin
