// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "arguments.hpp"
#include "data_source.hpp"
#include "learner_options.hpp"
#include "maxmargin/core/progress.hpp"

/// The command line's options as the clustering methods read them.
namespace maxmargin::tool {

/// -k. Throws UsageError when it is not given.
[[nodiscard]] std::size_t wanted_clusters(const Arguments& arguments);

/// --kernel, --gamma, --degree, --coef0 for these examples, rbf unless another is named; `gamma` is
/// the rule where none is given (a polynomial keeps its 1). An indefinite kernel needs
/// --allow-indefinite unless the method takes such.
[[nodiscard]] Kernel method_kernel(const Arguments& arguments,
                                   const Examples& examples,
                                   std::string_view gamma = "scale",
                                   bool takes_indefinite = false);

/// The same of a method that evaluates the kernel itself: a precomputed one is refused.
[[nodiscard]] Kernel kernel_of_points(const Arguments& arguments,
                                      const Examples& examples,
                                      std::string_view gamma = "scale",
                                      bool takes_indefinite = false);

/// The options that mean the same in every method; the library's defaults where they are not given.
template <class Options>
void take_common_options(const Arguments& arguments, ProgressCallback progress, Options& options) {
  options.k = wanted_clusters(arguments);
  options.restarts = arguments.whole("restarts", 1).value_or(options.restarts);
  options.max_iterations = arguments.whole("max-iterations", 1).value_or(options.max_iterations);
  options.seed = arguments.whole("seed", 0).value_or(options.seed);
  options.threads = threads_of(arguments);
  options.on_progress = std::move(progress);
}

}  // namespace maxmargin::tool
