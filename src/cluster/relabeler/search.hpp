// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include "maxmargin/cluster/relabeler/relabeler.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/metric/cluster/random_labellings.hpp"

/// Runs, chains and restarts of the relabeler: docs/algorithms/relabeler.md, "Search".
namespace maxmargin::relabel {

/// Speaks to the caller for all threads.
class Monitor {
 public:
  explicit Monitor(const ProgressCallback& callback) : callback_(callback) {}
  /// Asks the caller, who is not asked again once he wants no more.
  [[nodiscard]] Continue ask_caller();
  /// The same about other work than fits.
  [[nodiscard]] Continue ask_caller(const Progress& progress);
  /// Another fit is done; false when the caller wants no more.
  [[nodiscard]] bool count_fit();
  /// A run ended with this sum of squares.
  void note(double kernel_sse);
  [[nodiscard]] bool stopped() const noexcept { return stopped_.load(); }
  /// How it was stopped. Requires stopped().
  [[nodiscard]] Status status() const noexcept { return status_of(answer_); }

 private:
  /// Requires the mutex.
  [[nodiscard]] Continue answer_to(const Progress& progress);

  const ProgressCallback& callback_;
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
  Continue answer_ = Continue::yes;
  std::size_t fits_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
};

/// How good the end of a run is; a lower one is preferred whatever the sums of squares.
enum class Verdict {
  accepted,    ///< a fixed point that breaks no rule
  rejected,    ///< a fixed point whose sum of squares is too likely by chance
  unfinished,  ///< stopped before a fixed point
  collapsed    ///< a cluster is too small
};

/// How a run went and where it ended.
struct Run {
  std::vector<std::int32_t> labels = {};
  std::vector<RelabelStep> steps = {};
  double kernel_sse = 0;
  double objective = 0;
  std::size_t errors = 0;
  std::size_t inexact = 0;
  Verdict verdict = Verdict::unfinished;
  /// Of the last machine; no columns when there was none.
  DenseMatrix coefficients = {};
  std::vector<double> offsets = {};

  [[nodiscard]] bool better_than(const Run& other) const {
    if (verdict != other.verdict) return verdict < other.verdict;
    return kernel_sse < other.kernel_sse;
  }
};

/// The best run over all restarts.
struct Found {
  Run run = {};
  std::size_t restart = 0;
  RelabelCounts counts = {};
  std::vector<RelabelSearchStep> search_trace = {};
};

/// The law of random labels in options.k clusters; unset when the caller stopped the drawing.
[[nodiscard]] std::optional<ChanceLaw> draw_chance(DenseView gram,
                                                   const RelabelerOptions& options,
                                                   std::uint64_t seed,
                                                   Monitor& monitor);

/// Runs all restarts with `options.k` clusters at once. Without `chance` options.p_value rejects
/// nothing.
[[nodiscard]] Found search(DenseView gram,
                           const RelabelerOptions& options,
                           const ChanceLaw* chance,
                           Monitor& monitor);

}  // namespace maxmargin::relabel
