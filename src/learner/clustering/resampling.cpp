// SPDX-License-Identifier: Apache-2.0
#include "learner/clustering/resampling.hpp"

#include <memory>
#include <mutex>
#include <utility>

#include "learner/clustering/request.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin::learning {

Context shared_by_threads(Context context) {
  if (!context.on_progress) return context;
  context.on_progress = [callback = std::move(context.on_progress),
                         mutex = std::make_shared<std::mutex>()](const Progress& progress) {
    const std::lock_guard lock(*mutex);
    return callback(progress);
  };
  return context;
}

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
  Context quiet = context;
  if (context.on_progress) {
    quiet.on_progress = [callback = context.on_progress](const Progress& /*of a part*/) {
      return callback({});
    };
  }
  return [&method, fixed, quiet](const Dataset& data, std::size_t k, std::uint64_t seed) {
    Context part = quiet;
    part.seed = seed >> 1;  // seeds of parts are signed whole numbers
    Clustering found = method.run(
        data, method.takes(cluster_count_name) ? with_cluster_count(fixed, k) : fixed, part);
    // What was found by then is no clustering to compare with finished ones.
    return was_stopped(found.report.status) ? std::vector<std::int32_t>{} : std::move(found.labels);
  };
}

}  // namespace maxmargin::learning
