// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace maxmargin {

/// What the end of a training rests on, and so what it is called when the gap is not within the
/// tolerance (docs/guide/report.md, "Status").
enum class Ending {
  gap,       ///< of a convex problem: solved_inaccurate; without a gap a formula or a table was all
             ///< that was asked for, solved (a proof that is taken back says local_optimum itself)
  search,    ///< the search's own rule: local_optimum, without a gap as well
  procedure  ///< an end by construction (a formula, a tree): local_optimum; without a gap solved
};

}  // namespace maxmargin
