// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "maxmargin/core/report.hpp"

/// When one method hands its problem to the interior point method, whose answer it is:
/// docs/algorithms/interior-point.md, "When it takes over".
namespace maxmargin {

/// The method that ran first, and how its run ended.
struct TakenOver {
  /// As warnings name it.
  std::string_view method = {};
  /// Why the other one was asked, a sentence of its own: "SMO was slow: ...".
  std::string_view warning = {};
  /// Whether it left the problem unfinished, rather than end by a rule of its own.
  bool gave_up = true;
};

/// Whether the answer is that of the second run: when it is solved, or when its gap is the smaller
/// one. The report of that run, or else of the first, becomes that of the whole: with its own
/// status, as the other's verdict is of another point, with the iterations and seconds of both and
/// a warning that says whose point it is. What ended the second run from outside ended the whole.
[[nodiscard]] bool take_second(const TakenOver& first_run, SolveReport& first, SolveReport& second);

}  // namespace maxmargin
