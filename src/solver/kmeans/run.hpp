// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "solver/kmeans/points.hpp"

namespace maxmargin::kmeans {

/// One run of Lloyd's method from given centres.
struct Run {
  std::vector<std::int32_t> labels = {};
  DenseMatrix centres = {};
  double inertia = 0;
  std::size_t iterations = 0;
  std::size_t refilled = 0;  ///< clusters that were empty and got a point
  Status status = Status::iteration_limit;
  /// Whether the run was left before its end: `inertia` is then that of the labels before the
  /// centres moved last, which bounds what the centres give, and there are no labels.
  bool is_paused = false;
};

/// kmeans.md steps 2 to 6, from `run.centres` on; `run.iterations` of max_iterations are done
/// already. A run is paused after a pass that lowers the objective by less than the part `slow` of
/// it (0: never). `ask` is called with the iteration and the objective after every pass; anything
/// but `yes` ends the run at the centres reached.
[[nodiscard]] Run run_lloyd(const Points& points,
                            Run run,
                            std::size_t max_iterations,
                            double slow,
                            std::size_t threads,
                            const std::function<Continue(std::size_t, double)>& ask);

}  // namespace maxmargin::kmeans
