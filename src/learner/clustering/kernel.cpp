// SPDX-License-Identifier: Apache-2.0
#include "learner/clustering/kernel.hpp"

#include <utility>
#include <variant>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin::learning {

Kernel kernel_of_points(const KernelChoice& choice,
                        const Examples& points,
                        const Context& context) {
  if (std::holds_alternative<Precomputed>(choice.kernel())) {
    throw InvalidArgument(
        "--kernel precomputed: this method takes points; kernel-kmeans and mmc (without "
        "--features) take a kernel matrix");
  }
  return kernel_for(choice, points, context);
}

Kernel kernel_for(const KernelChoice& choice, const Examples& points, const Context& context) {
  return choice.resolved(points, {.context = context});
}

ReportFields kernel_as_used(const Kernel& kernel) {
  ReportFields fields;
  for (auto& [key, value] : option_values(KernelChoice(kernel))) {
    fields.emplace_back(key, std::move(value));
  }
  return fields;
}

}  // namespace maxmargin::learning
