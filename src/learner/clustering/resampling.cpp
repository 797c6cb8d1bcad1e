// SPDX-License-Identifier: Apache-2.0
#include "learner/clustering/resampling.hpp"

#include <utility>

#include "core/parts_of_run.hpp"
#include "learner/clustering/request.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin::learning {

ClusterFunction cluster_function(const ClusterLearner& method,
                                 const OptionTexts& own,
                                 const std::optional<Kernel>& kernel,
                                 const Context& context) {
  OptionTexts fixed = own;
  if (kernel && method.takes("gamma")) {
    if (const std::optional<double> gamma = gamma_of(*kernel)) {
      // What a sweep over widths found is that gamma.
      std::erase_if(fixed, [](const auto& option) {
        return option.first == "gamma" || option.first == "gamma-sweep";
      });
      fixed.emplace_back("gamma", format_number(*gamma));
    }
  }
  const Context quiet = context.with_progress(asked_by_parts(context.on_progress));
  return [&method, fixed, quiet](const Dataset& data, std::size_t k, std::uint64_t seed) {
    Context part = quiet;
    // Half of it, as when seeds were signed: another seed would be another answer.
    part.seed = seed >> 1;
    Clustering found = method.run(
        data, method.takes(cluster_count_name) ? with_cluster_count(fixed, k) : fixed, part);
    // What was found by then is no clustering to compare with finished ones.
    return was_stopped(found.report.status) ? std::vector<std::int32_t>{} : std::move(found.labels);
  };
}

}  // namespace maxmargin::learning
