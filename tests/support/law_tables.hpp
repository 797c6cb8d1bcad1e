// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/learner/learner.hpp"

/// Small tables that the laws of docs/design/scaling.md are held to, for every learner of tables.
namespace maxmargin::laws {

/// A table: what its rows are is in the name.
struct Rows {
  const char* name;
  const char* source;
  /// Columns are multiplied by 1, 4, 16, ... in turn.
  bool uneven = false;
  /// The last rows are copies of the first, with their own labels.
  std::size_t copies = 0;
};

inline constexpr std::array<Rows, 5> tables = {
    Rows{"flowers", "iris"},
    Rows{"three clouds", "gaussians,n=30,k=3,seed=3"},
    Rows{"rings", "circles,n=24,noise=0.1,seed=4"},
    Rows{"far outliers", "ring-outliers,n=24,seed=5"},
    Rows{.name = "uneven columns and equal rows",
         .source = "gaussians,n=24,k=3,d=3,seed=6",
         .uneven = true,
         .copies = 4},
};

inline constexpr std::size_t most_rows = 30;

/// Positive features, so that kernels of histograms take them.
inline Dataset rows_of(const Rows& table) {
  const Dataset all = make_builtin(table.source);
  std::vector<std::size_t> rows;
  const std::size_t step = std::max<std::size_t>(1, all.size() / most_rows);
  for (std::size_t i = 0; i < all.size(); i += step) rows.push_back(i);
  Dataset chosen = all.select(rows);
  DenseMatrix x = chosen.examples.to_dense();
  const double least = std::ranges::min(x.values());
  for (double& value : x.values()) value += least > 0 ? 0 : 0.125 - least;
  for (std::size_t i = 0; table.uneven && i < x.rows(); ++i) {
    double factor = 1;
    for (double& value : x.row(i)) {
      value *= factor;
      factor *= 4;
    }
  }
  for (std::size_t i = 0; i < table.copies; ++i) {
    std::ranges::copy(x.row(i), x.row(x.rows() - 1 - i).begin());
  }
  chosen.examples = std::move(x);
  return chosen;
}

/// Labels of the kind that a learner takes; targets of a regression are made of the features.
inline LabelColumn labels_for(const Learner& entry, const Dataset& from, double target_scale) {
  const std::size_t n = from.size();
  if (entry.info().task == Task::cluster) return {};
  if (entry.info().task == Task::detect) {
    return LabelColumn::from_numbers(std::vector<double>(n, 1.0));
  }
  if (entry.info().task == Task::regress) {
    const DenseMatrix x = from.examples.to_dense();
    std::vector<double> targets;
    for (std::size_t i = 0; i < n; ++i) {
      targets.push_back(target_scale *
                        (x(i, 0) - x(i, 1) * x(i, 1) / 3 + 0.1 * static_cast<double>(i % 4)));
    }
    return LabelColumn::from_numbers(std::move(targets));
  }
  std::vector<double> numbers;
  const Classes classes = classes_of(from.labels);
  for (const std::int32_t c : classes.of_row) {
    // Semi-supervised learners are shown two classes.
    numbers.push_back(entry.info().learns_from_unlabelled ? std::min(c, 1) : c);
  }
  LabelColumn labels = LabelColumn::from_numbers(std::move(numbers));
  if (entry.info().learns_from_unlabelled) {
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 5 < 3) labels.clear(i);
    }
  }
  return labels;
}

/// What the learner is shown: the features `x` with the labels of the table `base`.
inline LearnerData data_with(const Learner& entry,
                             const Dataset& base,
                             DenseMatrix x,
                             double target_scale = 1) {
  Dataset data{.labels = labels_for(entry, base, target_scale)};
  if (entry.info().data == DataKind::table) {
    data.examples = std::move(x);
  } else {
    data.examples = to_sparse(x.view());
  }
  if (entry.info().data == DataKind::queries) {
    for (std::size_t i = 0; i < base.size(); ++i) {
      data.groups.push_back(static_cast<std::int64_t>(i / 6));
    }
  }
  if (entry.info().data == DataKind::bags) {
    std::vector<double> signs;
    for (std::size_t i = 0; i < base.size(); ++i) {
      data.groups.push_back(static_cast<std::int64_t>(i / 3));
      signs.push_back(i / 3 % 2 == 0 ? 1 : -1);
    }
    data.labels = LabelColumn::from_numbers(std::move(signs));
  }
  if (entry.info().data == DataKind::label_sets) {
    const Classes classes = classes_of(base.labels);
    for (std::size_t i = 0; i < base.size(); ++i) {
      std::vector<Label>& set = data.label_sets.emplace_back();
      set.emplace_back(static_cast<double>(classes.of_row[i]));
      if (i % 3 == 0) set.emplace_back(7.0);
    }
    data.labels = {};
  }
  return TableData{.data = std::move(data)};
}

/// The name of a parametrised test of one learner.
inline std::string test_name(const Learner& entry) {
  std::string name(entry.info().name);
  std::ranges::replace(name, '-', '_');
  return name;
}

/// A law's line as messages show it.
inline std::string text_of(const OptionTexts& options) {
  std::string text;
  for (const auto& [name, value] : options) {
    text.append(" ").append(name).append("=").append(value);
  }
  return text;
}

}  // namespace maxmargin::laws
