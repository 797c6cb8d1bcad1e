// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/run_report.hpp"
#include "registry.hpp"

/// Measures of a clustering that need no classes: docs/guide/validators.md.
namespace maxmargin::tool {

/// Can every pair of rows be looked at in about a second? Up to 10,000 rows, and rows x entries up
/// to 10^9.
[[nodiscard]] bool pairs_are_cheap(const Dataset& data);

/// Adds what costs little: clusters, outliers, kernel_sse and silhouette where the data is small
/// enough, in the feature space of the method's kernel, of the input space without one. What the
/// method reported of its own stays.
void add_cheap_validators(const Dataset& data,
                          const ClusterAnswer& answer,
                          const Arguments& arguments,
                          RunReport& report);

/// --validate: adds stability (bootstrap), kernel_sse_p_value, refit_train_error,
/// refit_test_error, fisher_ratio and the table `clusters` (size, kernel_sse and silhouette of
/// each), and what add_cheap_validators left out.
void add_validators(const ClusterMethod& method,
                    const Dataset& data,
                    const ClusterAnswer& answer,
                    const Arguments& arguments,
                    RunReport& report);

}  // namespace maxmargin::tool
