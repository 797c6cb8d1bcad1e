// SPDX-License-Identifier: Apache-2.0
#include "method_options.hpp"

namespace maxmargin::tool {

std::size_t wanted_clusters(const Arguments& arguments) {
  const std::optional<std::uint64_t> k = arguments.whole("clusters", 1);
  if (!k) throw UsageError("-k: the number of clusters is missing");
  return *k;
}

Kernel method_kernel(const Arguments& arguments,
                     const Examples& examples,
                     std::string_view gamma,
                     bool takes_indefinite) {
  TrainingInput input{.arguments = arguments};
  if (!arguments.has("gamma") && arguments.text_or("kernel", "rbf") == "rbf") {
    input.arguments.given.emplace("gamma", gamma);
  }
  return takes_indefinite ? kernel_of(input, examples) : definite_kernel_of(input, examples);
}

Kernel kernel_of_points(const Arguments& arguments,
                        const Examples& examples,
                        std::string_view gamma,
                        bool takes_indefinite) {
  if (arguments.text("kernel") == "precomputed") {
    throw UsageError(
        "--kernel precomputed: this method takes points; kernel-kmeans and mmc (without "
        "--features) take a kernel matrix");
  }
  return method_kernel(arguments, examples, gamma, takes_indefinite);
}

}  // namespace maxmargin::tool
