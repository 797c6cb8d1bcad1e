// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/data/taxonomy.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin::learning {

/// What mistakes cost, classes sorted. A mistake about another class costs 1.
struct ClassCosts {
  std::vector<Label> classes = {};
  DenseMatrix costs = {};
};

/// What classes are measured by beside being right.
struct ClassTerms {
  std::optional<Taxonomy> tree = std::nullopt;
  std::optional<ClassCosts> costs = std::nullopt;
};

/// Adds accuracy and error, the mean loss of the tree and of the costs where there are any, and a
/// table by label. Rows without a label are left out, and rows with a label that is no node of the
/// tree of its loss alone, which is said once.
void add_class_measures(const LabelColumn& truth,
                        std::span<const Label> predicted,
                        const ClassTerms& terms,
                        RunReport& report);

}  // namespace maxmargin::learning
