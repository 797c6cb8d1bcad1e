// SPDX-License-Identifier: Apache-2.0
#include "learner/part_of_run.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "core/parts_of_run.hpp"

namespace maxmargin::learning {

namespace {

/// The memory of each decides how it computes, so its share must not depend on the number of
/// threads.
constexpr std::size_t most_side_by_side = 8;

}  // namespace

std::size_t threads_for_parts(const Context& context) {
  return std::min(most_side_by_side, thread_count(context.threads));
}

Context context_of_part(Context context, std::size_t parts, const ProgressCallback& progress) {
  const std::size_t side_by_side = std::max<std::size_t>(1, std::min(parts, most_side_by_side));
  context.memory_limit = std::max<std::size_t>(1, context.memory_bytes() / side_by_side);
  context.on_progress = asked_by_parts(progress);
  return context;
}

OptionTexts at_point(OptionTexts options, const GridPoint& point) {
  for (const auto& [name, value] : point.entries()) options.emplace_back(name, value);
  return options;
}

}  // namespace maxmargin::learning
