// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "cluster/mmc/machine.hpp"
#include "cluster/mmc/starts.hpp"
#include "maxmargin/core/context.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/problem/symmetric_matrix.hpp"

/// Local search on labels by training and relabelling: docs/algorithms/mmc-alternating.md.
namespace maxmargin {

struct MmcSearchOptions {
  double c = 100;
  std::size_t least = 1;
  std::size_t most = 1;
  /// Trainings at each C.
  std::size_t max_rounds = 50;
  /// Begin at C/100 and C/10, too.
  bool anneal = true;
  /// Relative gap of trainings on the way.
  double rough = 1e-2;
  /// Machines trained in search of one exchange, and their gap.
  std::size_t exchanges = 10;
  double fine = 1e-4;
  /// Relative gap of the last trainings.
  double final_tolerance = 1e-3;
  Context context = {};
};

struct MmcSearchAnswer {
  MmcFit fit = {};
  std::string winner = {};
  std::size_t starts = 0;
  std::uint64_t trainings = 0;
  std::vector<double> trace = {};
  /// Relabelling changes nothing any more.
  bool settled = false;
  /// Anything but yes: the caller ended it.
  Continue answer = Continue::yes;
};

/// The best labelling reached from the starts, of which there must be one. `matrix`, if any, is the
/// machine's kernel matrix for exchanges of single labels (two classes).
[[nodiscard]] MmcSearchAnswer search_labels(const MmcMachine& machine,
                                            std::vector<MmcStart> starts,
                                            const SymmetricMatrix* matrix,
                                            const MmcSearchOptions& options);

}  // namespace maxmargin
