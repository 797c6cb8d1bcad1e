// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/kernel/gram/mercer.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Is a kernel positive semidefinite on given data, and what does a repair change?
namespace maxmargin {

struct MAXMARGIN_EXPORT KernelCheckOptions {
  /// precomputed: the data holds the kernel's values.
  KernelChoice kernel = {};
  /// Of the largest eigenvalue: what counts as rounding.
  double tolerance = 1e-10;
  std::optional<SpectrumRepair> repair = std::nullopt;
  void describe(OptionVisitor& visit);
};

/// The matrix and the figures of its spectrum (docs/guide/kernels/checking.md).
struct KernelCheck {
  ReportFields fields = {};
  MercerReport mercer = {};
  /// The kernel matrix, repaired if that was asked for.
  DenseMatrix gram = {};
};

/// Reads the data by the options `source` of tables and computes the matrix of all its rows and all
/// eigenvalues: O(n^2) memory, O(n^3) time. Throws as read_training_data does, and InvalidArgument
/// for data that the kernel does not take.
[[nodiscard]] MAXMARGIN_EXPORT KernelCheck check_kernel(const std::string& where,
                                                        const OptionTexts& source,
                                                        const KernelCheckOptions& options,
                                                        const Context& context = {});

}  // namespace maxmargin
