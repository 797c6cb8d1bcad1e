// SPDX-License-Identifier: Apache-2.0
#include "mmc_options.hpp"

#include <cmath>
#include <string>

#include "learner_options.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin::tool {

double mmc_cost(const Arguments& arguments, double fallback) {
  const std::optional<std::string> text = arguments.text("C");
  return text ? parse_cost(*text, false) : fallback;
}

std::optional<std::size_t> mmc_landmarks(const Arguments& arguments) {
  const std::optional<std::string> text = arguments.text("features");
  if (!text) return std::nullopt;
  const std::string prefix = "nystroem:";
  if (text->starts_with(prefix)) {
    const std::optional<double> count = parse_number(text->substr(prefix.size()));
    if (count && *count >= 1 && *count <= 1e9 && *count == std::floor(*count)) {
      return static_cast<std::size_t>(*count);
    }
  }
  throw UsageError("--features " + *text + ": must be nystroem:M with a whole number M >= 1");
}

}  // namespace maxmargin::tool
